/** When to try again: the retry table with jitter, its bounds, and the provider's `Retry-After`. */
import { SECOND } from '../base/time/duration.ts'

const STEPS_MS = [5, 10, 20, 40, 60, 120, 240, 480, 720, 900].map((seconds) => seconds * SECOND)

const LAST_STEP_MS = 900 * SECOND

const JITTER = 0.2

/** Pause after the `attempt`-th attempt (from 1), ± 20 %. `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const step = STEPS_MS[attempt - 1] ?? LAST_STEP_MS
  return Math.round(step * (1 - JITTER + 2 * JITTER * random))
}

/**
 * The pause before the next attempt: the table's, or a longer `Retry-After`. A `Retry-After` beyond the remaining time is
 * cut to half of it, so that it cannot end a delivery.
 */
export function retryPauseMs(tableMs: number, retryAfterMs: number | undefined, leftMs: number): number {
  const requested = retryAfterMs ?? 0
  return Math.max(tableMs, requested <= leftMs ? requested : Math.floor(leftMs / 2))
}
