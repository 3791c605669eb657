/** /inbound: events that callers report, and the runs they start. */
import { runsOfEvent } from '../../../automations/runs/triggers.ts'
import { conflict } from '../../../base/errors.ts'
import { insertInboundEvent } from '../../../database/tables/workspace/inbound-events.ts'
import { success } from '../../call.ts'
import { otherwise, type ResourceHandlers } from '../../outcome.ts'

export const inbound = {
  'inbound.trackEvent': async ({ body: { event, messageId, properties, userId } }, ctx) => {
    const row = { messageId, event, userId: userId ?? null, properties, received: ctx.now }
    const reply = success('inbound.trackEvent', { messageId })
    const { app, caller, now } = ctx
    const { workspaceId, mode } = caller
    const runs = await runsOfEvent(app.database, { ...row, workspaceId, mode }, now)
    return {
      reply,
      writes: [...insertInboundEvent(workspaceId, mode, row), ...runs],
      onConflict: otherwise(() =>
        conflict('already_exists', 'An event with this messageId was received before', 'messageId'),
      ),
      afterCommit: () => (runs.length > 0 ? app.jobs.wake('runs') : undefined),
    }
  },
} satisfies ResourceHandlers<'inbound'>
