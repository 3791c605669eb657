/** A limit holds over a long time, too. */
import { expect, test } from 'vitest'
import { HOUR } from '../base/time/duration.ts'
import { createLinkChangeLimit, createLinkRateLimit, createRateLimit } from './rate-limit.ts'

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

const passed = (count: number, call: () => void): number => {
  let through = 0
  for (let at = 0; at < count; at += 1)
    try {
      call()
      through += 1
    } catch {}
  return through
}

test('calls by a link are counted by method', () => {
  const limit = createLinkRateLimit()
  expect(passed(100, () => limit('GET', 'link', 0))).toBe(60)
  expect(passed(100, () => limit('POST', 'link', 0))).toBe(60)
  expect(passed(1, () => limit('GET', 'other', 0))).toBe(1)
})

test('a link changes at most a hundred times a day', () => {
  const limit = createLinkChangeLimit()
  expect(passed(200, () => limit('link', 0))).toBe(100)
  expect(() => limit('link', 0)).toThrow('At most 100 changes a day by one link')
  expect(passed(1, () => limit('other', 0))).toBe(1)
  expect(passed(200, () => limit('link', 12 * HOUR))).toBe(50)
})
