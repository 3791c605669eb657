/** A name of a time zone is known where the server can use it, and a misspelled one is near to the zone that was meant. */
import { expect, test } from 'vitest'
import { isKnownTimeZone, nearestTimeZone } from './time-zone.ts'

test.each([
  ...['Europe/Berlin', 'europe/berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'UTC', 'Etc/GMT+5', 'US/Pacific'],
  ...['+02:00', '-0330'],
])('%s is a time zone', (name) => {
  expect(isKnownTimeZone(name)).toBe(true)
})

test.each(['Europe/Berln', 'Berlin', '', ' ', 'UTC+2', '+25:00', 'MEZ', 'Europe/Berlin '.repeat(20)])(
  '%j is no time zone',
  (name) => {
    expect(isKnownTimeZone(name)).toBe(false)
  },
)

test.each([
  ['Europe/Berln', 'Europe/Berlin'],
  ['Europa/Berlin', 'Europe/Berlin'],
  ['berlin', 'Europe/Berlin'],
  ['America/New York', 'America/New_York'],
  ['America/Argentina/Buenos Aires', 'America/Buenos_Aires'],
  ['Asia/Toky', 'Asia/Tokyo'],
  ['Europe/Lonodn', 'Europe/London'],
  ['Europe/Lome', 'Europe/Rome'],
  ['Mars/Olympus', undefined],
  ['', undefined],
  ['Europe/Berln'.repeat(9), undefined],
])('nearest to %j: %s', (name, zone) => {
  expect(nearestTimeZone(name)).toBe(zone)
})
