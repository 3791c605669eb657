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
function kept<Made>(make: (language: string) => Made): (language: string) => Made {
  const made = new Map<string, Made>()
  return (language) => {
    const format = made.get(language) ?? make(language)
    made.set(language, format)
    return format
  }
}

const relativeFormat = kept((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' }))
const dateFormat = kept((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }))
/** With milliseconds and the zone. */
const exactFormat = kept(
  (language) =>
    new Intl.DateTimeFormat(language, {
      ...{ year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' },
      ...{ fractionalSecondDigits: 3, timeZoneName: 'short' },
    }),
)
const shortFormat = kept(
  (language) =>
    new Intl.DateTimeFormat(language, {
      ...{ hour: 'numeric', minute: '2-digit', second: '2-digit' },
      fractionalSecondDigits: 3,
    }),
)

const timeOfDayFormat = kept((language) => new Intl.DateTimeFormat(language, { timeStyle: 'short' }))
const dayAndTimeFormat = kept(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }),
)

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
  const { language } = useLanguage()
  if (at === undefined) return null
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return <span>{String(at)}</span>
  const full = exactFormat(language).format(time)
  return (
    <time dateTime={time.toISOString()} title={full}>
      {children ??
        (exact
          ? shortFormat(language).format(time)
          : relativeTime(time.getTime(), Math.max(now, Date.now()), language))}
    </time>
  )
}

export function relativeTime(at: number, now: number, language: string): string {
  const format = relativeFormat(language)
  const distance = at - now
  const size = Math.abs(distance)
  if (size < 10 * SECOND) return format.format(0, 'second')
  if (size < MINUTE) return format.format(Math.round(distance / SECOND), 'second')
  if (size < HOUR) return format.format(Math.round(distance / MINUTE), 'minute')
  if (size < DAY) return format.format(Math.round(distance / HOUR), 'hour')
  if (size < 30 * DAY) return format.format(Math.round(distance / DAY), 'day')
  return dateFormat(language).format(at)
}

/** `840 ms`, `1.2 s`, `3 min`, `2 h`, `5 d`: a length of time in its largest useful unit. */
function formatDuration(ms: number, language: string, fractionDigits?: number): string {
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
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  }).format(value)
}

export function useFormat() {
  const { language } = useLanguage()
  return {
    number: (value: number) => new Intl.NumberFormat(language).format(value),
    /** `digits`: behind the point at most; one for less than ten of a unit where nothing is given. */
    duration: (ms: number, digits?: number) => formatDuration(ms, language, digits),
    /** `7:40 PM`, with the day where it is another one. */
    timeOfDay: (at: number) =>
      (new Date(at).toDateString() === new Date().toDateString() ? timeOfDayFormat : dayAndTimeFormat)(language).format(
        at,
      ),
    bytes: (bytes: number) => formatBytes(bytes, language),
    list: (items: readonly string[]) => new Intl.ListFormat(language).format(items),
    percent: (share: number) =>
      new Intl.NumberFormat(language, {
        style: 'percent',
        maximumFractionDigits: share > 0.99 && share < 1 ? 2 : 1,
      }).format(share),
  }
}

function formatBytes(bytes: number, language: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1_000 ** power
  return new Intl.NumberFormat(language, {
    ...{ style: 'unit', unit: units[power] ?? 'byte', unitDisplay: 'short' },
    maximumFractionDigits: power > 0 && value < 10 ? 1 : 0,
  }).format(value)
}
