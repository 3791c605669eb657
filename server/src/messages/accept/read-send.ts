/** The two generations of the send body, read into what the pipeline stores: absent parts absent, one word per thing. */
import { delayMsMax, MessageSend, type MessageTimeout, type SendBody } from '@postrider/contract'
import { type CallerError, invalidField, invalidRequest } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import { misspelledField } from '../../base/schema/check.ts'
import { durationEnd } from '../../base/time/calendar-duration.ts'
import { isDay, parseTimestamp, toTimestamp } from '../../base/time/clock.ts'
import { MINUTE } from '../../base/time/duration.ts'
import { localTimestamp, nextOpening, zoneOf } from '../../base/time/opening-hours.ts'
import { OpeningHoursInvalid } from '../../base/time/opening-rules.ts'
import { readRouting } from '../decide/read-routing.ts'
import { criteria, type Expiry, type Marks, type SendInput, type SharedInput, type Timeouts } from '../send.ts'

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
  if (!template && !content) throw withoutContent(message)
  const routes = readRouting(message, 'message.')
  const tenantId = message.context?.tenant_id
  const timeouts = message.timeout ?? message.timeouts
  const expiry = message.expiry ? expiryOf(message.expiry) : undefined
  const remembered = rememberedOf(metadata)
  const shared: SharedInput = {
    event: template ?? '',
    ...(template && !content && { template }),
    ...(content && { content }),
    ...(message.data && { data: message.data }),
    ...(routes.override && { override: routes.override }),
    ...(message.brand_id && { brand: message.brand_id }),
    ...(routes.routing && { routing: routes.routing }),
    ...(routes.channels && { channels: routes.channels }),
    ...(routes.providers && { providers: routes.providers }),
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

/** Begins with the sentence of the public API. */
function withoutContent(message: MessageSend): CallerError {
  const isKnown = (name: string) => Object.hasOwn(MessageSend.properties, name)
  const misspelling = misspelledField(message, isKnown, ['content', 'template'])
  return invalidRequest(`Invalid Request. Either 'content' or 'template' must be defined.${misspelling}`, {
    code: 'missing_field',
    param: 'message.template',
  })
}

const isPresent = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined

/** `until` beats `duration`, which ends with a whole minute, as in the public API. Throws a 400. */
export function readDelay(delay: SendBody['delay'], now: number, at = 'delay'): Timing {
  if (!delay) return {}
  const { duration, until: text, timezone } = delay
  if (!isPresent(text)) return duration ? { notBefore: Math.ceil((now + duration) / MINUTE) * MINUTE } : {}
  const zone = timezone ?? undefined
  const reading = readUntil(text, zone)
  if (reading.kind === 'hours') return { openingHours: hoursOf(reading.rule, zone, now, at) }
  const day = text.trim()
  if (!isDay(day)) throw invalidUntil(`is not a timestamp: the day ${quoted(day.slice(0, 10))} does not exist`, at)
  const until = reading.time
  if (Number.isNaN(until)) throw invalidUntil('must be an ISO 8601 timestamp or opening hours', at)
  if (until > now + delayMsMax) throw invalidUntil('must be at most two years ahead', at)
  return until > now ? { notBefore: until } : {}
}

/** `at` is the path of the delay. */
const invalidUntil = (rule: string, at: string, cause?: unknown) => invalidField(`${at}.until`, rule, cause)

type Until = { kind: 'hours'; rule: string } | { kind: 'time'; time: number; isLocal: boolean }

/** A time of day without a zone of its own is in the zone beside it; NaN where it is none. */
export function readUntil(text: string, timezone: string | undefined): Until {
  const rule = text.trim()
  if (!/^\d{4}-\d{2}-\d{2}/.test(rule)) return { kind: 'hours', rule }
  const isLocal = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(rule) && !Number.isNaN(Date.parse(rule))
  const time = timezone && isLocal ? localTimestamp(rule, zoneOf([timezone])) : parseTimestamp(rule)
  return { kind: 'time', time, isLocal }
}

function hoursOf(rule: string, timezone: string | undefined, now: number, at: string) {
  try {
    if (nextOpening(rule, zoneOf([timezone]), now) === undefined)
      throw new OpeningHoursInvalid(`\`${rule}\` does not open within two years`)
  } catch (error) {
    if (error instanceof OpeningHoursInvalid)
      throw invalidUntil(
        `must be an ISO 8601 timestamp such as \`2026-04-08T08:00:00Z\`, or opening hours: ${error.message}`,
        at,
        error,
      )
    throw error
  }
  return { rule, ...(timezone && { timezone }) }
}

function timeoutsOf({ message, channel, provider, escalation, criteria: criterion }: MessageTimeout): Timeouts {
  const knownCriterion = criteria.find((name) => name === criterion)
  return {
    ...(typeof message === 'number' && { messageMs: message }),
    ...(channel !== undefined && channel !== null && { channelMs: channel }),
    ...(provider !== undefined && provider !== null && { providerMs: provider }),
    ...(typeof escalation === 'number' && { escalationMs: escalation }),
    ...(knownCriterion && { criterion: knownCriterion }),
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
