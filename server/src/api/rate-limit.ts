/** Limits of calls a minute, by workspace and operation, in the memory of this process. */

import { CallerError } from '../base/errors.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'

/** Calls a minute by operation; an operation that is not in it is not limited. */
export type RateLimits = ReadonlyMap<string, number>

interface Bucket {
  left: number
  filled: number
}

/**
 * A bucket holds a minute's calls and fills evenly, so that a refused caller may come back when one call's share of
 * the minute is over and not at its end. The answer throws a 429 for a call too many.
 */
export function createRateLimit(limits: RateLimits): (operationId: string, workspaceId: number, now: number) => void {
  // One for each limited operation and workspace, both few.
  const buckets = new Map<string, Bucket>()
  return (operationId, workspaceId, now) => {
    const perMinute = limits.get(operationId)
    if (perMinute === undefined) return
    const name = `${workspaceId} ${operationId}`
    const { left, filled } = buckets.get(name) ?? { left: perMinute, filled: now }
    const passedMs = Math.max(0, now - filled)
    const available = Math.min(perMinute, left + (passedMs * perMinute) / MINUTE)
    const allowed = available >= 1
    buckets.set(name, { left: allowed ? available - 1 : available, filled: now })
    if (!allowed) throw tooMany(perMinute, ((1 - available) * MINUTE) / perMinute)
  }
}

const tooMany = (perMinute: number, waitMs: number) =>
  new CallerError('rate_limited', `At most ${perMinute} of these calls a minute`, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)),
  })
