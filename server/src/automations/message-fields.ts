/** Checks the message of a step or a send: unknown fields, fields without effect, references in conditions. */
import {
  ChannelRoute,
  ChannelSettings,
  MessageRecipient,
  MessageRouting,
  MessageSend,
  ProviderSettings,
} from '@postrider/contract'
import { Type } from 'typebox'
import { invalidField } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { nearestName, quoted } from '../base/quote.ts'
import { compileLiberalCheck } from '../base/schema/check.ts'
import { readDelay, readMessage } from '../messages/accept/read-send.ts'
import { inlineNotification } from '../messages/facts.ts'
import { readRecipients } from '../recipients/read-recipients.ts'
import { locateErrors } from './error-location.ts'
import { interpolateContent } from './references/interpolation.ts'
import { referencesIn } from './references/references.ts'
import { checkFieldNames, type Report, shown } from './unknown-fields.ts'

/** Recipients have keys of any provider; content and data are checked elsewhere. */
const { to, content, data, channels: byChannel, providers: byProvider, ...looked } = MessageSend.properties
const open = Type.Unsafe<unknown>({})
const Message = Type.Object({ ...looked, to: open, content: open, data: open, channels: open, providers: open })

/** Public samples have `config` beside a channel of the routing. */
const Entry = Type.Object({ ...ChannelRoute.properties, config: open })

interface Look {
  report: Report
  /** Called with every condition of a channel or provider, and its place. */
  condition(source: unknown, at: string): void
}

/** Reports unknown fields. */
export function checkMessageFields(message: JsonObject, at: string, look: Look): void {
  checkFieldNames(Message, message, { at, what: 'a message', report: look.report })
  if (isObject(message.routing)) checkRouting(message.routing, `${at}.routing`, look)
  const { channels, providers } = message
  checkSettings(channels, ChannelSettings, { ...look, at: `${at}.channels`, what: 'a channel' })
  checkSettings(providers, ProviderSettings, { ...look, at: `${at}.providers`, what: 'a provider' })
}

function checkRouting(routing: JsonObject, at: string, look: Look): void {
  if (!Array.isArray(routing.channels)) return
  for (const [index, entry] of routing.channels.entries()) {
    const place = `${at}.channels.${index}`
    if (!isObject(entry) || Object.hasOwn(entry, '$ref')) continue
    const isGroup = entry.channels !== undefined
    const what = isGroup ? 'a group' : 'an entry'
    checkFieldNames(isGroup ? MessageRouting : Entry, entry, { at: place, what, report: look.report })
    if (isGroup) checkRouting(entry, place, look)
    else look.condition(entry.if, place)
  }
}

function checkSettings(
  byName: unknown,
  schema: typeof ChannelSettings | typeof ProviderSettings,
  { at, what, report, condition }: Look & { at: string; what: string },
): void {
  if (!isObject(byName) || Object.hasOwn(byName, '$ref')) return
  for (const [name, settings] of Object.entries(byName)) {
    if (!isObject(settings)) continue
    const place = `${at}.${shown(name)}`
    checkFieldNames(schema, settings, { at: place, what, report })
    condition(settings.if, place)
  }
}

/** Reports fields that have no effect as they are written. */
export function reportIgnored({ delay, to }: JsonObject, at: string, report: Report): void {
  if (isObject(delay)) reportIgnoredDelay(delay, `${at}.delay`, report)
  const isList = Array.isArray(to)
  let compared = 0
  for (const [index, recipient] of (isList ? to : [to]).entries()) {
    if (!isObject(recipient)) continue
    const place = `${at}.to${isList ? `.${index}` : ''}`
    const keys = profileKeys(recipient).slice(0, KEYS_COMPARED_MAX - compared)
    compared += keys.length
    reportMisspelled(keys, recipient, place, report)
    if (typeof recipient.data === 'string' && referencesIn(recipient.data).length === 0)
      report(() => `${place}.data is ignored: it is a string, not an object.`)
  }
}

/** Names and addresses of a recipient. Any other key is profile data: only one that is like an absent name is reported. */
const NAMES = [
  'user_id',
  'list_id',
  'list_pattern',
  'audience_id',
  'tenant_id',
  'account_id',
  'email',
  'phone_number',
  'locale',
  'timezone',
]
/** In all recipients of a message together; each comparison takes some microseconds. */
const KEYS_COMPARED_MAX = 500

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

const profileKeys = (recipient: JsonObject) =>
  Object.keys(recipient).filter((key) => isGiven(recipient[key]) && !Object.hasOwn(MessageRecipient.properties, key))

function reportMisspelled(keys: readonly string[], recipient: JsonObject, at: string, report: Report): void {
  const absent = NAMES.filter((name) => !isGiven(recipient[name]))
  for (const key of keys) {
    const near = nearestName(key, absent)
    if (near !== undefined) report(() => `Unknown field ${quoted(key)} at ${at}. Did you mean ${quoted(near)}?`)
  }
}

export function reportIgnoredDelay({ duration, until }: JsonObject, at: string, report: Report): void {
  if (duration && until) report(() => `${at}.duration is ignored beside \`until\`.`)
}

/** An interpolated value would be parsed as part of the expression. Throws a 400. */
function checkCondition(condition: unknown, at: string): void {
  if (referencesIn(condition).length > 0)
    throw invalidField(`${at}.if`, `cannot be filled in: a condition reads \`data.…\` and \`profile.…\` itself`)
}

const LiteralParts = Type.Partial(MessageSend)
const readParts = compileLiberalCheck(LiteralParts, 'message') as (value: unknown) => Partial<MessageSend>

/** Reports unknown fields. Throws a 400 that names the place. */
export function checkMessage(message: JsonObject, now: number, at: string, report: Report): void {
  if (Object.hasOwn(message, '$ref')) return
  checkMessageFields(message, at, { report, condition: checkCondition })
  reportIgnored(message, at, report)
  const literal: JsonObject = {}
  for (const [name, value] of Object.entries(message)) if (referencesIn(value).length === 0) literal[name] = value
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
