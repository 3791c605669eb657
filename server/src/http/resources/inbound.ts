/** /inbound: what callers tell us has happened. */
import { conflict } from '../../base/errors.ts'
import { insertInboundEvent } from '../../database/tables/inbound-events.ts'
import { type ResourceHandlers, success } from '../call.ts'

export const inbound = {
  'inbound.trackEvent': async ({ body: { event, messageId, properties, userId } }, call) => {
    const row = { messageId, event, userId: userId ?? null, properties, received: call.now }
    const reply = success('inbound.trackEvent', { messageId })
    if (!(await insertInboundEvent(call.keeping(reply), call.caller.workspaceId, row)))
      throw conflict('An event with this messageId was told before')
    return reply
  },
} satisfies ResourceHandlers<'inbound'>
