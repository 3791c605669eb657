/** Recurring times: cron patterns in a time zone, their next and their last time. */
import { Cron } from 'croner'
import { createCache } from '../perf/cache.ts'
import { quoted } from '../quote.ts'
import { SECOND } from './duration.ts'
import { timeZoneAdvice } from './time-zone.ts'

/** The pattern or the zone cannot be read, or it never comes. */
export class RecurrenceInvalid extends Error {
  override readonly name = 'RecurrenceInvalid'
}

const fields = [
  ['minute', 'from 0 to 59'],
  ['hour', 'from 0 to 23'],
  ['day of month', 'from 1 to 31, or `L` for the last'],
  ['month', 'from 1 to 12, or `JAN` to `DEC`'],
  ['day of week', 'from 0 (Sunday) to 7 (Sunday), or `SUN` to `SAT`'],
] as const
const fieldNames = fields.map(([name]) => name)

export interface Recurrence {
  /** Five fields each; due whenever any of them is. */
  crons: readonly string[]
  /** An IANA name. */
  zone: string
}

const COMPILED_MAX = 2_000
const patterns = createCache<string, Cron>({ entriesMax: COMPILED_MAX })

/** Throws `RecurrenceInvalid`. */
export function checkRecurrence(recurrence: Recurrence, now: number): void {
  if (nextOf(recurrence, now) === undefined) throw new RecurrenceInvalid(`\`${recurrence.crons[0]}\` never comes`)
}

/**
 * The first time after this one. A time of day that a clock change leaves out is the first time behind the gap, one
 * that comes twice counts once; a pattern that repeats within hours skips the gap and comes in both.
 */
export function nextOf({ crons, zone }: Recurrence, after: number): number | undefined {
  const times = crons.flatMap((cron) => patternOf(cron, zone).nextRun(new Date(after))?.getTime() ?? [])
  return times.length > 0 ? Math.min(...times) : undefined
}

/** The last time up to now. */
export function latestOf({ crons, zone }: Recurrence, now: number): number | undefined {
  // The library compares whole seconds, those before the given one.
  const before = new Date(Math.floor(now / SECOND) * SECOND + SECOND)
  const times = crons.flatMap((cron) => patternOf(cron, zone).previousRuns(1, before)[0]?.getTime() ?? [])
  return times.length > 0 ? Math.max(...times) : undefined
}

function patternOf(cron: string, zone: string): Cron {
  const key = `${zone} ${cron}`
  const cachedPattern = patterns.get(key)
  if (cachedPattern) return cachedPattern
  const pattern = compile(cron, zone)
  patterns.set(key, pattern)
  return pattern
}

function compile(cron: string, zone: string): Cron {
  // Nicknames, dates and seconds are dialects of the library's own.
  if (cron.trim().split(/\s+/).length !== 5)
    throw new RecurrenceInvalid(`\`${cron}\` is not a cron pattern, which has five fields: ${fieldNames.join(', ')}`)
  // Without one, that of the machine would be taken.
  if (zone === '') throw new RecurrenceInvalid('A time zone is missing')
  try {
    const pattern = new Cron(cron.trim(), { timezone: zone, mode: '5-part', paused: true })
    // The zone is checked only when a time is computed.
    pattern.nextRun(new Date(0))
    return pattern
  } catch (error) {
    const isZone = error instanceof Error && /timezone/i.test(error.message)
    const problem = isZone
      ? `\`${zone}\` is not a time zone${timeZoneAdvice(zone)}`
      : `\`${cron}\` is not a cron pattern${fieldError(cron)}`
    throw new RecurrenceInvalid(problem, { cause: error })
  }
}

/** The first field that alone is none; empty where each is one. */
function fieldError(cron: string): string {
  for (const [index, field] of cron.trim().split(/\s+/).entries()) {
    const [name, values] = fields[index] ?? []
    if (name !== undefined && !isField(field, index)) return `: the ${name} must be ${values}; it is ${quoted(field)}`
  }
  return ''
}

function isField(field: string, index: number): boolean {
  try {
    new Cron(fieldNames.map((_, other) => (other === index ? field : '*')).join(' '), { mode: '5-part', paused: true })
    return true
  } catch {
    return false
  }
}
