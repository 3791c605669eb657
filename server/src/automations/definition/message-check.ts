/** Checks the message of a step: its literal parts are read as those of a send are. */
import { MessageSend } from '@postrider/contract'
import { Type } from 'typebox'
import type { JsonObject } from '../../base/json/json.ts'
import { compileLiberalCheck } from '../../base/schema/check.ts'
import { readDelay, readMessage } from '../../messages/accept/read-send.ts'
import { inlineNotification } from '../../messages/inline-content.ts'
import { readRecipients } from '../../recipients/read-recipients.ts'
import { interpolateContent } from '../references/content-interpolation.ts'
import { referencesIn } from '../references/references.ts'
import { blame } from './automation.ts'
import { checkCondition, checkMessageFields, reportIgnored } from './message-fields.ts'
import type { Report } from './unknown-fields.ts'

const LiteralParts = Type.Partial(MessageSend)
const readParts = compileLiberalCheck(LiteralParts, 'message') as (value: unknown) => Partial<MessageSend>

/** Reports unknown fields. Throws a 400 that names the place. */
export function checkMessage(message: JsonObject, now: number, at: string, report: Report): void {
  if (Object.hasOwn(message, '$ref')) return
  checkMessageFields(message, at, { report, condition: checkCondition })
  reportIgnored(message, at, report)
  const literal: JsonObject = {}
  for (const [name, value] of Object.entries(message)) if (referencesIn(value).length === 0) literal[name] = value
  const parts = blame(at, () => readParts(literal))
  const { to, delay } = parts
  blame(at, () => readDelay(delay, now))
  // Its sentences begin with `message.` themselves.
  const step = at.slice(0, at.lastIndexOf('.'))
  blame(step, () => readMessage({ ...parts, template: 'any', to: to ?? {} } as MessageSend))
  if (to !== undefined && to !== null) blame(step, () => readRecipients(to))
  const { content } = message
  if (content === undefined || content === null) return
  blame(`${at}.content`, () => inlineNotification(interpolateContent(content, () => 0) as JsonObject))
}
