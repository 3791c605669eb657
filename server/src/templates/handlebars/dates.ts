/** Dates in the words of `strftime`, in a time zone; English, as the format is the author's own. */
import { parseMoment } from '../../base/moment.ts'

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
const ZONES_MAX = 100

/** Milliseconds, or ISO 8601; undefined for anything else. */
export function epochOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) <= EPOCH_MAX ? value : undefined
  if (typeof value !== 'string' || value.length > 40 || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined
  const moment = parseMoment(value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(moment) ? undefined : moment
}

/** Undefined when the date, the format or the zone is none. Without a zone it is UTC, or what the date itself says. */
export function dateText(value: unknown, format: string, zone: unknown): string | undefined {
  const moment = epochOf(value)
  if (moment === undefined || format.length > FORMAT_CHARACTERS_MAX) return undefined
  const written = typeof value === 'string' ? OFFSET.exec(value) : null
  const named = typeof zone === 'string' && zone !== ''
  const local = named ? inZone(moment, zone) : moment + (written ? offsetOf(written) : 0)
  if (local === undefined) return undefined
  const date = new Date(local)
  return format.replace(/%(.)/g, (code, letter: string) => codes[letter]?.(date) ?? (letter === '%' ? '%' : code))
}

const offsetOf = ([, sign, hours, minutes]: RegExpExecArray) =>
  (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000

const clocks = new Map<string, Intl.DateTimeFormat | undefined>()

function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  if (clocks.has(zone)) return clocks.get(zone)
  if (clocks.size >= ZONES_MAX) clocks.clear()
  clocks.set(zone, clockIn(zone))
  return clocks.get(zone)
}

function clockIn(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { ...CLOCK, timeZone: zone })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The moment whose UTC reads as the clock of the zone does. */
function inZone(moment: number, zone: string): number | undefined {
  const parts = clockOf(zone)?.formatToParts(moment)
  if (!parts) return undefined
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

const two = (value: number) => String(value).padStart(2, '0')
const name = (options: Intl.DateTimeFormatOptions) => {
  const names = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
  return (date: Date) => names.format(date)
}
const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12

const codes: Readonly<Record<string, (date: Date) => string>> = {
  a: name({ weekday: 'short' }),
  A: name({ weekday: 'long' }),
  b: name({ month: 'short' }),
  B: name({ month: 'long' }),
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
