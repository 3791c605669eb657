/** Limits of calls a minute, by workspace and operation, in the memory of this process. */
import { hash } from 'node:crypto'
import { CallerError } from '../base/errors.ts'
import { createCache } from '../base/perf/cache.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'

/** Calls a minute by operation; an operation that is not in it is not limited. */
export type CallerRateLimits = ReadonlyMap<string, number>

interface Bucket {
  left: number
  filled: number
}

/**
 * A bucket holds a minute's calls and fills evenly, so that a refused caller may come back when one call's share of
 * the minute is over and not at its end. Throws a 429 for a call too many.
 */
function take(bucket: Bucket | undefined, perMinute: number, now: number, store: (bucket: Bucket) => void): void {
  const { left, filled } = bucket ?? { left: perMinute, filled: now }
  const passedMs = Math.max(0, now - filled)
  const available = Math.min(perMinute, left + (passedMs * perMinute) / MINUTE)
  const allowed = available >= 1
  store({ left: allowed ? available - 1 : available, filled: now })
  if (!allowed) throw tooMany(perMinute, ((1 - available) * MINUTE) / perMinute)
}

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
    take(buckets.get(name), perMinute, now, (bucket) => buckets.set(name, bucket))
  }
}

/** A person, a mail program and the scanners on the way call a few times. */
const LINK_CALLS_A_MINUTE = 60
/** Some 2 MB. */
const LINKS_MAX = 10_000

/** Bounds the calls by a link of a recipient, whether it was given out or not. */
export function createLinkRateLimit(): (token: string, now: number) => void {
  const buckets = createCache<string, Bucket>({ entriesMax: LINKS_MAX })
  return (token, now) => {
    const name = hash('sha256', token, 'base64url')
    take(buckets.get(name), LINK_CALLS_A_MINUTE, now, (bucket) => buckets.set(name, bucket))
  }
}

const tooMany = (perMinute: number, waitMs: number) =>
  new CallerError('rate_limited', `At most ${perMinute} of these calls a minute`, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)),
  })
