/** Times and amounts in the reader's language and zone; the exact time is in the title. */
import { type ReactNode, useSyncExternalStore } from 'react'
import { useLanguage } from '../language/language.tsx'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** One timer for all times of a page. */
const clock = {
  now: Date.now(),
  readers: new Set<() => void>(),
  timer: undefined as ReturnType<typeof setInterval> | undefined,
  subscribe(reader: () => void) {
    clock.readers.add(reader)
    clock.timer ??= setInterval(() => {
      clock.now = Date.now()
      for (const read of clock.readers) read()
    }, 5 * SECOND)
    return () => {
      clock.readers.delete(reader)
      if (clock.readers.size > 0) return
      clearInterval(clock.timer)
      clock.timer = undefined
    }
  },
}

/** A formatter takes as long to make as a hundred uses of it, and a table has many times. */
function kept<Made>(make: (locale: string, timeZone?: string) => Made): (locale: string, timeZone?: string) => Made {
  const made = new Map<string, Made>()
  return (locale, timeZone) => {
    const name = `${locale} ${timeZone}`
    const format = made.get(name) ?? make(locale, timeZone)
    made.set(name, format)
    return format
  }
}

/** Not `narrow`, whose minutes are meters in German: `vor 6 m`. */
const relativeFormat = kept((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }))
const dateFormat = kept((locale, timeZone) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }))
/** With milliseconds and the zone. */
const exactFormat = kept(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      ...{ year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' },
      ...{ fractionalSecondDigits: 3, timeZoneName: 'short' },
    }),
)
const shortFormat = kept(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      ...{ hour: 'numeric', minute: '2-digit', second: '2-digit' },
      fractionalSecondDigits: 3,
    }),
)

const clockFormats = {
  seconds: kept((locale, timeZone) => new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone })),
  minutes: kept((locale, timeZone) => new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone })),
  dayAndSeconds: kept(
    (locale, timeZone) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone }),
  ),
  dayAndMinutes: kept(
    (locale, timeZone) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
  ),
}

const useNow = () => useSyncExternalStore(clock.subscribe, () => clock.now)

export interface TimeProps {
  /** Milliseconds since the epoch, or an ISO 8601 text. */
  at: number | string | undefined
  exact?: boolean
  /** Other words for it; the exact time stays in the title. */
  children?: ReactNode
}

export function Time({ at, exact = false, children }: TimeProps) {
  const now = useNow()
  const { locale } = useLanguage()
  if (at === undefined) return null
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return <span>{String(at)}</span>
  const full = exactFormat(locale).format(time)
  return (
    <time dateTime={time.toISOString()} title={full}>
      {children ??
        (exact ? shortFormat(locale).format(time) : relativeTime(time.getTime(), Math.max(now, Date.now()), locale))}
    </time>
  )
}

export function relativeTime(at: number, now: number, locale: string): string {
  const format = relativeFormat(locale)
  const distance = at - now
  const size = Math.abs(distance)
  if (size < 10 * SECOND) return format.format(0, 'second')
  if (size < MINUTE) return format.format(Math.round(distance / SECOND), 'second')
  if (size < HOUR) return format.format(Math.round(distance / MINUTE), 'minute')
  if (size < DAY) return format.format(Math.round(distance / HOUR), 'hour')
  if (size < 30 * DAY) return format.format(Math.round(distance / DAY), 'day')
  return dateFormat(locale).format(at)
}

/** `7:40 PM`: with the day where it is another one, and with seconds where a minute would say too little. */
export function timeOfDay(at: number, now: number, locale: string, timeZone?: string): string {
  const { seconds, minutes, dayAndSeconds, dayAndMinutes } = clockFormats
  const isNear = Math.abs(at - now) < 2 * MINUTE
  const isToday = dateFormat(locale, timeZone).format(at) === dateFormat(locale, timeZone).format(now)
  const format = isToday ? (isNear ? seconds : minutes) : isNear ? dayAndSeconds : dayAndMinutes
  return format(locale, timeZone).format(at)
}

/** `840 ms`, `1.2 s`, `3 min`, `2 h`, `5 d`: a length of time in its largest useful unit. */
function formatDuration(ms: number, locale: string, fractionDigits?: number): string {
  const [value, unit] =
    ms < SECOND
      ? [Math.round(ms), 'millisecond']
      : ms < MINUTE
        ? [ms / SECOND, 'second']
        : ms < HOUR
          ? [ms / MINUTE, 'minute']
          : ms < 2 * DAY
            ? [ms / HOUR, 'hour']
            : [ms / DAY, 'day']
  const digits = fractionDigits ?? (ms >= SECOND && value < 10 ? 1 : 0)
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  }).format(value)
}

export function useFormat() {
  const { locale } = useLanguage()
  return {
    number: (value: number) => new Intl.NumberFormat(locale).format(value),
    /** `digits`: behind the point at most; one for less than ten of a unit where nothing is given. */
    duration: (ms: number, digits?: number) => formatDuration(ms, locale, digits),
    timeOfDay: (at: number) => timeOfDay(at, Date.now(), locale),
    /** With the day and seconds. */
    dayAndTime: (at: number) => clockFormats.dayAndSeconds(locale).format(at),
    bytes: (bytes: number) => formatBytes(bytes, locale),
    list: (items: readonly string[]) => new Intl.ListFormat(locale).format(items),
    percent: (share: number) =>
      new Intl.NumberFormat(locale, {
        style: 'percent',
        maximumFractionDigits: share > 0.99 && share < 1 ? 2 : 1,
      }).format(share),
  }
}

function formatBytes(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1_000 ** power
  return new Intl.NumberFormat(locale, {
    ...{ style: 'unit', unit: units[power] ?? 'byte', unitDisplay: 'short' },
    maximumFractionDigits: power > 0 && value < 10 ? 1 : 0,
  }).format(value)
}
