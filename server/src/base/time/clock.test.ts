/** A timestamp without a zone is UTC, on every machine. */
import { expect, test } from 'vitest'
import { parseTimestamp, toTimestamp } from './clock.ts'

test.each([
  ['2026-12-01T09:00:00', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01 09:00', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00:00.25', '2026-12-01T09:00:00.250Z'],
  ['2026-12-01', '2026-12-01T00:00:00.000Z'],
  ['2026-12-01T09:00:00+02:00', '2026-12-01T07:00:00.000Z'],
])('%s is %s', (text, utc) => expect(new Date(parseTimestamp(text)).toISOString()).toBe(utc))

test.each([
  'soon',
  '2027-02-29',
  '2027-02-30T10:00:00Z',
  '2027-02-30 10:00',
  '2027-04-31T10:00:00+02:00',
  '2027-06-31T10:00:00',
  '2027-13-01',
  '+002027-02-29T10:00:00Z',
])('%s is NaN', (text) => expect(parseTimestamp(text)).toBeNaN())

test('a leap day is a day', () => expect(parseTimestamp('2028-02-29T10:00:00Z')).toBe(Date.UTC(2028, 1, 29, 10)))

test('milliseconds are a timestamp as well, as a number or in digits', () => {
  expect([1, '1767686400000', '2026-01-06T08:00', null, '', 'soon'].map(toTimestamp)).toEqual([
    1,
    1_767_686_400_000,
    Date.UTC(2026, 0, 6, 8),
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ])
})
