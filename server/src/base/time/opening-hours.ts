/** Opening hours such as `Mo-Fr 08:00-18:00`, and timestamps beside them, read in a time zone, for the next 90 days. */

import { Temporal } from 'temporal-polyfill'
import { memo } from '../perf/cache.ts'
import { parseTimestamp } from './clock.ts'
import { DAY } from './duration.ts'

/** The rule cannot be read. */
export class OpeningHoursInvalid extends Error {
  override readonly name = 'OpeningHoursInvalid'
}

/** Minutes of a day; `until` beyond a day reaches into the next one. Equal ends: open at that minute only. */
interface Span {
  from: number
  until: number
}

interface Rule {
  /** 1 is Monday, 7 Sunday. */
  days: ReadonlySet<number>
  /** Undefined: the whole year. */
  dates: { from: number; until: number } | undefined
  spans: readonly Span[]
}

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MINUTES_A_DAY = 24 * 60
const LOOK_AHEAD_DAYS = 90
/** More than any shop has. */
const RULES_MAX = 20

const PARSED_MAX = 1_000

/** Throws `OpeningHoursInvalid`. */
export const parseOpeningHours = memo(PARSED_MAX, (text): readonly Rule[] => {
  const parts = text.split(';').map((part) => part.trim())
  const rules = parts.filter((part) => part !== '').map(ruleOf)
  if (rules.length === 0 || rules.length > RULES_MAX) throw new OpeningHoursInvalid(`1 to ${RULES_MAX} rules`)
  return rules
})

/** The first time from `now` on at which it is open: `now` itself while it is; undefined when not within 90 days. */
export function nextOpening(text: string, zone: string, now: number): number | undefined {
  const rules = parseOpeningHours(text)
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate()
  let first: number | undefined
  // From yesterday: its night may still be open.
  for (let ahead = -1; ahead <= LOOK_AHEAD_DAYS; ahead += 1) {
    const day = today.add({ days: ahead })
    for (const rule of rules) {
      if (!isOn(rule, day)) continue
      for (const span of rule.spans) {
        const opening = openingOf(day, span, zone, now)
        if (opening !== undefined && (first === undefined || opening < first)) first = opening
      }
    }
    if (first !== undefined) return first <= now + LOOK_AHEAD_DAYS * DAY ? first : undefined
  }
  return undefined
}

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
  for (const candidate of candidates) if (typeof candidate === 'string' && isZone(candidate)) return candidate
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

const ZONES_MAX = 2_000

export const isZone = (name: string): boolean => name.length <= 64 && canUse(name)

const canUse = memo(ZONES_MAX, (name) => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
})

function openingOf(day: Temporal.PlainDate, { from, until }: Span, zone: string, now: number): number | undefined {
  const opens = instantOf(day, from, zone)
  const closes = from === until ? opens + 60_000 : instantOf(day, until, zone)
  return now < closes ? Math.max(opens, now) : undefined
}

/** An hour that a clock change skips or repeats is the one at the offset before the change. */
function instantOf(day: Temporal.PlainDate, minutes: number, zone: string): number {
  const date = day.add({ days: Math.floor(minutes / MINUTES_A_DAY) })
  const time = Temporal.PlainTime.from({ hour: Math.floor((minutes % MINUTES_A_DAY) / 60), minute: minutes % 60 })
  return date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds
}

function isOn({ days, dates }: Rule, day: Temporal.PlainDate): boolean {
  if (!days.has(day.dayOfWeek)) return false
  if (!dates) return true
  const date = day.month * 100 + day.day
  const { from, until } = dates
  return from <= until ? date >= from && date <= until : date >= from || date <= until
}

const DATES = /^([A-Z][a-z]{2})(?: (\d{1,2}))?(?:-(?:([A-Z][a-z]{2})(?: (\d{1,2}))?|(\d{1,2})))?(?: |$)/
const DAYS = /^((?:Mo|Tu|We|Th|Fr|Sa|Su)(?:[-,] ?(?:Mo|Tu|We|Th|Fr|Sa|Su))*)(?: |$)/

function ruleOf(text: string): Rule {
  let rest = text
  const dates = MONTHS.includes(rest.slice(0, 3)) ? DATES.exec(rest) : null
  if (dates) rest = rest.slice(dates[0].length)
  const days = DAYS.exec(rest)
  if (days) rest = rest.slice(days[0].length)
  const spans = rest.trim() === '' || rest.trim() === '24/7' ? [{ from: 0, until: MINUTES_A_DAY }] : spansOf(rest, text)
  if (!dates && !days && rest.trim() === '') throw new OpeningHoursInvalid(`\`${text}\` has no hours`)
  return { days: daysOf(days?.[1]), dates: dates ? datesOf(dates, text) : undefined, spans }
}

function daysOf(text: string | undefined): ReadonlySet<number> {
  const days = new Set<number>()
  for (const part of text ? text.split(',') : ['Mo-Su']) {
    const [from = '', until = from] = part.trim().split('-')
    const last = WEEKDAYS.indexOf(until)
    for (let day = WEEKDAYS.indexOf(from); ; day = (day + 1) % 7) {
      days.add(day + 1)
      if (day === last) break
    }
  }
  return days
}

function datesOf([, month = '', day, untilMonth, untilDay, sameMonthDay]: RegExpExecArray, text: string) {
  const dateOf = (name: string, number: number) => {
    const at = MONTHS.indexOf(name)
    if (at < 0 || number < 1 || number > 31) throw new OpeningHoursInvalid(`\`${text}\` is not a date of the year`)
    return (at + 1) * 100 + number
  }
  const from = dateOf(month, Number(day ?? 1))
  if (sameMonthDay) return { from, until: dateOf(month, Number(sameMonthDay)) }
  if (untilMonth) return { from, until: dateOf(untilMonth, Number(untilDay ?? 31)) }
  return { from, until: dateOf(month, Number(day ?? 31)) }
}

function spansOf(text: string, rule: string): Span[] {
  return text.split(',').map((part) => {
    const match = /^(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/.exec(part.trim())
    const [hour, minute, lastHour, lastMinute] = (match?.slice(1) ?? []).map(Number)
    if (hour === undefined || minute === undefined || lastHour === undefined || lastMinute === undefined)
      throw new OpeningHoursInvalid(`\`${rule}\` is not of the form \`Mo-Fr 08:00-18:00\``)
    const from = hour * 60 + minute
    const until = lastHour * 60 + lastMinute
    if (minute > 59 || lastMinute > 59 || from > MINUTES_A_DAY || until > MINUTES_A_DAY)
      throw new OpeningHoursInvalid(`\`${rule}\` is not a time of day`)
    return { from, until: until < from ? until + MINUTES_A_DAY : until }
  })
}
