/** A clock that a test sets, and that ticks by itself. */
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
