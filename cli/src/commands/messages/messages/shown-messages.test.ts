/** When a tail shows a message, and how far back it looks for one. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createShown } from './shown-messages.ts'

const at = (enqueued: number) => ({ id: `m${enqueued}`, enqueued })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('earlier messages are not new, and not looked for', () => {
  const shown = createShown([at(50_000), at(49_000)], { latecomers: false })
  expect(shown.lookAfter()).toBe(49_999)
  expect(shown.isNew(at(50_000))).toBe(false)
  expect(shown.isNew(at(50_001))).toBe(true)
})

test('the last seconds are looked at again, and shown once', () => {
  const shown = createShown([at(50_000)], { latecomers: false })
  shown.add([at(60_000), at(58_000)])
  expect(shown.lookAfter()).toBe(57_000)
  expect([at(58_000), at(58_500), at(60_000)].map(shown.isNew)).toEqual([false, true, false])
  vi.setSystemTime(Date.now() + 60_000)
  expect(shown.lookAfter()).toBe(57_000)
})

test('latecomers are looked for every ten seconds, each shown once', () => {
  const shown = createShown([at(50_000)], { latecomers: true })
  shown.add([at(51_000), at(90_000)])
  vi.setSystemTime(Date.now() + 9_999)
  expect(shown.lookAfter()).toBe(87_000)
  vi.setSystemTime(Date.now() + 1)
  expect(shown.lookAfter()).toBe(49_999)
  expect(shown.lookAfter()).toBe(87_000)
  expect([at(51_000), at(52_000)].map(shown.isNew)).toEqual([false, true])
})

test('when there are more than a look holds, the oldest are given up', () => {
  const shown = createShown([at(50_000)], { latecomers: true })
  shown.add([at(51_000), at(90_000)])
  shown.narrow(at(60_000))
  shown.add([])
  vi.setSystemTime(Date.now() + 10_000)
  expect(shown.lookAfter()).toBe(59_999)
  expect([at(51_000), at(90_000)].map(shown.isNew)).toEqual([true, false])
})

test('with no message at all it looks from the beginning', () => {
  expect(createShown([], { latecomers: false }).lookAfter()).toBe(0)
})
