/** A time budget for long work: yields to the event loop in between, and says when the budget is used up. */
import { setImmediate as pause } from 'node:timers/promises'

export interface TimeBudget {
  /** Returns at once unless 10 ms have passed since the last yield. */
  yieldToEventLoop(): Promise<void>
  isOver(): boolean
}

/** An HTTP call that arrives meanwhile waits for this and one step. */
const YIELD_EVERY_MS = 10

export function startTimeBudget(msMax: number): TimeBudget {
  const startedAt = performance.now()
  let yieldedAt = startedAt
  return {
    isOver: () => performance.now() - startedAt > msMax,
    async yieldToEventLoop() {
      if (performance.now() - yieldedAt < YIELD_EVERY_MS) return
      await pause()
      yieldedAt = performance.now()
    },
  }
}
