/** The two generations of the send body, read into what the pipeline stores: absent parts absent, one word per thing. */
import {
  delayDurationMsMax,
  type MessageRouting,
  type MessageSend,
  type MessageTimeout,
  routingChannelsMax,
  routingDepthMax,
  type SendBody,
} from '@postrider/contract'
import { invalidField, invalidRequest } from '../../base/errors.ts'
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import { parseTimestamp, toTimestamp } from '../../base/time/clock.ts'
import { durationEnd, MINUTE, SECOND } from '../../base/time/duration.ts'
import { localTimestamp, nextOpening, OpeningHoursInvalid, zoneOf } from '../../base/time/opening-hours.ts'
import { checkedCondition } from '../decide/condition.ts'
import type { Routing, RoutingEntry } from '../facts.ts'
import {
  type ChannelSettings,
  criteria,
  type Expiry,
  type Marks,
  type ProviderSettings,
  type SendInput,
  type SharedInput,
  type Timeouts,
} from '../send.ts'

const rememberedOf = (metadata: MessageSend['metadata']): JsonObject | undefined =>
  metadata?.event || metadata?.utm
    ? { ...(metadata.event && { event: metadata.event }), ...(metadata.utm && { utm: metadata.utm }) }
    : undefined

/** When a message may be sent: from a time, or within opening hours. */
export interface Timing {
  notBefore?: number
  openingHours?: { rule: string; timezone?: string }
}

export function readSend(body: SendBody): SendInput {
  const { recipient, profile } = body
  const input: SendInput = Object.assign(readShared(body), { recipient: String(recipient) })
  if (profile) input.profile = profile
  return input
}

export function readShared({ event, data, brand, override, preferences }: Omit<SendBody, 'recipient'>): SharedInput {
  return {
    event,
    ...(data ? { data } : {}),
    ...(override ? { override } : {}),
    ...(preferences ? { preferences } : {}),
    ...(brand ? { brand } : {}),
  }
}

/** The part of a message that all its recipients share. Throws a 400. */
export function readMessage(message: MessageSend): { shared: SharedInput; marks: Marks } {
  const { template, content, metadata, preferences } = message
  if (!template && !content)
    throw invalidRequest("Invalid Request. Either 'content' or 'template' must be defined.", {
      code: 'missing_field',
      param: 'message.template',
    })
  const override = overrideOf(message)
  const tenantId = message.context?.tenant_id
  const timeouts = message.timeout ?? message.timeouts
  const expiry = message.expiry ? expiryOf(message.expiry) : undefined
  const remembered = rememberedOf(metadata)
  const shared: SharedInput = {
    event: template ?? '',
    ...(template && !content && { template }),
    ...(content && { content }),
    ...(message.data && { data: message.data }),
    ...(override && { override }),
    ...(message.brand_id && { brand: message.brand_id }),
    ...(message.routing && routingOf(message.routing)),
    ...(message.channels && { channels: mapped(message.channels, channelSettings) }),
    ...(message.providers && { providers: mapped(message.providers, providerSettings) }),
    ...(timeouts && { timeouts: timeoutsOf(timeouts) }),
    ...(preferences?.subscription_topic_id && { topic: preferences.subscription_topic_id }),
    ...(tenantId && { tenantId }),
    ...(expiry && { expiry }),
    ...(remembered && { metadata: remembered }),
  }
  const marks: Marks = {
    ...(metadata?.tags?.length && { tags: metadata.tags }),
    ...(metadata?.trace_id && { traceId: metadata.trace_id }),
  }
  return { shared, marks }
}

const isPresent = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined

/** `until` beats `duration`, which ends with a whole minute, as in the public API. Throws a 400. */
export function readDelay(delay: SendBody['delay'], now: number, at = 'delay'): Timing {
  if (!delay) return {}
  const { duration, until: text, timezone } = delay
  if (!isPresent(text)) return duration ? { notBefore: Math.ceil((now + duration) / MINUTE) * MINUTE } : {}
  const rule = text.trim()
  const zone = timezone ?? undefined
  if (!/^\d{4}-\d{2}-\d{2}/.test(rule)) return { openingHours: hoursOf(rule, zone, now, at) }
  const until = timeIn(rule, zone)
  if (Number.isNaN(until)) throw invalidUntil('must be an ISO 8601 timestamp or opening hours', at)
  if (until > now + delayDurationMsMax) throw invalidUntil('must be at most 90 days ahead', at)
  return until > now ? { notBefore: until } : {}
}

/** `at` is the path of the delay. */
const invalidUntil = (rule: string, at: string, cause?: unknown) => invalidField(`${at}.until`, rule, cause)

/** A time of day without a zone of its own is in the zone beside it. */
function timeIn(text: string, timezone: string | undefined): number {
  const isLocal = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(text) && !Number.isNaN(Date.parse(text))
  return timezone && isLocal ? localTimestamp(text, zoneOf([timezone])) : parseTimestamp(text)
}

function hoursOf(rule: string, timezone: string | undefined, now: number, at: string) {
  try {
    if (nextOpening(rule, zoneOf([timezone]), now) === undefined)
      throw new OpeningHoursInvalid(`\`${rule}\` does not open within 90 days`)
  } catch (error) {
    if (error instanceof OpeningHoursInvalid)
      throw invalidUntil(`must be an ISO 8601 timestamp or opening hours: ${error.message}`, at, error)
    throw error
  }
  return { rule, ...(timezone && { timezone }) }
}

/** Where both are used, the override of a provider is merged over the one of its channel. */
function overrideOf({ channels, providers }: MessageSend): JsonObject | undefined {
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

function channelSettings(settings: Entry<MessageSend['channels']>, name: string): ChannelSettings {
  const given = settings.timeouts ?? settings.timeout
  const timeouts = typeof given === 'number' ? { channel: given } : given
  return {
    ...(settings.brand_id && { brand: settings.brand_id }),
    ...(settings.providers && { providers: settings.providers }),
    ...(settings.routing_method && { method: settings.routing_method }),
    ...(settings.if && { condition: checkedCondition(settings.if, `message.channels.${name}.if`) }),
    ...(typeof timeouts?.channel === 'number' && { channelMs: timeouts.channel }),
    ...(typeof timeouts?.provider === 'number' && { providerMs: timeouts.provider }),
    ...(settings.metadata?.utm && { utm: settings.metadata.utm }),
  }
}

function providerSettings(settings: Entry<MessageSend['providers']>, name: string): ProviderSettings {
  const { if: condition, timeouts, timeout, metadata } = settings
  // The older name was in seconds; a time for a provider is between a second and a quarter of an hour.
  const seconds = typeof timeout === 'number' && timeout < 1_000 ? timeout * SECOND : timeout
  const providerMs = timeouts ?? seconds
  return {
    ...(condition && { condition: checkedCondition(condition, `message.providers.${name}.if`) }),
    ...(typeof providerMs === 'number' && { providerMs }),
    ...(metadata?.utm && { utm: metadata.utm }),
  }
}

function timeoutsOf({ message, channel, provider, escalation, criteria: criterion }: MessageTimeout): Timeouts {
  const known = criteria.find((name) => name === criterion)
  return {
    ...(typeof message === 'number' && { messageMs: message }),
    ...(channel !== undefined && channel !== null && { channelMs: channel }),
    ...(provider !== undefined && provider !== null && { providerMs: provider }),
    ...(typeof escalation === 'number' && { escalationMs: escalation }),
    ...(known && { criterion: known }),
  }
}

function expiryOf({ expires_at: at, expires_in: length }: NonNullable<MessageSend['expiry']>): Expiry {
  return {
    ...(isPresent(at) && { at: endOf(at) }),
    ...(isPresent(length) && { inMs: lengthOf(length) }),
  }
}

/** Milliseconds of 15 digits, as of a length of time; every one of them is a date. */
const TIMESTAMP_END = 1e15

function endOf(value: string | number): number {
  // `-1` is a year to a lenient parser.
  const time = String(value).startsWith('-') ? Number.NaN : toTimestamp(value)
  if (!(time >= 0 && time < TIMESTAMP_END))
    throw invalidField('message.expiry.expires_at', 'must be ISO 8601 or milliseconds since the Unix epoch')
  return time
}

function lengthOf(value: string | number): number {
  // How long a month is depends on when it begins: this one is as good as any.
  const length = /^\d{1,15}$/.test(String(value)) ? Number(value) : durationEnd(String(value), 0)
  if (length === undefined)
    throw invalidField('message.expiry.expires_in', 'must be milliseconds or an ISO 8601 duration')
  return length
}

/** Without channels those of the notification are used, by the method that is given; nothing given is no routing. */
function routingOf({ method, channels }: MessageRouting): Pick<SharedInput, 'routing'> {
  if (channels?.length) return { routing: readRouting({ method, channels }) }
  return method ? { routing: { method, channels: [] } } : {}
}

/** Throws a 400. */
function readRouting(routing: JsonObject, depth = 0): Routing {
  const { method, channels } = routing
  if (depth >= routingDepthMax) throw invalidField('message.routing', `nests deeper than ${routingDepthMax} groups`)
  if (!Array.isArray(channels) || channels.length > routingChannelsMax)
    throw invalidField('message.routing.channels', `must be an array of at most ${routingChannelsMax} entries`)
  return { method: method === 'all' ? 'all' : 'single', channels: channels.map((entry) => routingEntry(entry, depth)) }
}

function routingEntry(entry: unknown, depth: number): RoutingEntry {
  if (typeof entry === 'string' && entry !== '') return entry
  if (!isObject(entry)) throw invalidField('message.routing.channels', 'must hold names, channels and groups')
  if (typeof entry.channel !== 'string') return readRouting(entry, depth + 1)
  const { channel, method, providers, if: condition } = entry
  return {
    channel,
    ...((method === 'all' || method === 'single') && { method }),
    ...(Array.isArray(providers) && { providers: providers.map(String) }),
    ...(typeof condition === 'string' &&
      condition !== '' && {
        condition: checkedCondition(condition, `message.routing: the if of ${channel}`, 'message.routing.channels'),
      }),
  }
}
