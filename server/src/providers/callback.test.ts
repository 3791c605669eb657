/** Callbacks: ids and times as providers write them. */
import { expect, test } from 'vitest'
import { isSameText, readDeliveryId, readTime } from './callback.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

test.each([
  [1_763_640_000, 1_763_640_000_000],
  ['1763640000', 1_763_640_000_000],
  ['1763640000.5', 1_763_640_000_500],
  [1_763_640_000_123, 1_763_640_000_123],
  ['2025-11-20T12:00:00Z', 1_763_640_000_000],
  [undefined, NOW],
  ['soon', NOW],
  [-1, NOW],
  [Number.NaN, NOW],
  // The clock of a provider may be ahead: nothing happens in the future.
  [NOW + 60_000, NOW],
])('the time %s', (value, time) => {
  expect(readTime(value, NOW)).toBe(time)
})

test('a delivery id is one of ours, and nothing else is', () => {
  const id = '1-691f0000-0000000000000000000000ab-0'
  expect(readDeliveryId(id)).toBe(id)
  for (const other of [id.slice(0, -2), `${id}x`, `x${id}`, '', 7, null, undefined, ['1-691f'], `${id}\n`])
    expect(readDeliveryId(other)).toBeUndefined()
})

test('texts are compared whole', () => {
  expect([isSameText('a', 'a'), isSameText('a', 'b'), isSameText('', 'b'), isSameText('aa', 'a')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})
