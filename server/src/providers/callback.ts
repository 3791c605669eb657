/** Status callbacks of a provider: the request as an adapter reads it, and the receipts that are in it. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpRequest, Reply } from '../base/exchange.ts'
import { isObject, type JsonObject, jsonTextError } from '../base/json/json.ts'
import { DAY, MINUTE, SECOND } from '../base/time/duration.ts'
import type { Gone } from './outcome.ts'

/** The later fates of a delivery that a provider had accepted. */
export const receiptKinds = [
  'delivered',
  'delayed',
  'bounced',
  'complained',
  'unsubscribed',
  'opened',
  'clicked',
  // The end of one deferred copy; the delivery stays as it is.
  'copy_sent',
  'copy_failed',
] as const
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
  /** The provider does not say which recipient of the mail it is about: with copies, it may be one of them. */
  isOfAnyRecipient?: true
  /** The address of the link that was clicked. */
  url?: string
  /** A program opened or clicked: a proxy that fetches pictures ahead, a scanner that follows links. */
  isAutomated?: boolean
}

export type Keyword = 'stop' | 'start' | 'help'

/** A text message that came in at a number of the integration. */
export interface InboundText {
  /** The provider's id of it. */
  id?: string
  from: string
  /** The number that it was sent to. */
  to?: string
  text: string
  at: number
  /** The provider took the text for it, by a list of its account; it has answered, and keeps to it. */
  keyword?: Keyword
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

export interface PostedMail {
  contentType: string
  body: Buffer
}

/** A callback with this mark has an effect once. */
export interface OnceMark {
  mark: string
  /** The mark is kept for so long. */
  keptMs: number
  /** A digest of what it says: the same may come again, at another integration of the account; else nothing may. */
  content?: string
}

export type CallbackOutcome =
  | {
      kind: 'accepted'
      /** Events that say nothing of a delivery are left out. */
      receipts: readonly Receipt[]
      /** A mail that came in, which may be a bounce. */
      mail?: PostedMail
      texts?: readonly InboundText[]
      /** A text that the provider expects. */
      reply?: string
      once?: readonly OnceMark[]
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

/** A text message in the words of its provider. Undefined where the request has none: it is a receipt. */
export function readInboundText(
  fields: Readonly<Record<'id' | 'from' | 'to' | 'text' | 'at', unknown>>,
  now: number,
  keyword?: Keyword,
): InboundText | undefined {
  const { id, from, to, text } = fields
  if (!isText(from) || typeof text !== 'string') return undefined
  const parties = { ...(isText(id) && { id }), from, ...(isText(to) && { to }) }
  return { ...parties, text, at: readTime(fields.at, now), ...(keyword && { keyword }) }
}

/** For signatures without a time, which could be repeated for ever: an old START would lift a later STOP. */
export const ENDLESS_MS = 365 * DAY

/** `signature`: one that does not cover where a field ends. The same text could come again without its id. */
export function acceptedText(text: InboundText, signature?: string): CallbackOutcome {
  const marks = [
    ...(text.id === undefined ? [] : [`text ${text.id}`]),
    ...(signature === undefined ? [] : [`signature ${signature}`]),
  ]
  return {
    ...{ kind: 'accepted', receipts: [], texts: [text] },
    ...(marks.length > 0 && { once: marks.map((mark) => ({ mark, keptMs: ENDLESS_MS })) }),
  }
}

/** Signatures with a time hold for so long, in either direction. */
export const CALLBACK_TOLERANCE_MS = 5 * MINUTE

const ADDRESS = /^(https?):\/\/(\[[^\]]*\]|[^:/?#]*)(?::(\d*))?(.*)$/is
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * The spellings of an address that a provider may have signed: as it was given, without its port and with it, and with
 * the host in lower case. A proxy, a port of the server, or the provider itself may have changed it, which is why the
 * validators of providers take either: https://github.com/twilio/twilio-python/blob/main/twilio/request_validator.py
 */
export function addressSpellings(url: string): string[] {
  const [, scheme = '', host = '', port, rest = ''] = ADDRESS.exec(url) ?? []
  if (host === '') return [url]
  const withPort = port || DEFAULT_PORTS[scheme.toLowerCase()]
  const spellings = [host, host.toLowerCase()].flatMap((name) => [
    ...(port === undefined ? [] : [`${scheme}://${name}:${port}${rest}`]),
    `${scheme}://${name}${rest}`,
    `${scheme}://${name}:${withPort}${rest}`,
  ])
  return [...new Set([url, ...spellings])]
}

/** Whether one of the spellings is signed; each is tried, so that the time says nothing of which one. */
export const isSignedAddress = (url: string, isSigned: (spelling: string) => boolean): boolean =>
  addressSpellings(url).filter(isSigned).length > 0

/** Equal texts, compared in a time that does not depend on where they differ. */
export function isSameText(actual: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(actual), digest(expected))
}

/** Whether a signature of that time, in seconds since the epoch, no longer holds, or lies ahead. */
export function isExpired(seconds: unknown, now: number, ageMaxMs = CALLBACK_TOLERANCE_MS): boolean {
  const at = Number(seconds) * SECOND
  return !(now - at <= ageMaxMs && at - now <= CALLBACK_TOLERANCE_MS)
}

/** The header for the token, where a provider can send headers. */
const TOKEN_HEADER = 'x-postrider-token'

/**
 * The error of a callback without the token that was entered at a provider that signs nothing: in a header of its own,
 * as a bearer token, or as the password of basic authentication. `setting` is the name of the token.
 */
export function tokenError(
  headers: Readonly<Record<string, string>>,
  token: string | undefined,
  setting: string,
): string | undefined {
  if (!token) return `The integration has no ${setting} to verify callbacks with`
  const tokens = [headers[TOKEN_HEADER], tokenOf(headers.authorization)].filter((text) => text !== undefined)
  if (tokens.length === 0) return `The callback has no token: enter ${setting} at the provider`
  return tokens.some((text) => isSameText(text, token)) ? undefined : 'The token is wrong'
}

function tokenOf(authorization = ''): string | undefined {
  const [, scheme = '', text = ''] = /^(bearer|basic) +(\S+) *$/i.exec(authorization) ?? []
  if (scheme === '' || scheme.toLowerCase() === 'bearer') return text || undefined
  const login = Buffer.from(text, 'base64').toString()
  return login.includes(':') ? login.slice(login.indexOf(':') + 1) : undefined
}

/** A thousand events with thirty fields each stay below these; parsing what they let through takes less than twenty milliseconds. */
const JSON_BOUNDS = { depthMax: 32, valuesMax: 60_000, membersMax: 40_000 }
/** Providers send some thirty. */
const FORM_FIELDS_MAX = 1_000

/** Undefined where it is no JSON, or takes long to parse: some callbacks are read before they can be verified. */
export function readJson(body: Buffer | string): unknown {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (jsonTextError(bytes, JSON_BOUNDS) !== undefined) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** Empty where it has more fields than any provider sends: no signature covers that. */
export function readForm(body: Buffer): URLSearchParams {
  const text = body.toString()
  return new URLSearchParams(text.split('&', FORM_FIELDS_MAX + 1).length > FORM_FIELDS_MAX ? '' : text)
}

/** The events of a callback that has one or a list of them. Undefined where it cannot be read. */
export function readEvents(body: Buffer): JsonObject[] | undefined {
  const events = readJson(body)
  if (events === undefined) return undefined
  return (Array.isArray(events) ? events : [events]).filter(isObject)
}

export const unreadable = refused('The body is not JSON')

/** An event in the words of its provider; fields of another type are left out. */
interface EventFields {
  deliveryId: unknown
  /** Undefined for an event that is no receipt. */
  kind: ReceiptKind | undefined
  at: unknown
  address?: unknown
  error?: unknown
  url?: unknown
  /** A bounce that is permanent. */
  isHard?: boolean
  /** A bounce that is permanent for another reason: the provider keeps a list of those who opted out. */
  gone?: Gone | undefined
  isOfAnyRecipient?: boolean
  isAutomated?: boolean
}

/** Undefined for an event that says nothing of a delivery, or of a mail of another sender. */
export function readReceipt(event: EventFields, now: number): Receipt | undefined {
  const { kind, address, error, url, isHard = false, isOfAnyRecipient = false, isAutomated = false } = event
  const deliveryId = readDeliveryId(event.deliveryId)
  if (deliveryId === undefined || kind === undefined) return undefined
  const isFailure = kind === 'bounced' || kind === 'delayed' || kind === 'complained'
  const gone = event.gone ?? (isHard ? 'hard_bounce' : undefined)
  const isUse = kind === 'opened' || kind === 'clicked'
  return {
    ...{ deliveryId, kind, at: readTime(event.at, now) },
    ...(isText(address) && { address }),
    ...(isOfAnyRecipient && { isOfAnyRecipient: true }),
    ...(isFailure && isText(error) && { error }),
    ...(kind === 'bounced' && gone && { gone }),
    ...(kind === 'clicked' && isText(url) && { url }),
    ...(isUse && isAutomated && { isAutomated: true }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** A delivery id is `<message id>-<number>`. Undefined for any other text: the event is of another sender. */
export function readDeliveryId(value: unknown): string | undefined {
  return typeof value === 'string' && /^1-[0-9a-f]{8}-[0-9a-f]{24}-\d{1,4}$/.test(value) ? value : undefined
}

/** The parameter of a callback address with our id, for providers that echo nothing of a message. */
const DELIVERY = 'delivery'

export const callbackUrlOf = (callbackUrl: string, deliveryId: string) => `${callbackUrl}?${DELIVERY}=${deliveryId}`

export const deliveryIdOf = (url: string) => readDeliveryId(new URL(url).searchParams.get(DELIVERY))

/** Below this a number counts seconds: as milliseconds it would be in 1973. */
const SECONDS_MAX = 100_000_000_000

/** Milliseconds since the epoch from seconds, milliseconds or a date; `now` where it says nothing or lies ahead. */
export function readTime(value: unknown, now: number): number {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  const time = typeof number === 'number' ? number : typeof number === 'string' ? Date.parse(number) : Number.NaN
  if (!Number.isFinite(time) || time <= 0) return now
  return Math.min(Math.round(typeof number === 'number' && time < SECONDS_MAX ? time * SECOND : time), now)
}
