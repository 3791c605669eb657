/** The fields in a message of a step: one that is none stands for nothing when it is sent, and no value becomes part of a condition. */
import { ChannelRoute, ChannelSettings, MessageRouting, MessageSend, ProviderSettings } from '@postrider/contract'
import { Type } from 'typebox'
import { invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import { checkFieldNames, shown } from './unknown-fields.ts'
import { referencesIn } from './values.ts'

/** Recipients have keys of any provider, content and data are looked at elsewhere. */
const { to, content, data, channels: byChannel, providers: byProvider, ...looked } = MessageSend.properties
const open = Type.Unsafe<unknown>({})
const Message = Type.Object({ ...looked, to: open, content: open, data: open, channels: open, providers: open })

/** Public samples have `config` beside a channel of the routing. */
const Entry = Type.Object({ ...ChannelRoute.properties, config: open })

/** Throws a 400 that names the place. */
export function checkMessageFields(message: JsonObject, at: string): void {
  checkFieldNames(Message, message, at, 'a message')
  if (isObject(message.routing)) checkRouting(message.routing, `${at}.routing`)
  checkSettings(message.channels, `${at}.channels`, ChannelSettings, 'a channel')
  checkSettings(message.providers, `${at}.providers`, ProviderSettings, 'a provider')
}

function checkRouting(routing: JsonObject, at: string): void {
  if (!Array.isArray(routing.channels)) return
  for (const [index, entry] of routing.channels.entries()) {
    const place = `${at}.channels.${index}`
    if (!isObject(entry) || Object.hasOwn(entry, '$ref')) continue
    const isGroup = entry.channels !== undefined
    checkFieldNames(isGroup ? MessageRouting : Entry, entry, place, isGroup ? 'a group' : 'an entry')
    if (isGroup) checkRouting(entry, place)
    else checkCondition(entry.if, place)
  }
}

function checkSettings(
  byName: unknown,
  at: string,
  schema: typeof ChannelSettings | typeof ProviderSettings,
  what: string,
): void {
  if (!isObject(byName) || Object.hasOwn(byName, '$ref')) return
  for (const [name, settings] of Object.entries(byName)) {
    if (!isObject(settings)) continue
    const place = `${at}.${shown(name)}`
    checkFieldNames(schema, settings, place, what)
    checkCondition(settings.if, place)
  }
}

/** What was filled in would be read as part of the expression. */
function checkCondition(condition: unknown, at: string): void {
  if (referencesIn(condition).length > 0)
    throw invalidRequest(`${at}.if cannot be filled in: a condition reads \`data.…\` and \`profile.…\` itself`)
}
