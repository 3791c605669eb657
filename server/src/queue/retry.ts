/** When to try again: the retry table with jitter, its bounds, and the provider's own wish. */
import { HOUR, MINUTE, SECOND } from '../base/time/duration.ts'

const STEPS_MS = [5, 10, 20, 40, 60, 120, 240, 480, 720, 900].map((seconds) => seconds * SECOND)
const LAST_STEP_MS = 900 * SECOND
const JITTER = 0.2

export const attemptsMax = 104
export const retryWindowMs = 24 * HOUR

/** How long a provider and a channel are given while another candidate remains, and a message in all. */
export interface Windows {
  providerMs: number
  /** All integrations of the channel together. */
  channelMs: number
  messageMs: number
  /** Where the time of a channel follows from that of its providers: what the last of them is given. */
  lastProviderMs?: number
}

export const defaultWindows: Windows = { providerMs: 5 * MINUTE, channelMs: 30 * MINUTE, messageMs: 72 * HOUR }

/** Pause after the `attempt`-th attempt (from 1), ± 20 %. `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const step = STEPS_MS[attempt - 1] ?? LAST_STEP_MS
  return Math.round(step * (1 - JITTER + 2 * JITTER * random))
}

/**
 * The pause before the next attempt: the table's, or the longer one that was asked for. One that does not fit into the
 * time left is cut to half of that time, so that no `Retry-After` ends a delivery.
 */
export function pauseMs(tableMs: number, askedMs: number | undefined, leftMs: number): number {
  const asked = askedMs ?? 0
  return Math.max(tableMs, asked <= leftMs ? asked : Math.floor(leftMs / 2))
}
