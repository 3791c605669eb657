/** Time as a dependency, in milliseconds since the Unix epoch, and as text: the same in whatever zone the machine is. */

export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds since the epoch; without a zone it is UTC. NaN for any other text, and for a day that does not exist. */
export function parseTimestamp(text: string): number {
  if (!isDay(text)) return Number.NaN
  const isWithoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
  // `+7:00` is an offset to many libraries, and none to `Date.parse` behind a `T`.
  return Date.parse(isWithoutZone ? `${text}Z` : text.replace(/(T[\d:.]+[+-])(\d:\d\d)$/, '$10$2'))
}

/** False for a day that does not exist: `Date.parse` takes 30 February for 2 March. */
export function isDay(text: string): boolean {
  const [, year, month, day] = /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)/.exec(text) ?? []
  if (day === undefined) return true
  return new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day)
}

/** The same, or milliseconds since the epoch, as a number or in digits. */
export function toTimestamp(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return Number.NaN
  return /^\d{1,15}$/.test(value) ? Number(value) : parseTimestamp(value)
}

/** As replies and sentences show it. */
export const iso = (time: number): string => new Date(time).toISOString()
