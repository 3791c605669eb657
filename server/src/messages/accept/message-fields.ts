/** Checks the fields of a message: reports unknown ones, and those without effect. */
import {
  ChannelRoute,
  ChannelSettings,
  ContentInput,
  MessageRecipient,
  MessageRouting,
  MessageSend,
  ProviderSettings,
} from '@postrider/contract'
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { memo } from '../../base/perf/cache.ts'
import { quoted, typedName } from '../../base/quote.ts'
import { checkFieldNames, type Report, shown } from '../../base/schema/unknown-fields.ts'
import { providers as catalog } from '../../providers/catalog.ts'
import { channelNames, reportChannelOverride, reportProviderOverride } from './message-overrides.ts'

/** Recipients have keys of any provider, data any key; the content is one of two forms. */
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
  const { channels, content, providers } = message
  if (isObject(content) && !Object.hasOwn(content, '$ref'))
    checkFieldNames(ContentInput, content, { at: `${at}.content`, what: 'content', report: visitor.report })
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
    const { override } = settings
    if (!isObject(override) || Object.hasOwn(override, '$ref')) continue
    if (schema === ProviderSettings) reportProviderOverride(override, `${place}.override`, report)
    else if (channelNames.has(name)) reportChannelOverride(name, override, `${place}.override`, report)
  }
}

/** Reports fields that have no effect as they are written. `isFilledIn`: whether a value replaces the text before the send. */
export function reportIgnored(
  { delay, to, content, template }: JsonObject,
  at: string,
  report: Report,
  isFilledIn: (text: string) => boolean = () => false,
): void {
  if (isObject(delay)) reportIgnoredDelay(delay, `${at}.delay`, report)
  if (content && template) report(() => `${at}.template is ignored beside \`content\`.`)
  if (Array.isArray(to)) reportRecipients(to, (index) => `${at}.to.${index}`, report, isFilledIn)
  else reportRecipients([to], () => `${at}.to`, report, isFilledIn)
}

/** `placeOf`: the path of a recipient. */
export function reportRecipients(
  recipients: readonly unknown[],
  placeOf: (index: number) => string,
  report: Report,
  isFilledIn: (text: string) => boolean = () => false,
): void {
  let compared = 0
  for (let index = 0; index < recipients.length; index += 1) {
    const recipient = recipients[index]
    if (!isObject(recipient)) continue
    const keys = profileKeys(recipient)
    const isIgnored = typeof recipient.data === 'string' && !isFilledIn(recipient.data)
    const { preferences, context } = recipient
    if (keys.length === 0 && !isIgnored && !preferences && !context) continue
    const place = placeOf(index)
    if (preferences) checkPart('preferences', recipient, place, report)
    if (context) checkPart('context', recipient, place, report)
    reportMisspelled(keys.slice(0, KEYS_COMPARED_MAX - compared), recipient, place, report)
    compared += keys.length
    if (isIgnored) report(() => `${place}.data is ignored: it is a string, not an object.`)
  }
}

function checkPart(name: 'preferences' | 'context', recipient: JsonObject, at: string, report: Report): void {
  const part = recipient[name]
  if (!isObject(part) || Object.hasOwn(part, '$ref')) return
  checkFieldNames(MessageRecipient.properties[name], part, { at: `${at}.${name}`, what: name, report })
}

/** Names and addresses of a recipient. Any other key is profile data: only one that is an absent name with a typing mistake is reported. */
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
/** Names that other APIs have for a field of a recipient. */
const FOREIGN_NAMES: Readonly<Record<string, string>> = { id: 'user_id', phone: 'phone_number' }

/** Programs send the same keys with every message. */
const isLikeShortName = memo(
  KEYS_REMEMBERED_MAX,
  (key) => Object.hasOwn(FOREIGN_NAMES, key) || typedName(key, NAMES) !== undefined,
)
const isLikeName = (key: string) => key.length <= KEY_CHARACTERS_MAX && isLikeShortName(key)

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

const profileKeys = (recipient: JsonObject) =>
  Object.keys(recipient).filter((key) => isGiven(recipient[key]) && !Object.hasOwn(MessageRecipient.properties, key))

function reportMisspelled(keys: readonly string[], recipient: JsonObject, at: string, report: Report): void {
  // A name is a string or a number: an object is profile data.
  const similar = keys.filter((key) => isLikeName(key) && typeof recipient[key] !== 'object')
  if (similar.length === 0) return
  const absent = absentNames(recipient)
  const meant = new Map(similar.map((key) => [key, typedName(key, absent)]))
  const near = (key: string) => meant.get(key) ?? foreignName(key, recipient, [...meant.values()])
  for (const key of similar) {
    const name = near(key)
    if (name !== undefined) report(() => `Unknown field ${quoted(key)} at ${at}. Did you mean ${quoted(name)}?`)
  }
}

const TENANT_NAMES = ['tenant_id', 'account_id']

/** A tenant has several names. */
function absentNames(recipient: JsonObject): string[] {
  const { context } = recipient
  const isAbsent = (name: string) => !isGiven(recipient[name])
  const hasTenant = !TENANT_NAMES.every(isAbsent) || (isObject(context) && isGiven(context.tenant_id))
  return NAMES.filter((name) => isAbsent(name) && !(hasTenant && TENANT_NAMES.includes(name)))
}

const LIST_NAMES = ['list_id', 'list_pattern', 'audience_id']
const RECIPIENT_NAMES = ['user_id', ...LIST_NAMES]
/** The keys of all providers; a list has addresses by its members. */
const ADDRESS_NAMES = [...LIST_NAMES, ...[...catalog.values()].flatMap((provider) => provider.profileKeys)]

/** Only where nothing else names the user, or has an address: `others` are the names that other keys mean. */
function foreignName(key: string, recipient: JsonObject, others: readonly unknown[]): string | undefined {
  const name = FOREIGN_NAMES[key]
  if (name === undefined) return undefined
  const alternatives = name === 'user_id' ? RECIPIENT_NAMES : ADDRESS_NAMES
  return alternatives.some((other) => isGiven(recipient[other]) || others.includes(other)) ? undefined : name
}

export function reportIgnoredDelay({ duration, until }: JsonObject, at: string, report: Report): void {
  if (duration && until) report(() => `${at}.duration is ignored beside \`until\`.`)
}
