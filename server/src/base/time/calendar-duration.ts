/** Durations of the calendar, in which a month has no fixed length. Apart from the units, which threads load without a calendar. */
import { Temporal } from 'temporal-polyfill'

/** When `P1DT4H` from `start` on is over; months and years as in the calendar of UTC. Undefined for what is no duration. */
export function durationEnd(duration: string | Temporal.DurationLike, start: number): number | undefined {
  try {
    const length = Temporal.Duration.from(duration)
    if (length.sign < 0) return undefined
    return Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO('UTC').add(length).epochMilliseconds
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const CALENDAR_UNITS: readonly (readonly [
  RegExp,
  'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years',
])[] = [
  [/^(s|secs?|seconds?)$/, 'seconds'],
  [/^(m|mins?|minutes?)$/, 'minutes'],
  [/^(h|hrs?|hours?)$/, 'hours'],
  [/^(d|days?)$/, 'days'],
  [/^(w|weeks?)$/, 'weeks'],
  [/^months?$/, 'months'],
  [/^(y|yrs?|years?)$/, 'years'],
]

/** When `2 days`, `1 month` or `P1DT2H` from `now` is over; undefined for anything else. Months and years as in the calendar of UTC. */
export function endOfDuration(text: string, now: number): number | undefined {
  const [, number, word = ''] = /^\s*(\d{1,9})\s{0,9}([a-z]{1,12})\s*$/i.exec(text) ?? []
  const unit = CALENDAR_UNITS.find(([names]) => names.test(word.toLowerCase()))?.[1]
  if (number !== undefined && unit) return durationEnd({ [unit]: Number(number) }, now)
  return /^\s*P/i.test(text) ? durationEnd(text.trim(), now) : undefined
}
