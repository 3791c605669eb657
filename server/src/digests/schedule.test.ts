/** Digests come at the time of day of their schedule, and recipients are on the one they chose. */
import type { DigestSchedule } from '@postrider/contract'
import { expect, test } from 'vitest'
import { releaseOf, scheduleFor } from './schedule.ts'

const schedule = (cadence: Partial<DigestSchedule>, id = 'sch_1'): DigestSchedule => ({
  schedule_id: id,
  is_default: false,
  disabled: false,
  ...cadence,
})
const releases = (cadence: Partial<DigestSchedule>, after: string, count: number) => {
  const times: string[] = []
  for (let time = Date.parse(after); times.length < count; ) {
    time = releaseOf(schedule(cadence), time)
    times.push(new Date(time).toISOString().slice(0, 16))
  }
  return times
}

test.each<[string, Partial<DigestSchedule>, string[]]>([
  ['daily', { frequency: 'daily', time: '09:00' }, ['2026-01-30T09:00', '2026-01-31T09:00', '2026-02-01T09:00']],
  ['weekdays', { frequency: 'weekdays', time: '09:05' }, ['2026-01-30T09:05', '2026-02-02T09:05', '2026-02-03T09:05']],
  ['weekly', { frequency: 'weekly', time: '18:30', day_of_week: 'sunday' }, ['2026-02-01T18:30', '2026-02-08T18:30']],
  [
    'custom_days',
    { frequency: 'custom_days', time: '00:00', days_of_week: ['monday', 'saturday'] },
    ['2026-01-31T00:00', '2026-02-02T00:00', '2026-02-07T00:00'],
  ],
  ['monthly', { frequency: 'monthly', time: '09:00', day_of_month: 5 }, ['2026-02-05T09:00', '2026-03-05T09:00']],
  ['cron', { cron: '*/30 12 * * *' }, ['2026-01-30T12:00', '2026-01-30T12:30', '2026-01-31T12:00']],
])('%s', (_name, cadence, expected) => {
  expect(releases(cadence, '2026-01-30T00:00:00Z', expected.length)).toEqual(expected)
})

test.each([
  [29, ['2026-01-29', '2026-02-28', '2026-03-29', '2026-04-29']],
  [30, ['2026-01-30', '2026-02-28', '2026-03-30', '2026-04-30']],
  [31, ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']],
])('the day %i of a shorter month is its last one', (day, expected) => {
  const times = releases({ frequency: 'monthly', time: '09:00', day_of_month: day }, '2026-01-01T00:00:00Z', 4)
  expect(times).toEqual(expected.map((date) => `${date}T09:00`))
})

test('the twenty-ninth comes once in a leap year', () => {
  const monthly = { frequency: 'monthly', time: '09:00', day_of_month: 29 } as const
  expect(releases(monthly, '2028-02-01T00:00:00Z', 2)).toEqual(['2028-02-29T09:00', '2028-03-29T09:00'])
})

test('a day is a day of its zone, whatever the clock does there', () => {
  const zoned = { frequency: 'daily', time: '09:00', timezone: 'Europe/Berlin' } as const
  expect(releases(zoned, '2026-03-28T00:00:00Z', 3)).toEqual([
    '2026-03-28T08:00',
    '2026-03-29T07:00',
    '2026-03-30T07:00',
  ])
  expect(releases(zoned, '2026-10-24T00:00:00Z', 3)).toEqual([
    '2026-10-24T07:00',
    '2026-10-25T08:00',
    '2026-10-26T08:00',
  ])
  const monday = { frequency: 'weekly', time: '01:00', day_of_week: 'monday', timezone: 'Pacific/Auckland' } as const
  expect(releases(monday, '2026-01-02T00:00:00Z', 1)).toEqual(['2026-01-04T12:00'])
})

test('a time that is left out in spring and comes twice in autumn is one release on each day', () => {
  const early = { frequency: 'daily', time: '02:30', timezone: 'America/New_York' } as const
  expect(releases(early, '2026-03-07T12:00:00Z', 2)).toEqual(['2026-03-08T07:00', '2026-03-09T06:30'])
  const half = { frequency: 'daily', time: '01:30', timezone: 'America/New_York' } as const
  expect(releases(half, '2026-10-31T12:00:00Z', 2)).toEqual(['2026-11-01T05:30', '2026-11-02T06:30'])
})

test('instant is now', () => {
  expect(releaseOf(schedule({ frequency: 'instant' }), 5)).toBe(5)
})

test('a recipient is on the schedule of its choice, else on the default, else on the first; never on a disabled one', () => {
  const digest = (...schedules: DigestSchedule[]) => ({ template_id: 't', schedules, categories: [] })
  const [daily, weekly] = [schedule({}, 'daily'), schedule({ is_default: true }, 'weekly')]
  const off = schedule({ disabled: true }, 'off')
  expect(scheduleFor(digest(daily, weekly), 'daily')).toBe(daily)
  expect(scheduleFor(digest(daily, weekly), null)).toBe(weekly)
  expect(scheduleFor(digest(daily, weekly), 'gone')).toBe(weekly)
  expect(scheduleFor(digest(off, daily), null)).toBe(daily)
  expect(scheduleFor(digest(daily, off), 'off')).toBe(daily)
  expect(scheduleFor(digest(off), 'off')).toBeUndefined()
})
