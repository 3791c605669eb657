/** A moment without a zone is UTC, on every machine. */
import { expect, test } from 'vitest'
import { momentOf, parseMoment } from './timestamp.ts'

test.each([
  ['2026-12-01T09:00:00', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01 09:00', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00:00.25', '2026-12-01T09:00:00.250Z'],
  ['2026-12-01', '2026-12-01T00:00:00.000Z'],
  ['2026-12-01T09:00:00+02:00', '2026-12-01T07:00:00.000Z'],
])('%s is %s', (text, moment) => expect(new Date(parseMoment(text)).toISOString()).toBe(moment))

test('what is no moment is NaN', () => expect(parseMoment('soon')).toBeNaN())

test('milliseconds are a moment as well, as a number or in digits', () => {
  expect([1, '1767686400000', '2026-01-06T08:00', null, '', 'soon'].map(momentOf)).toEqual([
    1,
    1_767_686_400_000,
    Date.UTC(2026, 0, 6, 8),
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ])
})
