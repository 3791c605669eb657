/** A clock that a test sets and that ticks by itself, and days from now. */
import type { Clock } from '@postrider/server/internal/base/time/clock'

export interface SettableClock extends Clock {
  /** Milliseconds since the epoch, or ISO 8601. */
  set(time: number | string): void
}

export function settableClock(start: number | string = Date.now()): SettableClock {
  let ahead = new Date(start).getTime() - Date.now()
  return {
    now: () => Date.now() + ahead,
    set(time) {
      ahead = new Date(time).getTime() - Date.now()
    },
  }
}

const DAY = 86_400_000

/** From now until the time, ISO 8601. */
export const daysUntil = (time: string): number => (Date.parse(time) - Date.now()) / DAY
