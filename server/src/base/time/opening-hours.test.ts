/** Opening hours are read in their zone: starts count, ends do not, clocks change, and what cannot be read is refused. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextOpening, parseOpeningHours, zoneOf } from './opening-hours.ts'
import { OpeningHoursInvalid } from './opening-rules.ts'

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
    ['a date of next year', 'Jan 01 08:00-09:00', 'UTC', '2026-01-05T09:00Z', '2027-01-01T08:00:00.000Z'],
    ['a day that is rare', 'Feb 29 08:00-09:00', 'UTC', '2026-01-05T09:00Z', undefined],
    ['never', 'Mo off', 'UTC', '2026-01-05T09:00Z', undefined],
    ['never, as a later rule closes it', 'Mo 08:00-09:00; off', 'UTC', '2026-01-05T09:00Z', undefined],
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

/** The hours that are open in the week of 5 January 2026, in UTC: `Mo 08:00-18:00`. */
function weekOf(rule: string): string[] {
  const clock = (time: number) => new Date(time).toISOString().slice(11, 16)
  const [first, end] = [at('2026-01-05T00:00Z'), at('2026-01-12T00:00Z')]
  const isOpen = (time: number) => nextOpening(rule, 'UTC', time) === time
  const hours: string[] = []
  for (let time = first; ; ) {
    const opening = nextOpening(rule, 'UTC', time)
    if (opening === undefined || opening >= end) return hours
    const midnight = opening - (opening % 86_400_000) + 86_400_000
    time = opening
    while (time < midnight && isOpen(time)) time += 30 * 60_000
    const until = time === midnight ? '24:00' : clock(time)
    hours.push(
      `${['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'][new Date(opening).getUTCDay()]} ${clock(opening)}-${until}`,
    )
  }
}

// The week as opening_hours.js 3.15.0 has it.
test.each([
  ['Mo-We 10:00-18:00; Tu 10:00-14:00', ['Mo 10:00-18:00', 'Tu 10:00-14:00', 'We 10:00-18:00']],
  ['Mo-We 10:00-18:00; Tu off', ['Mo 10:00-18:00', 'We 10:00-18:00']],
  ['Mo-We 10:00-18:00; Tu closed', ['Mo 10:00-18:00', 'We 10:00-18:00']],
  ['Tu off; Mo-We 10:00-18:00', ['Mo 10:00-18:00', 'Tu 10:00-18:00', 'We 10:00-18:00']],
  ['Mo-We 10:00-12:00; Jan 6-8 off', ['Mo 10:00-12:00']],
  ['Mo-We 10:00-12:00; Jan 6', ['Mo 10:00-12:00', 'Tu 00:00-24:00', 'We 10:00-12:00']],
  ['Mo,Tu 08:00-18:00; 12:00-13:00 off', ['Mo 08:00-12:00', 'Mo 13:00-18:00', 'Tu 08:00-12:00', 'Tu 13:00-18:00']],
  ['12:00-13:00 off; Mo 08:00-18:00', ['Mo 08:00-18:00']],
  ['Mo 08:00-18:00; Mo 20:00-22:00, 23:00-24:00', ['Mo 20:00-22:00', 'Mo 23:00-24:00']],
  ['Mo-Tu 08:00-12:00, Tu 13:00-15:00', ['Mo 08:00-12:00', 'Tu 08:00-12:00', 'Tu 13:00-15:00']],
  ['Mo 08:00-12:00, Jan 7 14:00-16:00', ['Mo 08:00-12:00', 'We 14:00-16:00']],
  ['Mo-Tu 08:00-12:00; Jan 5,Jan 7 14:00-16:00', ['Mo 14:00-16:00', 'Tu 08:00-12:00', 'We 14:00-16:00']],
  ['Fr 18:00-26:00', ['Fr 18:00-24:00', 'Sa 00:00-02:00']],
  ['Fr-Sa 18:00-26:00', ['Fr 18:00-24:00', 'Sa 00:00-02:00', 'Sa 18:00-24:00', 'Su 00:00-02:00']],
  ['Fr 12:00-48:00', ['Fr 12:00-24:00', 'Sa 00:00-24:00']],
  ['Fr 22:00-04:00; Sa off', ['Fr 22:00-24:00']],
  ['Fr 22:00-04:00; Sa 10:00-12:00', ['Fr 22:00-24:00', 'Sa 10:00-12:00']],
  ['Fr 22:00-04:00; Sa 01:00-02:00 off', ['Fr 22:00-24:00', 'Sa 00:00-01:00', 'Sa 02:00-04:00']],
  ['Fr-Sa; Fr 23:00-02:00 off', ['Fr 00:00-23:00', 'Sa 02:00-24:00']],
  ['24/7; Tu-Su off', ['Mo 00:00-24:00']],
  ['Mo 8-12', ['Mo 08:00-12:00']],
  ['mo 8:00 - 12:00', ['Mo 08:00-12:00']],
  ['Mo–Tu 08:00–12:00', ['Mo 08:00-12:00', 'Tu 08:00-12:00']],
  ['Monday 8am-6pm', ['Mo 08:00-18:00']],
  ['Mon-Tue: 08.00-18.00', ['Mo 08:00-18:00', 'Tu 08:00-18:00']],
  ['Mo 12 a.m.-12 p.m.', ['Mo 00:00-12:00']],
  ['January Mo 10:00-12:00 open', ['Mo 10:00-12:00']],
  ['Jan-Feb,Nov-Dec Mo 10:00-12:00', ['Mo 10:00-12:00']],
  ['Jan 5: 10:00-12:00;', ['Mo 10:00-12:00']],
  ['Mo-We 10:00-12:00; Jan 5,7 off', ['Tu 10:00-12:00']],
  ['Jan 1-5,7-8 10:00-12:00', ['Mo 10:00-12:00', 'We 10:00-12:00', 'Th 10:00-12:00']],
  ['Mo 10:00-12:00,14:00-16:00', ['Mo 10:00-12:00', 'Mo 14:00-16:00']],
])('%s', (rule, week) => {
  expect(weekOf(rule)).toEqual(week)
})

test('hours after midnight are those of the next day, whose rules close them', () => {
  expect(weekOf('Fr 22:00-04:00; Fr 22:00-25:00 off')).toEqual(['Sa 01:00-04:00'])
  expect(weekOf('Fr 22:00-04:00; Fr 22:00-25:00 off; Sa off')).toEqual([])
})

test('the night of hours that are replaced goes with them', () => {
  expect(weekOf('Fr-Sa 22:00-26:00; Sa 12:00-14:00')).toEqual(['Fr 22:00-24:00', 'Sa 12:00-14:00'])
})

test.each([
  ['', /^1 to 20 rules$/],
  [';', /^1 to 20 rules$/],
  ['soon', /`soon` is not of the form/],
  ['Mo 10:00', /^`Mo 10:00` is not of the form `Mo-Fr 08:00-18:00`$/],
  ['Mo 08:60-09:00', /^`08:60-09:00` is not a span of times of day$/],
  ['Mo 25:00-26:00', /^`25:00-26:00` is not a span of times of day$/],
  ['Mo 10:00-49:00', /is not a span of times of day$/],
  ['Mo 13pm-14pm', /is not a span of times of day$/],
  ['Xx 08:00-09:00', /` is not of the form/],
  ['Mo-Xx 08:00-09:00', /` is not of the form/],
  ['Feb 40 08:00-09:00', /is not a date of the year$/],
  ['Feb 30 08:00-09:00', /is not a date of the year$/],
  ['Mo-Fr 08:00-18:00; PH off', /^`PH off`: public and school holidays are not known; write their dates/],
  ['Mo-Su,PH 10:00-12:00', /public and school holidays are not known/],
  ['SH off', /holidays are not known/],
  ['Mo 09:00+', /hours without an end are not read/],
  ['sunrise-sunset', /times of the sun/],
  ['Mo (sunrise+01:00)-18:00', /times of the sun/],
  ['week 1-10 Mo 10:00-12:00', /weeks of the year/],
  ['2026 Dec 24 off', /years are not read/],
  ['Mo-Fr 0800-1800', /` is not of the form/],
  ['Jan 5,40 off', /is not a date of the year/],
  ['easter off', /Easter is not known/],
  ['Mo[1] 10:00-12:00', /a weekday of a month/],
  ['Mo 10:00-12:00 || Tu 10:00-12:00', /behind `\|\|`/],
  ['Mo 10:00-12:00/01:00', /times that repeat/],
  ['Mo 10:00-12:00 "by appointment"', /comments are not read/],
  ['Mo 10:00-12:00 unknown', /neither open nor closed/],
  ['Mo 08:00-10:00 Tu 08:00-10:00', /` is not of the form/],
  ['Mo;'.repeat(21), /^1 to 20 rules$/],
])('`%s` is refused with its reason', (rule, reason) => {
  expect(() => parseOpeningHours(rule)).toThrow(OpeningHoursInvalid)
  expect(() => parseOpeningHours(rule)).toThrow(reason)
})

test('the first zone that exists counts; without one it is UTC', () => {
  expect(zoneOf([undefined, 'Americas/Denver', 7, 'Europe/Vienna', 'UTC'])).toBe('Europe/Vienna')
  expect(zoneOf(['Nowhere', null])).toBe('UTC')
})
