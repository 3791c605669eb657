/** Limits of calls by workspace and operation, of calls and changes by a link, and of sign-ins, in the memory of this process. */
import { hash } from 'node:crypto'
import { CallerError } from '../base/errors.ts'
import { createCache } from '../base/perf/cache.ts'
import { DAY, MINUTE, SECOND } from '../base/time/duration.ts'

/** Calls a minute by operation; an operation that is not in it is not limited. */
export type CallerRateLimits = ReadonlyMap<string, number>

interface Bucket {
  left: number
  filled: number
}

/**
 * A bucket holds the calls of a duration and fills evenly, so that a refused caller may come back when one call's share
 * of it is over and not at its end. Throws a 429 for a call too many.
 */
function take(
  bucket: Bucket | undefined,
  { count, duration, error }: Limit,
  now: number,
  store: (bucket: Bucket) => void,
): void {
  const { left, filled } = bucket ?? { left: count, filled: now }
  const passedMs = Math.max(0, now - filled)
  const available = Math.min(count, left + (passedMs * count) / duration)
  const allowed = available >= 1
  store({ left: allowed ? available - 1 : available, filled: now })
  if (!allowed) throw tooMany(error, ((1 - available) * duration) / count)
}

interface Limit {
  count: number
  duration: number
  error: string
}

const callsAMinute = (count: number): Limit => ({
  ...{ count, duration: MINUTE },
  error: `At most ${count} of these calls a minute`,
})

/** Bounds the calls of a workspace by operation. */
export function createRateLimit(
  limits: CallerRateLimits,
): (operationId: string, workspaceId: number, now: number) => void {
  // One for each limited operation and workspace, both few.
  const buckets = new Map<string, Bucket>()
  return (operationId, workspaceId, now) => {
    const perMinute = limits.get(operationId)
    if (perMinute === undefined) return
    const name = `${workspaceId} ${operationId}`
    take(buckets.get(name), callsAMinute(perMinute), now, (bucket) => buckets.set(name, bucket))
  }
}

/** A person, a mail program and the scanners on the way call a few times. */
const linkCalls = callsAMinute(60)
/** Each adds to the ledger, which is kept for years. */
const linkChanges: Limit = {
  ...{ count: 100, duration: DAY },
  error: 'At most 100 changes a day by one link. Nothing was saved; try again later',
}
/** Some 2 MB. */
const LINKS_MAX = 10_000

/**
 * Bounds the calls by a link of a recipient, whether it was given out or not. Each method has its own count: scanners
 * that open a link do not use up the calls that unsubscribe.
 */
export const createLinkRateLimit = (): ((method: string, token: string, now: number) => void) => {
  const limit = linkLimit(linkCalls)
  return (method, token, now) => limit(`${method} ${token}`, now)
}

/** Bounds the changes by a link of a recipient. */
export const createLinkChangeLimit = (): ((token: string, now: number) => void) => linkLimit(linkChanges)

function linkLimit(limit: Limit): (name: string, now: number) => void {
  const buckets = createCache<string, Bucket>({ entriesMax: LINKS_MAX })
  return (text, now) => {
    const name = hash('sha256', text, 'base64url')
    take(buckets.get(name), limit, now, (bucket) => buckets.set(name, bucket))
  }
}

/** Wrong keys of one address: a person mistypes a few. */
const wrongKeys: Limit = { count: 20, duration: MINUTE, error: 'Too many wrong API keys. Try again later' }

/** Bounds the wrong keys of sign-ins by address. `check` throws a 429 once they are used up, `count` counts one. */
export function createSignInLimit(): {
  check(address: string, now: number): void
  count(address: string, now: number): void
} {
  const buckets = createCache<string, Bucket>({ entriesMax: LINKS_MAX })
  return {
    check: (address, now) => take(buckets.get(address), wrongKeys, now, () => undefined),
    count: (address, now) => take(buckets.get(address), wrongKeys, now, (bucket) => buckets.set(address, bucket)),
  }
}

const tooMany = (error: string, waitMs: number) =>
  new CallerError('rate_limited', error, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)),
  })
