/** Budgets: of the work for one message, in steps and characters, and of time for long work. */
import { setImmediate as pause } from 'node:timers/promises'

/** The rest of a budget; below zero it is used up. */
export interface Budget {
  steps: number
  characters: number
}

/** Spent to the last, either takes some 100 ms of processor time: a message holds up the others for no longer. */
export const messageStepsMax = 1_000_000
export const messageCharactersMax = 5_000_000

/** A part of the budget of one message; `share` is at most 1. */
export const budgetOf = (share = 1): Budget => ({
  steps: Math.floor(messageStepsMax * share),
  characters: Math.floor(messageCharactersMax * share),
})

export const isSpent = ({ steps, characters }: Budget) => steps < 0 || characters < 0

/** Yields to the event loop in between, and says when the budget is used up. */
export interface TimeBudget {
  /** Returns at once unless 10 ms, or what the budget says, have passed since the last yield. */
  yieldToEventLoop(): Promise<void>
  isOver(): boolean
}

/** An HTTP call that arrives meanwhile waits for this and one step. */
const YIELD_EVERY_MS = 10

/** Does the work for each, and yields to the event loop in between. */
export async function inParts<T>(
  items: readonly T[],
  work: (item: T) => void,
  everyMs = YIELD_EVERY_MS,
): Promise<void> {
  const budget = startTimeBudget(Number.POSITIVE_INFINITY, everyMs)
  for (const item of items) {
    work(item)
    await budget.yieldToEventLoop()
  }
}

export function startTimeBudget(msMax: number, everyMs = YIELD_EVERY_MS): TimeBudget {
  const startedAt = performance.now()
  let yieldedAt = startedAt
  return {
    isOver: () => performance.now() - startedAt > msMax,
    async yieldToEventLoop() {
      if (performance.now() - yieldedAt < everyMs) return
      await pause()
      yieldedAt = performance.now()
    },
  }
}
