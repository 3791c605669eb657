/** What is written in the message of a step: its literal parts are read as those of a send are. */
import { MessageSend } from '@postrider/contract'
import { Type } from 'typebox'
import { compileCheck } from '../base/check.ts'
import type { JsonObject } from '../base/merge.ts'
import { inlineNotification } from '../pipeline/inline.ts'
import { readRecipients } from '../pipeline/read-recipients.ts'
import { readDelay, readMessage } from '../pipeline/read-send.ts'
import { blame } from './automation.ts'
import { carried } from './carried.ts'
import { checkMessageFields } from './message-fields.ts'
import { referencesIn } from './values.ts'

const LiteralParts = Type.Partial(MessageSend)
const checkParts: (value: unknown) => asserts value is Partial<MessageSend> = compileCheck(LiteralParts, 'message')

/** Throws a 400 that names the place. */
export function checkMessage(message: JsonObject, now: number, at: string): void {
  if (Object.hasOwn(message, '$ref')) return
  checkMessageFields(message, at)
  const literal: JsonObject = {}
  for (const [name, value] of Object.entries(message)) if (referencesIn(value).length === 0) literal[name] = value
  const { to, delay } = blame(at, () => read(literal))
  blame(at, () => readDelay(delay, now))
  // Its sentences begin with `message.` themselves.
  const step = at.slice(0, at.lastIndexOf('.'))
  blame(step, () => readMessage({ ...literal, template: 'any', to: to ?? {} } as MessageSend))
  if (to !== undefined && to !== null) blame(step, () => readRecipients(to))
  const { content } = message
  if (content === undefined || content === null) return
  blame(`${at}.content`, () => inlineNotification(carried(content, () => 0) as JsonObject))
}

function read(literal: JsonObject): Partial<MessageSend> {
  checkParts(literal)
  return literal
}
