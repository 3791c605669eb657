/** Dates formatted as by `strftime`, in a time zone; in English, because the format is the author's own. */
import { memo } from '../../base/perf/cache.ts'
import { parseTimestamp } from '../../base/time/clock.ts'

const OFFSET = /T.*([+-])(\d\d):?(\d\d)$/
const CLOCK: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
}

/** The greatest distance of a `Date` from 1970. */
const EPOCH_MAX = 8.64e15
const FORMAT_CHARACTERS_MAX = 200
/** More than there are names of zones: a clock takes some 100 µs to make, and 30 kB. */
const CLOCKS_MAX = 700
/** The longest name has 32. */
const ZONE_CHARACTERS_MAX = 64

/** Milliseconds, or ISO 8601; undefined for anything else. */
export function epochOf(value: number | string | undefined): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) <= EPOCH_MAX ? value : undefined
  if (typeof value !== 'string' || value.length > 40 || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined
  const time = parseTimestamp(value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(time) ? undefined : time
}

/** Undefined when the date, the format or the zone is none. Without a zone it is UTC, or what the date itself says. */
export function dateText(
  value: number | string | undefined,
  format: string,
  zone: string | undefined,
): string | undefined {
  const time = epochOf(value)
  if (time === undefined || format.length > FORMAT_CHARACTERS_MAX) return undefined
  const written = typeof value === 'string' ? OFFSET.exec(value) : null
  const local = zone !== undefined ? inZone(time, zone) : time + (written ? offsetOf(written) : 0)
  if (local === undefined) return undefined
  const date = new Date(local)
  return format.replace(/%(.)/g, (code, letter: string) => codes[letter]?.(date) ?? (letter === '%' ? '%' : code))
}

const offsetOf = ([, sign, hours, minutes]: RegExpExecArray) =>
  (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000

/** A name in any case is the same zone. Throws `RangeError` for one that is none. */
const clockOf = memo(CLOCKS_MAX, (zone) => new Intl.DateTimeFormat('en-US', { ...CLOCK, timeZone: zone }))

/** Whether a date can be written in it. */
export function isClockZone(zone: string): boolean {
  return inZone(0, zone) !== undefined
}

/** The time whose UTC fields equal the local time in the zone. */
function inZone(time: number, zone: string): number | undefined {
  if (zone.length > ZONE_CHARACTERS_MAX) return undefined
  try {
    // `formatToParts` takes four times as long.
    const [month = 1, day, year = 0, hour, minute, second] = (
      clockOf(zone.toLowerCase()).format(time).match(/\d+/g) ?? []
    ).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const two = (value: number) => String(value).padStart(2, '0')
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const weekday = (date: Date) => WEEKDAYS[date.getUTCDay()] ?? ''
const month = (date: Date) => MONTHS[date.getUTCMonth()] ?? ''
const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12

const codes: Readonly<Record<string, (date: Date) => string>> = {
  a: (date) => weekday(date).slice(0, 3),
  A: weekday,
  b: (date) => month(date).slice(0, 3),
  B: month,
  d: (date) => two(date.getUTCDate()),
  e: (date) => String(date.getUTCDate()).padStart(2, ' '),
  H: (date) => two(date.getUTCHours()),
  I: (date) => two(hour12(date)),
  j: (date) => String(dayOfYear(date)).padStart(3, '0'),
  m: (date) => two(date.getUTCMonth() + 1),
  M: (date) => two(date.getUTCMinutes()),
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  S: (date) => two(date.getUTCSeconds()),
  w: (date) => String(date.getUTCDay()),
  y: (date) => two(date.getUTCFullYear() % 100),
  Y: (date) => String(date.getUTCFullYear()),
}
