/** send: one message, or a message of the second generation to all its recipients. */
import { MessageSend } from '@postrider/contract'
import { Type } from 'typebox'
import { invalidField } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { compileLiberalCheck } from '../../base/schema/check.ts'
import type { Report } from '../../base/schema/unknown-fields.ts'
import { isKnownTimeZone } from '../../base/time/time-zone.ts'
import { unknownTimeZone } from '../../base/time/zone-findings.ts'
import { checkMessageFields, reportIgnored } from '../../messages/accept/message-fields.ts'
import { readDelay, readMessage } from '../../messages/accept/read-send.ts'
import { inlineNotification } from '../../messages/facts.ts'
import { readRecipients } from '../../recipients/read-recipients.ts'
import { locateErrors } from '../error-location.ts'
import { reportUnknownZones } from '../profile-zones.ts'
import { interpolateContent } from '../references/interpolation.ts'
import { referencesIn } from '../references/references.ts'
import type { StepBehavior } from '../step.ts'
import { reportUnreadableExpiry, sendEvent, sendMessage } from './shared/message-of-step.ts'

export default {
  fieldKinds: {
    names: [
      ...['recipient', 'profile.user_id', 'template', 'brand', 'idempotency_key'],
      ...['message.to', 'message.template', 'message.brand_id'],
      ...['message.context.tenant_id', 'message.preferences.subscription_topic_id'],
    ],
    content: 'message.content',
  },
  checkWritten(fields, { at, now, report }) {
    reportUnreadableExpiry(fields, { at, now, report })
    reportUnknownZones(fields.profile, `${at}.profile`, report)
    if (isObject(fields.message)) checkMessage(fields.message, now, `${at}.message`, report)
  },
  needsTemplate({ message }) {
    // A message that is a reference brings its own template or content.
    if (typeof message === 'string') return false
    return !isObject(message) || !(Object.hasOwn(message, '$ref') || message.template || message.content)
  },
  run: (fields, ctx) => (fields.message ? sendMessage(fields.message, fields, ctx) : sendEvent(fields, ctx)),
} satisfies StepBehavior<'send'>

const hasReference = (value: unknown) => referencesIn(value).length > 0

/** An interpolated value would be parsed as part of the expression. Throws a 400. */
function checkCondition(condition: unknown, at: string): void {
  if (hasReference(condition))
    throw invalidField(`${at}.if`, `cannot be filled in: a condition reads \`data.…\` and \`profile.…\` itself`)
}

function reportZones({ to, delay }: JsonObject, at: string, report: Report): void {
  const zone = isObject(delay) ? delay.timezone : undefined
  if (typeof zone === 'string' && zone !== '' && !hasReference(zone) && !isKnownTimeZone(zone))
    report(() => unknownTimeZone(zone, `the time zone in \`${at}.delay.timezone\``).text)
  if (Array.isArray(to))
    for (const [index, recipient] of to.entries()) reportUnknownZones(recipient, `${at}.to.${index}`, report)
  else reportUnknownZones(to, `${at}.to`, report)
}

const LiteralParts = Type.Partial(MessageSend)
const readParts = compileLiberalCheck(LiteralParts, 'message') as (value: unknown) => Partial<MessageSend>

/** Reports unknown fields. Throws a 400 that names the place. */
function checkMessage(message: JsonObject, now: number, at: string, report: Report): void {
  if (Object.hasOwn(message, '$ref')) return
  checkMessageFields(message, at, { report, condition: checkCondition })
  reportIgnored(message, at, report, hasReference)
  reportZones(message, at, report)
  const literal: JsonObject = {}
  for (const [name, value] of Object.entries(message)) if (!hasReference(value)) literal[name] = value
  const parts = locateErrors(at, () => readParts(literal))
  const { to, delay } = parts
  locateErrors(at, () => readDelay(delay, now))
  // The errors begin with `message.` themselves.
  const step = at.slice(0, at.lastIndexOf('.'))
  locateErrors(step, () => readMessage({ ...parts, template: 'any', to: to ?? {} } as MessageSend))
  if (to !== undefined && to !== null) locateErrors(step, () => readRecipients(to))
  const { content } = message
  if (content === undefined || content === null) return
  locateErrors(`${at}.content`, () => inlineNotification(interpolateContent(content, () => 0) as JsonObject))
}
