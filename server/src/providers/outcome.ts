/** What an HTTP reply or a failure means for a delivery, the same for all providers unless one says otherwise. */
import { STATUS_CODES } from 'node:http'
import type { Failure, HttpReply, Reply } from '../base/exchange.ts'
import { MASK } from '../base/secret.ts'
import type { Outcome } from './provider.ts'
import { retryAfterMs } from './retry-after.ts'

/** A way of ending that is not success. */
export type Trouble = Exclude<Outcome, { kind: 'sent' }>
export type Scope = Extract<Outcome, { kind: 'rejected' }>['scope']

export interface Reading {
  /** The provider's own words, found in the parsed body (or in the text, when it is not JSON). */
  explain?: (body: unknown) => string | undefined
  /** What 404 and 410 say: the recipient is gone, or (by default) the integration points nowhere. */
  missing?: Scope
  /** Where credentials and address of the request came from: `recipient` is the profile, `content` an override. */
  owner?: Scope
  /** False for a request that hands nothing over, and therefore cannot leave anything in doubt. */
  final?: boolean
  /** Values that must not be repeated in an error; as a function where gathering them costs something: most replies are none. */
  secrets?: Secrets | (() => Secrets)
}

type Secrets = readonly (string | undefined)[]

const secretsOf = ({ secrets }: Pick<Reading, 'secrets'>): Secrets | undefined =>
  typeof secrets === 'function' ? secrets() : secrets

/** Undefined for a 2xx: what that means is for the adapter to say. */
export function byStatus(reply: Reply, now: number, reading: Reading = {}): Trouble | undefined {
  if (reply.kind === 'failure') return byFailure(reply, reading)
  if (reply.kind !== 'http') throw new TypeError(`An HTTP request was answered by a ${reply.kind} reply`)
  if (reply.status >= 200 && reply.status < 300) return undefined
  const error = statusText(reply, reading)
  const wait = retryAfterMs(reply, now)
  const after = wait === undefined ? {} : { retryAfterMs: wait }
  if (reply.status === 429) return { kind: 'retry', error, attempted: false, ...after }
  if (reply.status === 408 || reply.status === 425 || reply.status >= 500)
    return { kind: 'retry', error, attempted: true, ...after }
  return { kind: 'rejected', error, scope: scopeOf(reply.status, reading) }
}

function scopeOf(status: number, reading: Reading): Scope {
  const owner = reading.owner ?? 'configuration'
  if (status === 404 || status === 410) return reading.missing ?? owner
  // Redirects are never followed: the configured address is not the real one. 402: the account is not paid for.
  if (status < 400 || [401, 402, 403, 405, 407].includes(status)) return owner
  return 'content'
}

function byFailure(failure: Failure, reading: Reading): Trouble {
  const error = tidy(`${failure.failure}: ${failure.message}`, secretsOf(reading))
  if (failure.failure === 'address_refused' || failure.failure === 'invalid_request')
    return { kind: 'rejected', error, scope: reading.owner ?? 'configuration' }
  if (failure.reached && reading.final !== false) return { kind: 'in_doubt', error }
  return { kind: 'retry', error, attempted: true }
}

/** `400 Bad Request: the provider's own words`. */
export function statusText(reply: HttpReply, reading: Pick<Reading, 'explain' | 'secrets'> = {}): string {
  const status = [reply.status, STATUS_CODES[reply.status]].filter(Boolean).join(' ')
  const words = reading.explain?.(parseBody(reply))
  return tidy(words ? `${status}: ${words}` : status, secretsOf(reading))
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

/** One line without secrets, for people to read. Secrets go before the cut, so that none is left in half. */
export function tidy(text: string, secrets: Secrets = []): string {
  let line = text
  for (const secret of secrets) if (secret) line = line.replaceAll(secret, MASK)
  line = line.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length > ERROR_LENGTH_MAX
    ? `${line.slice(0, ERROR_LENGTH_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
    : line
}

export const rejected = (scope: Scope, error: string): Extract<Outcome, { kind: 'rejected' }> => ({
  kind: 'rejected',
  scope,
  error: tidy(error),
})
