/** send: one message, or a message of the second generation to all its recipients. */
import { isObject } from '../../base/json/json.ts'
import { checkMessage } from '../message-fields.ts'
import type { StepBehavior } from '../step.ts'
import { reportUnreadableExpiry, sendEvent, sendMessage } from './shared/message-of-step.ts'

export default {
  fieldKinds: {
    names: [
      ...['recipient', 'template', 'brand', 'idempotency_key', 'message.to', 'message.template', 'message.brand_id'],
      ...['message.context.tenant_id', 'message.preferences.subscription_topic_id'],
    ],
    content: 'message.content',
  },
  checkWritten(fields, { at, now, report }) {
    reportUnreadableExpiry(fields, { at, now, report })
    if (isObject(fields.message)) checkMessage(fields.message, now, `${at}.message`, report)
  },
  needsTemplate({ message }) {
    // A message that is a reference brings its own template or content.
    if (typeof message === 'string') return false
    return !isObject(message) || !(Object.hasOwn(message, '$ref') || message.template || message.content)
  },
  run: (fields, ctx) => (fields.message ? sendMessage(fields.message, fields, ctx) : sendEvent(fields, ctx)),
} satisfies StepBehavior<'send'>
