/** Status callbacks of a provider: the request as an adapter reads it, and the receipts that are in it. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpRequest, Reply } from '../base/exchange.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Gone } from './outcome.ts'

/** The later fates of a delivery that a provider had accepted. */
export const receiptKinds = ['delivered', 'bounced', 'complained', 'unsubscribed', 'opened', 'clicked'] as const
export type ReceiptKind = (typeof receiptKinds)[number]

export interface Receipt {
  /** Our id of the delivery, which the provider echoes. */
  deliveryId: string
  kind: ReceiptKind
  /** When it happened, milliseconds since the epoch. */
  at: number
  /** The provider's words for a bounce or a complaint. */
  error?: string
  /** A bounce that is permanent: no later message will reach the address. */
  gone?: Gone
  /** The address of the recipient, as the provider has it: a bounce, a complaint and an opt-out suppress it. */
  address?: string
  /** The address of the link that was clicked. */
  url?: string
  /** A program opened or clicked: a proxy that fetches pictures ahead, a scanner that follows links. */
  isAutomated?: boolean
}

export interface CallbackRequest {
  method: 'GET' | 'POST'
  /** The whole address, as the provider was given it: signatures cover it. */
  url: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: Buffer
  now: number
}

export type CallbackOutcome =
  | {
      kind: 'accepted'
      /** Events that say nothing of a delivery are left out. */
      receipts: readonly Receipt[]
      /** A text that the provider expects. */
      reply?: string
    }
  /** The signature is missing or wrong, or the request cannot be read. Nothing of it is used. */
  | { kind: 'refused'; error: string }

export interface Callbacks<Settings> {
  /** How the provider learns the address, for the guide: a sentence. */
  setup: string
  /** Verifies first, then reads. A reader that needs a certificate, or confirms its address, yields two requests at most. */
  read(request: CallbackRequest, settings: Settings): CallbackOutcome | CallbackReading
}

export type CallbackReading = Generator<HttpRequest, CallbackOutcome, Reply>

export const refused = (error: string): CallbackOutcome => ({ kind: 'refused', error })

export const accepted = (receipts: readonly (Receipt | undefined)[]): CallbackOutcome => ({
  kind: 'accepted',
  receipts: receipts.filter((receipt) => receipt !== undefined),
})

/** Signatures with a time hold for so long, in either direction. */
export const CALLBACK_TOLERANCE_MS = 5 * MINUTE

/** Equal texts, compared in a time that does not depend on where they differ. */
export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** A delivery id is `<message id>-<number>`. Undefined for any other text: the event is of another sender. */
export function readDeliveryId(value: unknown): string | undefined {
  return typeof value === 'string' && /^1-[0-9a-f]{8}-[0-9a-f]{24}-\d{1,4}$/.test(value) ? value : undefined
}

/** The parameter of a callback address with our id, for providers that echo nothing of a message. */
const DELIVERY = 'delivery'

export const callbackUrlOf = (callbackUrl: string, deliveryId: string) => `${callbackUrl}?${DELIVERY}=${deliveryId}`

export const deliveryIdOf = (url: string) => readDeliveryId(new URL(url).searchParams.get(DELIVERY))

/** The JSON of a callback; undefined where it is none. */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** Below this a number counts seconds: as milliseconds it would be in 1973. */
const SECONDS_MAX = 100_000_000_000

/** Milliseconds since the epoch from seconds, milliseconds or a date; `now` where it says nothing or lies ahead. */
export function readTime(value: unknown, now: number): number {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  const time = typeof number === 'number' ? number : typeof number === 'string' ? Date.parse(number) : Number.NaN
  if (!Number.isFinite(time) || time <= 0) return now
  return Math.min(Math.round(typeof number === 'number' && time < SECONDS_MAX ? time * SECOND : time), now)
}
