/** The retry table: 5 s to 15 min, jitter of a fifth, a day in all. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attemptsMax, retryWindowMs } from '../messages/deliver/failover.ts'
import { retryDelayMs } from './retry.ts'

test('the pauses are those of the table, then 15 minutes for ever', () => {
  const pauses = Array.from({ length: 12 }, (_, n) => retryDelayMs(n + 1, 0.5) / 1000)
  expect(pauses).toEqual([5, 10, 20, 40, 60, 120, 240, 480, 720, 900, 900, 900])
  expect(retryDelayMs(attemptsMax, 0.5)).toBe(900_000)
})

test('jitter stays within a fifth and uses all of it', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: attemptsMax }), random, (attempt, value) => {
      const middle = retryDelayMs(attempt, 0.5)
      expect(retryDelayMs(attempt, value)).toBeGreaterThanOrEqual(middle * 0.8)
      expect(retryDelayMs(attempt, value)).toBeLessThanOrEqual(middle * 1.2)
    }),
  )
  expect([retryDelayMs(1, 0), retryDelayMs(1, 1)]).toEqual([4_000, 6_000])
})

test('all attempts at their pauses fill the day and no more', () => {
  let sum = 0
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) sum += retryDelayMs(attempt, 0.5)
  expect(sum).toBeLessThanOrEqual(retryWindowMs)
  expect(sum + 900_000).toBeGreaterThan(retryWindowMs)
})
