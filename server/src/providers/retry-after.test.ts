/** The pause of a provider, in every form of HTTP. */
import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const waitOf = (headers: Record<string, string>) => retryAfterMs({ kind: 'http', status: 429, headers, body: '' }, NOW)

test.each([
  ['30', 30_000],
  ['1.5', 1_500],
  ['0', 1_000],
  ['999999999999', 86_400_000],
  [' 7 ', 7_000],
  ['', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['1e9', undefined],
  ['0x10', undefined],
  ['Fri, 32 Nov 2026 12:00:00 GMT', undefined],
])('%j seconds', (text, wait) => {
  expect(waitOf({ 'retry-after': text })).toBe(wait)
})

test.each(['Fri, 20 Nov 2026 12:02:00 GMT', 'Friday, 20-Nov-26 12:02:00 GMT', 'Fri Nov 20 12:02:00 2026'])(
  'the date %s is read as GMT',
  (text) => {
    expect(waitOf({ 'retry-after': text })).toBe(120_000)
  },
)

test('a date counts from the clock of the provider, not from ours', () => {
  const headers = { 'retry-after': 'Fri, 20 Nov 2026 15:00:10 GMT', date: 'Fri, 20 Nov 2026 15:00:00 GMT' }
  expect(waitOf(headers)).toBe(10_000)
})

test('a date in the past waits a second, one far ahead a day', () => {
  expect(waitOf({ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' })).toBe(1_000)
  expect(waitOf({ 'retry-after': 'Fri, 20 Nov 2027 12:00:00 GMT' })).toBe(86_400_000)
})

test('no header, no wish', () => {
  expect(waitOf({})).toBeUndefined()
})
