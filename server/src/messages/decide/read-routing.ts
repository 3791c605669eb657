/** Routing, channels and providers of a send or of a stored strategy, read into what routes go by; a strategy beneath a send. */
import { type MessageRouting, type MessageSend, routingChannelsMax, routingDepthMax } from '@postrider/contract'
import { invalidField } from '../../base/errors.ts'
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import { SECOND } from '../../base/time/duration.ts'
import type {
  ChannelSettings,
  Notification,
  ProviderSettings,
  Routing,
  RoutingEntry,
  RoutingStrategy,
} from '../facts.ts'
import type { SendInput, SharedInput } from '../send.ts'
import { checkedCondition } from './condition.ts'

type RoutingFields = Pick<MessageSend, 'routing' | 'channels' | 'providers'>
export type RoutingInput = Pick<SharedInput, 'routing' | 'channels' | 'providers' | 'override'>

/** `at` begins the paths of errors. Throws a 400. */
export function readRouting(fields: RoutingFields, at: string): RoutingInput {
  const { routing, channels, providers } = fields
  const read = routing ? routingOf(routing, `${at}routing`) : undefined
  const override = overrideOf(fields)
  return {
    ...(read && { routing: read }),
    ...(override && { override }),
    ...(channels && {
      channels: mapped(channels, (settings, name) => channelSettings(settings, `${at}channels.${name}`)),
    }),
    ...(providers && {
      providers: mapped(providers, (settings, name) => providerSettings(settings, `${at}providers.${name}`)),
    }),
  }
}

/** Where both are used, the override of a provider is merged over the one of its channel. */
function overrideOf({ channels, providers }: RoutingFields): JsonObject | undefined {
  const byChannel = mapped(channels ?? {}, (settings) => settings.override ?? undefined)
  const byProvider = mapped(providers ?? {}, (settings) => settings.override ?? undefined)
  const override = merge(Object.keys(byChannel).length > 0 ? { channel: byChannel } : {}, byProvider)
  return Object.keys(override).length > 0 ? override : undefined
}

function mapped<From, To>(
  map: Record<string, From | null>,
  make: (from: From, name: string) => To | undefined,
): Record<string, To> {
  const entries = Object.entries(map).flatMap(([name, value]) => {
    const made = value === null ? undefined : make(value, name)
    return made === undefined ? [] : [[name, made] as const]
  })
  return Object.fromEntries(entries)
}

type Entry<Map> = NonNullable<Map> extends Record<string, infer Value> ? NonNullable<Value> : never

function channelSettings(settings: Entry<MessageSend['channels']>, at: string): ChannelSettings {
  const timeout = settings.timeouts ?? settings.timeout
  const timeouts = typeof timeout === 'number' ? { channel: timeout } : timeout
  return {
    ...(settings.brand_id && { brand: settings.brand_id }),
    ...(settings.providers && { providers: settings.providers }),
    ...(settings.routing_method && { method: settings.routing_method }),
    ...(settings.if && { condition: checkedCondition(settings.if, `${at}.if`) }),
    ...(typeof timeouts?.channel === 'number' && { channelMs: timeouts.channel }),
    ...(typeof timeouts?.provider === 'number' && { providerMs: timeouts.provider }),
    ...(settings.metadata?.utm && { utm: settings.metadata.utm }),
  }
}

function providerSettings(settings: Entry<MessageSend['providers']>, at: string): ProviderSettings {
  const { if: condition, timeouts, timeout, metadata } = settings
  // The older name was in seconds; a time for a provider is between a second and a quarter of an hour.
  const seconds = typeof timeout === 'number' && timeout < 1_000 ? timeout * SECOND : timeout
  const providerMs = timeouts ?? seconds
  return {
    ...(condition && { condition: checkedCondition(condition, `${at}.if`) }),
    ...(typeof providerMs === 'number' && { providerMs }),
    ...(metadata?.utm && { utm: metadata.utm }),
  }
}

/** Without channels those of the notification are used, by the method that is given; nothing given is no routing. */
function routingOf({ method, channels }: MessageRouting, at: string): Routing | undefined {
  if (channels?.length) return readGroup({ method, channels }, at)
  return method ? { method, channels: [] } : undefined
}

/** Throws a 400. */
function readGroup(routing: JsonObject, at: string, depth = 0): Routing {
  const { method, channels } = routing
  if (depth >= routingDepthMax) throw invalidField(at, `nests deeper than ${routingDepthMax} groups`)
  if (!Array.isArray(channels) || channels.length > routingChannelsMax)
    throw invalidField(`${at}.channels`, `must be an array of at most ${routingChannelsMax} entries`)
  return {
    method: method === 'all' ? 'all' : 'single',
    channels: channels.map((entry) => routingEntry(entry, at, depth)),
  }
}

function routingEntry(entry: unknown, at: string, depth: number): RoutingEntry {
  if (typeof entry === 'string' && entry !== '') return entry
  if (!isObject(entry)) throw invalidField(`${at}.channels`, 'must hold names, channels and groups')
  if (typeof entry.channel !== 'string') return readGroup(entry, at, depth + 1)
  const { channel, method, providers, if: condition } = entry
  return {
    channel,
    ...((method === 'all' || method === 'single') && { method }),
    ...(Array.isArray(providers) && { providers: providers.map(String) }),
    ...(typeof condition === 'string' &&
      condition !== '' && {
        condition: checkedCondition(condition, `${at}: the if of ${channel}`, `${at}.channels`),
      }),
  }
}

/** The strategy that a version names; `document` is as it is stored, undefined where there is none. */
export function withStrategy(
  notification: Notification,
  id: string,
  strategy: { name: string; document: JsonObject } | undefined,
): Notification {
  if (!strategy) return { ...notification, strategy: { id, settings: {} } }
  const { routing, ...settings } = readRouting(strategy.document, '')
  const isDefault = !routing || routing.channels.length === 0
  return {
    ...notification,
    routing: isDefault ? undefined : routing,
    strategy: { id, name: strategy.name, settings },
  }
}

/** A send with channels of its own goes by them alone. */
export const appliedStrategy = (
  { routing }: Pick<SendInput, 'routing'>,
  notification: Pick<Notification, 'strategy'> | undefined,
): RoutingStrategy | undefined => (routing && routing.channels.length > 0 ? undefined : notification?.strategy)

/** The same input where no strategy has settings. */
export function withSettings(input: SendInput, notification: Notification | undefined): SendInput {
  if (!notification?.strategy) return input
  const { channels, providers, override } = appliedStrategy(input, notification)?.settings ?? {}
  if (!channels && !providers && !override) return input
  return {
    ...input,
    ...(channels && { channels: beneath(channels, input.channels) }),
    ...(providers && { providers: beneath(providers, input.providers) }),
    ...(override && { override: merge(override, input.override ?? {}) }),
  }
}

/** By name, and in each by field. */
function beneath<Settings extends object>(
  below: Readonly<Record<string, Settings>>,
  over: Readonly<Record<string, Settings>> = {},
): Record<string, Settings> {
  const merged = { ...below, ...over }
  return Object.fromEntries(Object.entries(merged).map(([name, settings]) => [name, { ...below[name], ...settings }]))
}
