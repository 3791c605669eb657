/** A send as it is stored and accepted: the input of the caller, its lane, its idempotency key. */
import {
  type Channel,
  type HistoryEvent,
  idempotencyLifetimeMs,
  idempotencyLifetimeMsMax,
  idempotencyLifetimeMsMin,
  type RenderedContent,
} from '@postrider/contract'
import type { Finding } from '../base/finding.ts'
import type { JsonObject } from '../base/json/json.ts'
import { endOfDuration } from '../base/time/calendar-duration.ts'
import { parseTimestamp } from '../base/time/clock.ts'
import { SECOND } from '../base/time/duration.ts'
import type { ChannelSettings, ProviderSettings, Routing } from './facts.ts'

/** Chosen by the key: published templates, drafts, or no provider call at all. */
export type Mode = 'live' | 'draft' | 'mock'

/** Prefix of the ids that recipients without a user get. */
export const ANONYMOUS_PREFIX = 'anon_'

const ANONYMOUS = /^anon_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** True for the id that was made for an address without a user. */
export const isAnonymous = (recipient: string): boolean => ANONYMOUS.test(recipient)

/** The part that all messages of one call share. Absent parts are absent, never null. */
export interface SharedInput {
  /** Empty for inline content without a name. */
  event: string
  /** The notification, where the caller names it and not an event that leads to it. */
  template?: string
  /** Inline content, instead of a notification. */
  content?: JsonObject
  data?: JsonObject
  override?: JsonObject
  brand?: string
  /** Instead of the routing of the notification. */
  routing?: Routing
  channels?: Readonly<Record<string, ChannelSettings>>
  providers?: Readonly<Record<string, ProviderSettings>>
  timeouts?: Timeouts
  /** The topic recipients can opt out of; beats the one of the notification. */
  topic?: string
  tenantId?: string
  /** The message of a digest, which no digest collects. */
  isDigest?: true
  preferences?: JsonObject
  /** Only within these hours; a zone here beats the recipient's. */
  openingHours?: { rule: string; timezone?: string }
  /** Mistakes in the body of the call. */
  findings?: readonly Finding[]
  /** When inboxes stop showing it: at a time, or after a time since it was due. */
  expiry?: Expiry
  /** Campaign parameters, returned as they were sent. */
  metadata?: JsonObject
  /** Data for the recipients of single targets, merged over `data`; by the target's place. */
  targetData?: Readonly<Record<number, JsonObject>>
}

export interface Expiry {
  at?: number
  inMs?: number
}

/** The own part of one of many messages; `data` is merged over the shared data, key by key. */
export interface OwnInput {
  recipient: string
  profile?: JsonObject
  data?: JsonObject
  preferences?: JsonObject
  tenantId?: string
  /** The target it came from, where that has data. */
  target?: number
  /** The locale of the content; it takes precedence over that of the profile. */
  locale?: string
}

/** The input of the caller, as stored. */
export type SendInput = SharedInput & OwnInput

export function completed({ targetData, ...shared }: SharedInput, { target, ...ownInput }: OwnInput): SendInput {
  const ofTarget = target === undefined ? undefined : targetData?.[target]
  const isMore = ofTarget || ownInput.data
  const data = isMore ? { ...shared.data, ...ofTarget, ...ownInput.data } : undefined
  // Both are copies already (base/perf/copy-with.ts).
  return Object.assign(shared, ownInput, data && { data })
}

export const criteria = ['delivered', 'viewed', 'engaged'] as const

export type Criterion = (typeof criteria)[number]

/** Milliseconds. By name, or for all. */
export interface Timeouts {
  messageMs?: number
  channelMs?: number | Readonly<Record<string, number>>
  providerMs?: number | Readonly<Record<string, number>>
  /** How long the criterion is waited for. */
  escalationMs?: number
  criterion?: Criterion
}

/** Columns a message is found by. */
export interface Marks {
  tags?: readonly string[]
  traceId?: string
  tenantId?: string
  requestId?: string
  listId?: string
  listMessageId?: string
  runId?: string
  jobId?: string
}

/** One message to be accepted. */
export interface Send {
  workspaceId: number
  mode: Mode
  input: SendInput
  marks?: Marks
  /** Nothing is sent before this time. */
  notBefore?: number
  idempotency?: Idempotency
  /** How its reply names the message. */
  answers?: 'messageId' | 'requestId'
}

export interface Idempotency {
  /** The operation and what its path names: the same key there is another key. */
  route: string
  key: string
  /** When the stored reply may be forgotten; milliseconds since the epoch. */
  expires: number
  /** A digest of the body, of a step that of its recipients, which distinguishes a repetition from another call. */
  digest?: string
}

export type Accepted =
  | { kind: 'accepted'; messageId: string }
  /** The key was used before: the reply of then, word for word. */
  | { kind: 'replayed'; status: number; reply: string; digest?: string }
  /** The key was used before, and the reply of then cannot be read. */
  | { kind: 'unreadable' }
  /** The same key is in progress. */
  | { kind: 'in_flight' }

export type Canceled = 'canceled' | 'too_late' | 'missing'

export interface MessageOutput {
  channel: Channel
  channelId: string
  renderId: string
  content: RenderedContent
}

export type { HistoryEvent }

/** An expiry that cannot be read counts as absent: it stops no send. */
export function keyExpiry(expiry: unknown, now: number): number {
  const expires = readKeyExpiry(expiry, now) ?? now + idempotencyLifetimeMs
  return Math.min(Math.max(expires, now + idempotencyLifetimeMsMin), now + idempotencyLifetimeMsMax)
}

/** The warning about an expiry that is ignored; `at` names it. */
export const expiryWarning = (at: string) =>
  `${at} is neither a timestamp nor a duration: the key is kept for 25 hours.`

/** A time in ISO 8601, seconds (below 10¹¹) or milliseconds since the epoch; or a duration from now. */
export function readKeyExpiry(expiry: unknown, now: number): number | undefined {
  const text = typeof expiry === 'number' ? String(expiry) : typeof expiry === 'string' ? expiry.trim() : ''
  if (/^\d{1,15}(\.\d+)?$/.test(text)) return Number(text) < 1e11 ? Number(text) * SECOND : Number(text)
  const time = endOfDuration(text, now) ?? parseTimestamp(text)
  return Number.isNaN(time) ? undefined : time
}
