/** Whether an integration must not be called now, from what all nodes share: an open circuit breaker, a limit that is used up. */
import { DAY, SECOND } from '../base/time/duration.ts'
import type { LimitState } from '../database/tables/workspace/integration-limits.ts'
import { isMisconfigured } from './circuit-breaker.ts'
import { breakerText, type CallLimits, limitTexts } from './gate.ts'
import { breakerOf } from './shared-breaker.ts'

export interface Deferral {
  cause: 'circuit_breaker' | 'limit'
  error: string
  /** About when it may be called. */
  until: number
  /** Its credentials or settings are refused. */
  isMisconfigured?: boolean
}

/** Where its breaker is open, until the next probe: that is a call. */
export function deferralByBreaker({ breaker }: LimitState, now: number): Deferral | undefined {
  if (!breaker || now >= breaker.probe_at) return undefined
  const { error, reason, probeAt, probing } = breakerOf(breaker)
  // A probe in progress ends soon, and its result decides.
  const until = probing ? now + SECOND : probeAt
  return { cause: 'circuit_breaker', error: breakerText(error), until, isMisconfigured: isMisconfigured(reason) }
}

/** The calls of the day; a limit per second or at a time makes no message wait for long. */
export function deferralByLimit({ usedOn }: LimitState, { perDay }: CallLimits, now: number): Deferral | undefined {
  const day = Math.floor(now / DAY)
  if (perDay === undefined || usedOn?.day !== day || usedOn.used < perDay) return undefined
  return { cause: 'limit', error: limitTexts.day({ perDay }), until: (day + 1) * DAY }
}
