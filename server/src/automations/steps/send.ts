/** send: one message, or a message of the second generation to whomever it names. */
import { checkKeyed, sendEvent, sendMessage } from '../sending.ts'
import type { StepKind } from '../step.ts'

export const send: StepKind<'send'> = {
  check: checkKeyed,
  act: (fields, stage) => (fields.message ? sendMessage(fields.message, fields, stage) : sendEvent(fields, stage)),
}
