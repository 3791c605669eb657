/** Durations as callers write them. */
import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, parseDuration, SECOND } from './duration.ts'

test.each([
  ['250ms', 250],
  ['30s', 30 * SECOND],
  ['2 minutes', 2 * MINUTE],
  ['1 min', MINUTE],
  ['10h', 10 * HOUR],
  ['2.5 hrs', 2.5 * HOUR],
  ['2 days', 2 * DAY],
  ['1w', 7 * DAY],
  ['1Y', 365.25 * DAY],
])('%s', (text, ms) => expect(parseDuration(text)).toBe(ms))

test.each(['', '10', '-1 h', 'h', '1 fortnight', '1h 30m', '1e9 s', `${'9'.repeat(400)}h`])('%j is none', (text) =>
  expect(parseDuration(text)).toBeUndefined(),
)
