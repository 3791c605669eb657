/** A limit holds over a long time, too. */
import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

test('over a long time no more than the limit is let through beyond the first minute', () => {
  const limit = createRateLimit(new Map([['a', 20]]))
  let through = 0
  for (let now = 0; now < 600_000; now += 100)
    try {
      limit('a', 1, now)
      through += 1
    } catch {}
  expect(through).toBeGreaterThanOrEqual(219)
  expect(through).toBeLessThanOrEqual(220)
})
