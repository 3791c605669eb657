/** Recurring times are right on both sides of a clock change. */
import { expect, test } from 'vitest'
import { checkRecurrence, latestOf, nextOf, type Recurrence, RecurrenceInvalid } from './recurrence.ts'

const at = (zone: string, ...crons: string[]): Recurrence => ({ crons, zone })
const next = (recurrence: Recurrence, after: string, count: number) => {
  const times: string[] = []
  for (let time = Date.parse(after); times.length < count; ) {
    time = nextOf(recurrence, time) ?? Number.NaN
    times.push(new Date(time).toISOString().slice(0, 16))
  }
  return times
}

test('nine in the morning stays nine in the morning when clocks change', () => {
  const daily = at('America/New_York', '0 9 * * *')
  expect(next(daily, '2026-03-07T00:00:00Z', 3)).toEqual(['2026-03-07T14:00', '2026-03-08T13:00', '2026-03-09T13:00'])
  expect(next(daily, '2026-10-31T00:00:00Z', 3)).toEqual(['2026-10-31T13:00', '2026-11-01T14:00', '2026-11-02T14:00'])
})

test('a time that a clock change leaves out comes right behind the gap, on that day only', () => {
  expect(next(at('Europe/Berlin', '30 2 * * *'), '2026-03-28T00:00:00Z', 3)).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ])
  expect(next(at('America/Sao_Paulo', '0 0 * * *'), '2018-11-03T04:00:00Z', 2)).toEqual([
    '2018-11-04T03:00',
    '2018-11-05T02:00',
  ])
})

test('a time that comes twice counts once', () => {
  expect(next(at('Europe/Berlin', '30 2 * * *'), '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ])
})

test('the hours of a day are as many as the day has', () => {
  const hourly = at('Europe/Berlin', '0 * * * *')
  expect(next(hourly, '2026-03-29T00:00:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-29T02:00'])
  expect(next(hourly, '2026-10-25T00:00:00Z', 2)).toEqual(['2026-10-25T01:00', '2026-10-25T02:00'])
})

test('the same rule has another time in another zone', () => {
  expect(next(at('Asia/Kolkata', '0 9 * * *'), '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T03:30'])
  expect(next(at('Pacific/Kiritimati', '0 9 * * 1'), '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-04T19:00'])
})

test('the earliest of several patterns counts', () => {
  expect(next(at('UTC', '0 9 30 * *', '0 9 L 2 *'), '2026-01-01T00:00:00Z', 3)).toEqual([
    '2026-01-30T09:00',
    '2026-02-28T09:00',
    '2026-03-30T09:00',
  ])
})

test('a time is not after itself, and is the latest up to itself', () => {
  const daily = at('UTC', '0 9 * * *')
  const nine = Date.UTC(2026, 0, 2, 9)
  expect(nextOf(daily, nine)).toBe(Date.UTC(2026, 0, 3, 9))
  expect(nextOf(daily, nine - 1)).toBe(nine)
  expect(latestOf(daily, nine)).toBe(nine)
  expect(latestOf(daily, nine + 1)).toBe(nine)
  expect(latestOf(daily, nine - 1)).toBe(Date.UTC(2026, 0, 1, 9))
})

test.each([
  ['* * * *', 'UTC'],
  ['@daily', 'UTC'],
  ['0 0 9 * * *', 'UTC'],
  ['2026-01-01T00:00:00Z', 'UTC'],
  ['61 * * * *', 'UTC'],
  ['0 9 * * someday', 'UTC'],
  ['0 9 31 2 *', 'UTC'],
  ['0 9 * * *', 'Mars/Olympus'],
  ['0 9 * * *', ''],
])('%s in %s is refused', (cron, zone) => {
  expect(() => checkRecurrence(at(zone, cron), 0)).toThrow(RecurrenceInvalid)
})

test.each([
  ['0 25 * * MON', 'the hour must be from 0 to 23; it is `25`'],
  ['60 9 * * *', 'the minute must be from 0 to 59; it is `60`'],
  ['0 9 0 * *', 'the day of month must be from 1 to 31, or `L` for the last; it is `0`'],
  ['0 9 * JANUARI *', 'the month must be from 1 to 12, or `JAN` to `DEC`; it is `JANUARI`'],
  ['0 9 * * 1-8', 'the day of week must be from 0 (Sunday) to 7 (Sunday), or `SUN` to `SAT`; it is `1-8`'],
])('the wrong field of %s is named, with its values', (cron, problem) => {
  expect(() => checkRecurrence(at('UTC', cron), 0)).toThrow(`\`${cron}\` is not a cron pattern: ${problem}`)
})

test('the error of a pattern of another length names the fields', () => {
  const problem = 'which has five fields: minute, hour, day of month, month, day of week'
  expect(() => checkRecurrence(at('UTC', 'often'), 0)).toThrow(`\`often\` is not a cron pattern, ${problem}`)
})
