/** The meaning of an HTTP reply or a failure for a delivery, the same for all providers unless one refines it. */
import { STATUS_CODES } from 'node:http'
import type { CopiesMail, Failure, FailureKind, HttpReply, Reply } from '../base/exchange.ts'
import { MASK } from '../base/secret.ts'
import { DAY, SECOND } from '../base/time/duration.ts'

/** How one attempt ended; each kind leads to exactly one act in `messages/deliver/failover.ts`. */
export type Outcome =
  | {
      kind: 'sent'
      /** The provider's own id, shown in `providers[].reference`. */
      reference: Record<string, string>
      /** True where acceptance is delivery (mailbox, inbox, webhook, chat). */
      delivered: boolean
      /** Parts of the message that did not leave: copies. */
      findings?: readonly string[]
      /** The mail for copies that were refused for now: they are tried again. */
      deferred?: CopiesMail
    }
  | {
      kind: 'retry'
      error: string
      /** The pause that the provider requires, by `Retry-After` or in its own format. */
      retryAfterMs?: number
      /** A 429 postpones without using up an attempt. */
      attempted: boolean
    }
  | {
      kind: 'rejected'
      error: string
      scope: Scope
      /** The address of the attempt (`to`) will never work again; only with the scope `recipient`. */
      gone?: Gone
      /** Since when, milliseconds since the epoch: a token that was registered later is a new one. */
      goneAt?: number
    }
  | { kind: 'in_doubt'; error: string }

/**
 * The cause of a rejection. `recipient`: the address is bad, the next channel may work. `configuration`: this
 * integration cannot send, the next one may. `content`: the provider refuses the content.
 */
export type Scope = 'recipient' | 'configuration' | 'content'

/**
 * Why an address is gone for good; it is added to the list of suppressed addresses. `hard_bounce`: the mailbox or its
 * domain does not exist. `invalid_address`: the number or device token is not in use. `unsubscribed`: the recipient
 * opted out at the provider. Absent for policy, reputation and full mailboxes, and where an override has replaced the address.
 */
export type Gone = 'hard_bounce' | 'invalid_address' | 'unsubscribed'

export type Rejected = Extract<Outcome, { kind: 'rejected' }>
export type FailedOutcome = Exclude<Outcome, { kind: 'sent' }>

/** The additions of an adapter to the meaning of a status. */
export interface StatusMeaning {
  /** The provider's error message in the parsed body, or in the text of a body that is not JSON. */
  explain?: (body: unknown) => string | undefined
  /** The meaning of 404 and 410: the recipient does not exist any more, or (by default) the integration points nowhere. */
  missing?: Scope
  /** The source of credentials and address of the request: `recipient` is the profile, `content` an override. */
  owner?: Scope
  /** False for a request that hands nothing over, and therefore cannot leave anything in doubt. */
  final?: boolean
  /** Values to mask in an error; a function where gathering them costs time, because most replies are successes. */
  secrets?: Secrets | (() => Secrets)
}

type Secrets = readonly (string | undefined)[]

const secretsOf = ({ secrets }: Pick<StatusMeaning, 'secrets'>): Secrets | undefined =>
  typeof secrets === 'function' ? secrets() : secrets

/** Undefined for a 2xx, whose meaning the adapter decides. */
export function byStatus(reply: Reply, now: number, meaning: StatusMeaning = {}): FailedOutcome | undefined {
  if (reply.kind === 'failure') return byFailure(reply, meaning)
  if (reply.kind !== 'http') throw new TypeError(`An HTTP request was answered by a ${reply.kind} reply`)
  if (reply.status >= 200 && reply.status < 300) return undefined
  const error = statusText(reply, meaning)
  const wait = retryAfterMs(reply, now)
  const after = wait === undefined ? {} : { retryAfterMs: wait }
  if (reply.status === 429) return { kind: 'retry', error, attempted: false, ...after }
  if (reply.status === 408 || reply.status === 425 || reply.status >= 500)
    return { kind: 'retry', error, attempted: true, ...after }
  return { kind: 'rejected', error, scope: scopeOf(reply.status, meaning) }
}

function scopeOf(status: number, meaning: StatusMeaning): Scope {
  const owner = meaning.owner ?? 'configuration'
  if (status === 404 || status === 410) return meaning.missing ?? owner
  // Redirects are never followed: the configured address is not the real one. 402: the account is not paid for.
  if (status < 400 || [401, 402, 403, 405, 407].includes(status)) return owner
  return 'content'
}

/** Trying again does not help: the address, the request or the required encryption has to change. */
const OF_SETTINGS: ReadonlySet<FailureKind> = new Set(['address_refused', 'invalid_request', 'unencrypted'])

function byFailure(failure: Failure, meaning: StatusMeaning): FailedOutcome {
  const error = tidy(`${failure.failure}: ${failure.message}`, secretsOf(meaning))
  if (OF_SETTINGS.has(failure.failure)) return { kind: 'rejected', error, scope: meaning.owner ?? 'configuration' }
  // Another integration may be able to, so neither the address nor the settings are at fault.
  if (failure.failure === 'unsupported') return { kind: 'rejected', error, scope: 'content' }
  if (failure.reached && meaning.final !== false) return { kind: 'in_doubt', error }
  return { kind: 'retry', error, attempted: true }
}

/** `400 Bad Request: the provider's error message`. */
export function statusText(reply: HttpReply, meaning: Pick<StatusMeaning, 'explain' | 'secrets'> = {}): string {
  const status = [reply.status, STATUS_CODES[reply.status]].filter(Boolean).join(' ')
  const message = meaning.explain?.(parseBody(reply))
  return tidy(message ? `${status}: ${message}` : status, secretsOf(meaning))
}

/** The JSON of a reply, or its text as it came. */
export function parseBody(reply: HttpReply): unknown {
  try {
    return JSON.parse(reply.body)
  } catch {
    return reply.body
  }
}

// Long enough for a provider's sentence, short enough for a history row.
const ERROR_LENGTH_MAX = 500

/** One line with secrets masked. They are masked before the cut, so that no half of one is left. */
export function tidy(text: string, secrets: Secrets = []): string {
  let line = text
  for (const secret of secrets) if (secret) line = line.replaceAll(secret, MASK)
  line = line.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length > ERROR_LENGTH_MAX
    ? `${line.slice(0, ERROR_LENGTH_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
    : line
}

export const rejected = (scope: Scope, error: string): Rejected => ({
  kind: 'rejected',
  scope,
  error: tidy(error),
})

/** The provider says that the address of the attempt is gone for good. */
export const addressGone = (gone: Gone, error: string, goneAt?: number): Rejected => ({
  ...rejected('recipient', error),
  gone,
  ...(goneAt !== undefined && { goneAt }),
})

/** The three date forms of RFC 9110 §5.6.7 all begin with a day's name; other texts are not dates. */
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? /

export function retryAfterMs(reply: HttpReply, now: number): number | undefined {
  const text = reply.headers['retry-after']?.trim()
  if (!text) return undefined
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return clamp(Number(text) * SECOND)
  const until = httpDate(text)
  if (until === undefined) return undefined
  // Both dates come from the provider's clock, so that its difference from ours cancels out.
  return clamp(until - (httpDate(reply.headers.date?.trim() ?? '') ?? now))
}

/** The pause of a body or a header in (fractions of) seconds, where a provider has a dialect of its own. */
export function pauseMs(seconds: unknown): number | undefined {
  const value = typeof seconds === 'string' && /^\d/.test(seconds) ? Number(seconds) : seconds
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? clamp(value * SECOND) : undefined
}

function httpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined
  // The asctime form names no zone and means GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : at
}

const clamp = (ms: number) => Math.round(Math.min(DAY, Math.max(SECOND, ms)))
