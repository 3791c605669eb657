/** Times in words of the reader's locale. */
import { expect, test } from 'vitest'
import { relativeTime, timeOfDay } from './time.tsx'

const now = Date.UTC(2026, 10, 27, 23, 58, 20)
const SECOND = 1_000
const MINUTE = 60 * SECOND
const at = (distance: number, locale: string, timeZone: string) =>
  timeOfDay(now + distance, now, locale, timeZone).replaceAll('\u202f', ' ')

test('a time of day is that of the locale and the zone', () => {
  expect(at(-3 * 60 * MINUTE, 'en-US', 'UTC')).toBe('8:58 PM')
  expect(at(-3 * 60 * MINUTE, 'en-GB', 'UTC')).toBe('20:58')
  expect(at(-3 * 60 * MINUTE, 'de', 'America/New_York')).toBe('15:58')
  expect(at(30 * MINUTE, 'en-GB', 'Asia/Kathmandu')).toBe('06:13')
})

test('a time on another day of the zone has its day', () => {
  expect(at(30 * MINUTE, 'en-GB', 'UTC')).toBe('28 Nov 2026, 00:28')
  expect(at(30 * MINUTE, 'en-GB', 'Europe/Berlin')).toBe('01:28')
  expect(at(-60 * MINUTE, 'de', 'Europe/Berlin')).toBe('27.11.2026, 23:58')
})

test('a time within two minutes has seconds', () => {
  expect(at(5 * SECOND, 'en-US', 'UTC')).toBe('11:58:25 PM')
  expect(at(5 * SECOND, 'de', 'UTC')).toBe('23:58:25')
  expect(at(-100 * SECOND, 'en-GB', 'UTC')).toBe('23:56:40')
  expect(at(110 * SECOND, 'en-GB', 'UTC')).toBe('28 Nov 2026, 00:00:10')
  expect(at(-2 * MINUTE, 'en-GB', 'UTC')).toBe('23:56')
})

test('a distance is in its largest useful unit', () => {
  const distance = (ms: number, locale = 'en-GB') => relativeTime(now + ms, now, locale)
  expect([distance(-5 * SECOND), distance(-2 * MINUTE), distance(25 * 60 * MINUTE)]).toEqual([
    'now',
    '2 min ago',
    'tomorrow',
  ])
  expect([distance(-6 * MINUTE, 'de'), distance(-12 * SECOND, 'de')]).toEqual(['vor 6 Min.', 'vor 12 Sek.'])
})
