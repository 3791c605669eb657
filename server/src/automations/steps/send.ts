/** send: one message, or a message of the second generation to whomever it names. */

import type { StepBehavior } from '../step.ts'
import { sendEvent, sendMessage } from './message-of-step.ts'

export const send: StepBehavior<'send'> = {
  fieldKinds: {
    names: [
      ...['recipient', 'template', 'brand', 'idempotency_key', 'message.to', 'message.template', 'message.brand_id'],
      ...['message.context.tenant_id', 'message.preferences.subscription_topic_id'],
    ],
    content: 'message.content',
  },
  act: (fields, ctx) => (fields.message ? sendMessage(fields.message, fields, ctx) : sendEvent(fields, ctx)),
}
