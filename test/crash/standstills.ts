/** When this process stood still, without a processor or busy with one thing: times it writes down then are late by as much. */

/** Milliseconds since the epoch. */
export interface Standstill {
  from: number
  to: number
}

const SAMPLE_MS = 20
/** Timers are late by a few milliseconds on any machine. */
const LATE_MS = 30

/** Adds to `all` until it is stopped. */
export function watchStandstills(all: Standstill[]): { stop(): void } {
  let due = Date.now() + SAMPLE_MS
  const timer = setInterval(() => {
    const now = Date.now()
    if (now - due > LATE_MS) all.push({ from: due, to: now })
    due = now + SAMPLE_MS
  }, SAMPLE_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** The time between the two in which the process did not stand still. */
export function runningMs(all: readonly Standstill[], from: number, to: number): number {
  const stoodMs = all.reduce(
    (sum, standstill) => sum + Math.max(0, Math.min(to, standstill.to) - Math.max(from, standstill.from)),
    0,
  )
  return to - from - stoodMs
}
