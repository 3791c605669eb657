/** Checks the fields of a message: reports unknown ones, and those without effect. */
import {
  ChannelRoute,
  ChannelSettings,
  MessageRecipient,
  MessageRouting,
  MessageSend,
  ProviderSettings,
} from '@postrider/contract'
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { memo } from '../../base/perf/cache.ts'
import { nearestName, quoted } from '../../base/quote.ts'
import { checkFieldNames, type Report, shown } from '../../base/schema/unknown-fields.ts'

/** Recipients have keys of any provider; content and data are checked elsewhere. */
const { to, content, data, channels: byChannel, providers: byProvider, ...checked } = MessageSend.properties
const open = Type.Unsafe<unknown>({})
const Message = Type.Object({ ...checked, to: open, content: open, data: open, channels: open, providers: open })

/** Public samples have `config` beside a channel of the routing. */
const Entry = Type.Object({ ...ChannelRoute.properties, config: open })

interface FieldVisitor {
  report: Report
  /** Called with every condition of a channel or provider, and its place. */
  condition(source: unknown, at: string): void
}

/** Reports unknown fields. */
export function checkMessageFields(message: JsonObject, at: string, visitor: FieldVisitor): void {
  checkFieldNames(Message, message, { at, what: 'a message', report: visitor.report })
  if (isObject(message.routing)) checkRouting(message.routing, `${at}.routing`, visitor)
  const { channels, providers } = message
  if (channels) checkSettings(channels, ChannelSettings, { ...visitor, at: `${at}.channels`, what: 'a channel' })
  if (providers) checkSettings(providers, ProviderSettings, { ...visitor, at: `${at}.providers`, what: 'a provider' })
}

function checkRouting(routing: JsonObject, at: string, visitor: FieldVisitor): void {
  if (!Array.isArray(routing.channels)) return
  for (const [index, entry] of routing.channels.entries()) {
    const place = `${at}.channels.${index}`
    if (!isObject(entry) || Object.hasOwn(entry, '$ref')) continue
    const isGroup = entry.channels !== undefined
    const what = isGroup ? 'a group' : 'an entry'
    checkFieldNames(isGroup ? MessageRouting : Entry, entry, { at: place, what, report: visitor.report })
    if (isGroup) checkRouting(entry, place, visitor)
    else visitor.condition(entry.if, place)
  }
}

function checkSettings(
  byName: unknown,
  schema: typeof ChannelSettings | typeof ProviderSettings,
  { at, what, report, condition }: FieldVisitor & { at: string; what: string },
): void {
  if (!isObject(byName) || Object.hasOwn(byName, '$ref')) return
  for (const [name, settings] of Object.entries(byName)) {
    if (!isObject(settings)) continue
    const place = `${at}.${shown(name)}`
    checkFieldNames(schema, settings, { at: place, what, report })
    condition(settings.if, place)
  }
}

/** Reports fields that have no effect as they are written. `isFilledIn`: whether a value replaces the text before the send. */
export function reportIgnored(
  { delay, to }: JsonObject,
  at: string,
  report: Report,
  isFilledIn: (text: string) => boolean = () => false,
): void {
  if (isObject(delay)) reportIgnoredDelay(delay, `${at}.delay`, report)
  const isList = Array.isArray(to)
  let compared = 0
  const recipients: readonly unknown[] = isList ? to : [to]
  for (let index = 0; index < recipients.length; index += 1) {
    const recipient = recipients[index]
    if (!isObject(recipient)) continue
    const keys = profileKeys(recipient)
    const isIgnored = typeof recipient.data === 'string' && !isFilledIn(recipient.data)
    if (keys.length === 0 && !isIgnored) continue
    const place = `${at}.to${isList ? `.${index}` : ''}`
    reportMisspelled(keys.slice(0, KEYS_COMPARED_MAX - compared), recipient, place, report)
    compared += keys.length
    if (isIgnored) report(() => `${place}.data is ignored: it is a string, not an object.`)
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

const KEYS_REMEMBERED_MAX = 1_000
const KEY_CHARACTERS_MAX = 64

/** Programs send the same keys with every message. */
const isLikeShortName = memo(KEYS_REMEMBERED_MAX, (key) => nearestName(key, NAMES) !== undefined)
const isLikeName = (key: string) => key.length <= KEY_CHARACTERS_MAX && isLikeShortName(key)

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

const profileKeys = (recipient: JsonObject) =>
  Object.keys(recipient).filter((key) => isGiven(recipient[key]) && !Object.hasOwn(MessageRecipient.properties, key))

function reportMisspelled(keys: readonly string[], recipient: JsonObject, at: string, report: Report): void {
  const similar = keys.filter(isLikeName)
  if (similar.length === 0) return
  const absent = NAMES.filter((name) => !isGiven(recipient[name]))
  for (const key of similar) {
    const near = nearestName(key, absent)
    if (near !== undefined) report(() => `Unknown field ${quoted(key)} at ${at}. Did you mean ${quoted(near)}?`)
  }
}

export function reportIgnoredDelay({ duration, until }: JsonObject, at: string, report: Report): void {
  if (duration && until) report(() => `${at}.duration is ignored beside \`until\`.`)
}
