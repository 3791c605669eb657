/** /inbound: what callers tell us has happened, and the runs it starts. */
import { runsOfEvent } from '../../automations/runs/triggers.ts'
import { conflict } from '../../base/errors.ts'
import { insertInboundEvent } from '../../database/tables/workspace/inbound-events.ts'
import { type ResourceHandlers, success } from '../call.ts'

export const inbound = {
  'inbound.trackEvent': async ({ body: { event, messageId, properties, userId } }, call) => {
    const row = { messageId, event, userId: userId ?? null, properties, received: call.now }
    const reply = success('inbound.trackEvent', { messageId })
    const { house, caller, now } = call
    const { workspaceId, mode } = caller
    const runs = await runsOfEvent(house.engine, { ...row, workspaceId, mode }, now)
    if (!(await insertInboundEvent(call.keeping(reply), workspaceId, row, runs)))
      throw conflict('An event with this messageId was received before')
    if (runs.length > 0) house.automations.wake()
    return reply
  },
} satisfies ResourceHandlers<'inbound'>
