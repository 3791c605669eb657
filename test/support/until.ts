/** Waits for a state that an API will show, or fails the test with the last value. */
import { setTimeout as pause } from 'node:timers/promises'
import { TestRunner } from 'vitest'
import { isLong } from './run/long.ts'

/** Before the limit of the test, so that it fails with the last value. */
const REPORT_MS = 1_000
/** In a hook, before the limit of it, and where no test runs. */
const ELSEWHERE_MS = isLong ? 280_000 : 50_000

/**
 * Polls every 25 ms; resolves with the first value for which `holds`. The test's own limit is the only one: shortly
 * before it, or after `timeoutMs`, rejects with the last value.
 */
export async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean, timeoutMs = msLeft()): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (Date.now() > deadline)
      throw new Error(`Not so within ${timeoutMs} ms; last seen: ${JSON.stringify(value)?.slice(0, 2_000)}`)
    await pause(25)
  }
}

/** Resolves when the time has come, in milliseconds since the epoch: before it, something must not happen. */
export const untilTime = (ms: number): Promise<void> => pause(Math.max(0, ms - Date.now() + 1))

/** Milliseconds until the limit of the running test. */
export function msLeft(): number {
  const test = TestRunner.getCurrentTest()
  const began = test?.result?.startTime
  return test && began !== undefined ? Math.max(0, began + test.timeout - REPORT_MS - Date.now()) : ELSEWHERE_MS
}
