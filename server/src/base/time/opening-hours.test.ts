/** Opening hours are read in their zone: starts count, ends do not, clocks change, and what cannot be read is refused. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextOpening, OpeningHoursInvalid, parseOpeningHours, zoneOf } from './opening-hours.ts'

const at = (text: string) => Date.parse(text)
const opens = (rule: string, zone: string, now: string) => {
  const opening = nextOpening(rule, zone, at(now))
  return opening === undefined ? undefined : new Date(opening).toISOString()
}

// 5 January 2026 is a Monday.
describe('the next opening', () => {
  test.each([
    ['its first minute is open', 'Mo-Fr 08:00-12:00', 'UTC', '2026-01-05T08:00Z', '2026-01-05T08:00:00.000Z'],
    ['its end is not', 'Mo-Fr 08:00-12:00', 'UTC', '2026-01-05T12:00Z', '2026-01-06T08:00:00.000Z'],
    [
      'the time itself while it is open',
      'Mo-Fr 08:00-12:00',
      'UTC',
      '2026-01-05T11:59:59.999Z',
      '2026-01-05T11:59:59.999Z',
    ],
    [
      'over the weekend, in Los Angeles',
      'Mo-Fr 08:00-16:30',
      'America/Los_Angeles',
      '2026-01-10T20:00Z',
      '2026-01-12T16:00:00.000Z',
    ],
    ['several spans', 'Mo 09:00-12:00, 14:00-18:00', 'UTC', '2026-01-05T13:00Z', '2026-01-05T14:00:00.000Z'],
    ['days in a list', 'Tu,Th 10:00-11:00', 'UTC', '2026-01-06T11:00Z', '2026-01-08T10:00:00.000Z'],
    ['days around the weekend, by night', 'Fr-Mo 17:00-09:00', 'UTC', '2026-01-06T08:30Z', '2026-01-06T08:30:00.000Z'],
    ['… and after that night', 'Fr-Mo 17:00-09:00', 'UTC', '2026-01-06T09:00Z', '2026-01-09T17:00:00.000Z'],
    ['a single minute', 'Su-Mo 11:00-11:00', 'UTC', '2026-01-05T11:00:30Z', '2026-01-05T11:00:30.000Z'],
    ['… which is over soon', 'Su-Mo 11:00-11:00', 'UTC', '2026-01-05T11:01Z', '2026-01-11T11:00:00.000Z'],
    ['several rules', 'Mo 08:00-09:00; We 10:00-11:00', 'UTC', '2026-01-05T09:00Z', '2026-01-07T10:00:00.000Z'],
    ['dates', 'Jan 10-12 08:00-09:00', 'UTC', '2026-01-05T09:00Z', '2026-01-10T08:00:00.000Z'],
    ['dates around the new year', 'Dec 20-Jan 06 08:00-09:00', 'UTC', '2026-01-06T08:30Z', '2026-01-06T08:30:00.000Z'],
    ['a month and its weekdays', 'Feb Mo-Fr 08:00-09:00', 'UTC', '2026-01-05T09:00Z', '2026-02-02T08:00:00.000Z'],
    ['always', '24/7', 'UTC', '2026-01-05T09:00Z', '2026-01-05T09:00:00.000Z'],
    ['days without hours', 'Sa', 'UTC', '2026-01-05T09:00Z', '2026-01-10T00:00:00.000Z'],
    ['an offset as the zone', 'Mo 08:00-12:00', '+02:00', '2026-01-05T05:00Z', '2026-01-05T06:00:00.000Z'],
    ['nothing within 90 days', 'Jul 01-02 08:00-09:00', 'UTC', '2026-01-05T09:00Z', undefined],
    // On 29 March 2026 clocks in Vienna go from 02:00 to 03:00, on 25 October from 03:00 to 02:00.
    [
      'an hour that the clocks skip',
      'Su 02:30-04:00',
      'Europe/Vienna',
      '2026-03-28T23:30Z',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'the same time of day after the change',
      'Mo 08:00-09:00',
      'Europe/Vienna',
      '2026-03-28T12:00Z',
      '2026-03-30T06:00:00.000Z',
    ],
    [
      'an hour that the clocks repeat',
      'Su 02:30-02:45',
      'Europe/Vienna',
      '2026-10-25T00:00Z',
      '2026-10-25T00:30:00.000Z',
    ],
  ])('%s', (_title, rule, zone, now, expected) => expect(opens(rule, zone, now)).toBe(expected))

  test('is never in the past, and open itself', () => {
    const hour = fc.integer({ min: 0, max: 23 })
    fc.assert(
      fc.property(hour, hour, fc.integer({ min: 0, max: 3_000_000_000 }), (from, until, offset) => {
        const rule = `Mo-We ${from}:15-${until}:45`
        const now = at('2026-01-01T00:00Z') + offset
        const opening = nextOpening(rule, 'America/New_York', now) ?? 0
        expect(opening).toBeGreaterThanOrEqual(now)
        expect(nextOpening(rule, 'America/New_York', opening)).toBe(opening)
        if (opening > now) expect(nextOpening(rule, 'America/New_York', now + 1)).toBe(opening)
      }),
      { numRuns: 200 },
    )
  })
})

test.each([
  '',
  ';',
  'soon',
  'Mo 8-12',
  'Mo 08:60-09:00',
  'Mo 25:00-26:00',
  'Xx 08:00-09:00',
  'Feb 40 08:00-09:00',
  'PH off',
])('`%s` is refused', (rule) => expect(() => parseOpeningHours(rule)).toThrow(OpeningHoursInvalid))

test('the first zone that exists counts; without one it is UTC', () => {
  expect(zoneOf([undefined, 'Americas/Denver', 7, 'Europe/Vienna', 'UTC'])).toBe('Europe/Vienna')
  expect(zoneOf(['Nowhere', null])).toBe('UTC')
})
