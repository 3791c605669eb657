/** The times that steps name: durations in calendar units, moments, opening hours. */
import { durationEnd } from '../base/duration.ts'
import { parseMoment } from '../base/moment.ts'
import { localMoment, nextOpening, OpeningHoursInvalid, zoneOf } from '../base/opening-hours.ts'

const UNITS: readonly (readonly [RegExp, 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years'])[] = [
  [/^(s|secs?|seconds?)$/, 'seconds'],
  [/^(m|mins?|minutes?)$/, 'minutes'],
  [/^(h|hrs?|hours?)$/, 'hours'],
  [/^(d|days?)$/, 'days'],
  [/^(w|weeks?)$/, 'weeks'],
  [/^months?$/, 'months'],
  [/^(y|yrs?|years?)$/, 'years'],
]

/** When `2 days`, `1 month` or `P1DT2H` from `now` is over; undefined for anything else. Months and years as in the calendar of UTC. */
export function after(text: string, now: number): number | undefined {
  const [, number, word = ''] = /^\s*(\d{1,9})\s{0,9}([a-z]{1,12})\s*$/i.exec(text) ?? []
  const unit = UNITS.find(([names]) => names.test(word.toLowerCase()))?.[1]
  if (number !== undefined && unit) return durationEnd({ [unit]: Number(number) }, now)
  return /^\s*P/i.test(text) ? durationEnd(text.trim(), now) : undefined
}

/** When it is that moment, or when the hours are open the next time; undefined for what is neither. */
export function until(text: string, timezone: string | undefined, now: number): number | undefined {
  const rule = expanded(text.trim())
  if (!/^[+-]?\d{4,6}-\d{2}/.test(rule)) return opening(rule, timezone, now)
  const isLocal = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/.test(rule) && !Number.isNaN(Date.parse(rule))
  const moment = timezone !== undefined && isLocal ? localMoment(rule, timezone) : parseMoment(rule)
  return Number.isNaN(moment) ? undefined : moment
}

/** It is the same moment in every zone. */
export const isInstant = (text: string) => /^\d{4}-?\d\d-?\d\dT[\d:.]{4,20}(?:Z|[+-]\d\d:?\d\d)$/.test(text.trim())

export const isZone = (name: string) => name === 'UTC' || zoneOf([name]) === name

/** `20240408T080910.123` and `20240408` as ISO 8601 with its marks. */
function expanded(text: string): string {
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text)
  if (!found) return text
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = ''] = found
  const date = `${year}-${month}-${day}`
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second}${fraction}${zone}`
}

function opening(rule: string, timezone: string | undefined, now: number): number | undefined {
  try {
    return nextOpening(rule, zoneOf([timezone]), now)
  } catch (error) {
    if (error instanceof OpeningHoursInvalid) return undefined
    throw error
  }
}
