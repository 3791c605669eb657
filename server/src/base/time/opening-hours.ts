/** Opening hours such as `Mo-Fr 08:00-18:00`, and timestamps beside them, read in a time zone, for the next two years. */

import { delayMsMax } from '@postrider/contract'
import { Temporal } from 'temporal-polyfill'
import { memo } from '../perf/cache.ts'
import { parseTimestamp } from './clock.ts'
import { DAY } from './duration.ts'
import { MINUTES_A_DAY, OpeningHoursInvalid, type Rule, readRules, type Span } from './opening-rules.ts'
import { isKnownTimeZone } from './time-zone.ts'

const LOOK_AHEAD_DAYS = delayMsMax / DAY
const PARSED_MAX = 1_000

/** Throws `OpeningHoursInvalid`. */
export const parseOpeningHours = memo(PARSED_MAX, readRules)

/** The first time from `now` on at which it is open: `now` itself while it is; undefined when not within two years. */
export function nextOpening(text: string, zone: string, now: number): number | undefined {
  const rules = parseOpeningHours(text)
  if (rules.every(({ isOff }) => isOff)) return undefined
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate()
  let yesterday = today.subtract({ days: 1 })
  let before = hoursOn(yesterday, { rules, yesterday: yesterday.subtract({ days: 1 }), before: [] })
  for (let ahead = 0; ahead <= LOOK_AHEAD_DAYS; ahead += 1) {
    const day = yesterday.add({ days: 1 })
    const hours = hoursOn(day, { rules, yesterday, before })
    const openings = hours.flatMap((span) => openingOf(day, span, zone, now) ?? [])
    if (openings.length > 0) return Math.min(...openings)
    yesterday = day
    before = hours
  }
  return undefined
}

interface Hours extends Span {
  /** The place of the rule that they are from. */
  rule: number
}

interface Eve {
  rules: readonly Rule[]
  yesterday: Temporal.PlainDate
  /** The hours of yesterday; those beyond midnight are hours of the day. */
  before: readonly Hours[]
}

/** The hours of a day, also those that end on the next one. A later rule decides about all hours of its days. */
function hoursOn(day: Temporal.PlainDate, { rules, yesterday, before }: Eve): Hours[] {
  let hours: Hours[] = []
  for (const [index, rule] of rules.entries()) {
    const spans = isOn(rule, day) ? rule.spans.map((span) => ({ ...span, rule: index })) : undefined
    if (rule.isOff) {
      if (spans?.length === 0) hours = []
      const closed = [...(spans ?? []), ...(isOn(rule, yesterday) ? rule.spans.flatMap(beyondMidnight) : [])]
      hours = closed.reduce(without, hours)
    } else {
      if (spans && doesReplace(rules, index)) hours = []
      hours.push(...(spans ?? []), ...before.filter((each) => each.rule === index).flatMap(beyondMidnight))
    }
  }
  return hours
}

/** As opening_hours.js has it, hours of every day are added to those of a rule with days. */
function doesReplace(rules: readonly Rule[], index: number): boolean {
  const hasDays = ({ days, dates }: Rule) => days !== undefined || dates !== undefined
  const [rule, earlier] = [rules[index], rules[index - 1]]
  return rule?.isAdditional === false && (hasDays(rule) || (earlier !== undefined && !hasDays(earlier)))
}

const beyondMidnight = <Hour extends Span>(span: Hour): Hour[] =>
  span.until > MINUTES_A_DAY
    ? [{ ...span, from: Math.max(0, span.from - MINUTES_A_DAY), until: span.until - MINUTES_A_DAY }]
    : []

const without = (hours: Hours[], closed: Span): Hours[] =>
  hours.flatMap((span) =>
    [
      { ...span, until: Math.min(span.until, closed.from) },
      { ...span, from: Math.max(span.from, closed.until) },
    ].filter(({ from, until }) => from < until),
  )

/** The time of a timestamp, or the next opening of opening hours; undefined for any other text. */
export function nextTime(text: string, timezone: string | undefined, now: number): number | undefined {
  const rule = expanded(text.trim())
  if (!/^[+-]?\d{4,6}-\d{2}/.test(rule)) return openingIn(rule, timezone, now)
  const isLocal = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/.test(rule) && !Number.isNaN(Date.parse(rule))
  const time = timezone !== undefined && isLocal ? localTimestamp(rule, timezone) : parseTimestamp(rule)
  return Number.isNaN(time) ? undefined : time
}

/** A timestamp with a zone is the same time in every zone. */
export const isInstant = (text: string) => /^\d{4}-?\d\d-?\d\dT[\d:.]{4,20}(?:Z|[+-]\d\d:?\d\d)$/.test(text.trim())

/** `20240408T080910.123` and `20240408` as ISO 8601 with its marks. */
function expanded(text: string): string {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text)
  if (!match) return text
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = ''] = match
  const date = `${year}-${month}-${day}`
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second}${fraction}${zone}`
}

function openingIn(rule: string, timezone: string | undefined, now: number): number | undefined {
  try {
    return nextOpening(rule, zoneOf([timezone]), now)
  } catch (error) {
    if (error instanceof OpeningHoursInvalid) return undefined
    throw error
  }
}

/** The first of these that names a zone, else UTC. An unknown zone is skipped. */
export function zoneOf(candidates: readonly unknown[]): string {
  for (const candidate of candidates) if (typeof candidate === 'string' && isKnownTimeZone(candidate)) return candidate
  return 'UTC'
}

/** The fields of a profile that may name its zone, for `zoneOf`. */
export const zonesOf = ({ zoneinfo, timezone }: Readonly<Record<string, unknown>>) => [zoneinfo, timezone]

/** A date and time of day in a zone; NaN when the calendar has no such day. */
export function localTimestamp(text: string, zone: string): number {
  try {
    return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds
  } catch (error) {
    if (error instanceof RangeError) return Number.NaN
    throw error
  }
}

/** Hours after midnight are hours of the next day, whose rules decide about them. */
function openingOf(day: Temporal.PlainDate, { from, until }: Span, zone: string, now: number): number | undefined {
  if (from >= MINUTES_A_DAY) return undefined
  const opens = instantOf(day, from, zone)
  const closes = instantOf(day, until, zone)
  return now < closes ? Math.max(opens, now) : undefined
}

/** An hour that a clock change skips or repeats is the one at the offset before the change. */
function instantOf(day: Temporal.PlainDate, minutes: number, zone: string): number {
  const date = day.add({ days: Math.floor(minutes / MINUTES_A_DAY) })
  const time = Temporal.PlainTime.from({ hour: Math.floor((minutes % MINUTES_A_DAY) / 60), minute: minutes % 60 })
  return date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds
}

function isOn({ days, dates }: Rule, day: Temporal.PlainDate): boolean {
  if (days && !days.has(day.dayOfWeek)) return false
  if (!dates) return true
  const date = day.month * 100 + day.day
  return dates.some(({ from, until }) =>
    from <= until ? date >= from && date <= until : date >= from || date <= until,
  )
}
