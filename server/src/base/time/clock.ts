/** Time as a dependency, in milliseconds since the Unix epoch, and as text: the same in whatever zone the machine is. */

export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds since the epoch; without a zone it is UTC. NaN for any other text. */
export function parseTimestamp(text: string): number {
  const isWithoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
  // `+7:00` is an offset to many libraries, and none to `Date.parse` behind a `T`.
  return Date.parse(isWithoutZone ? `${text}Z` : text.replace(/(T[\d:.]+[+-])(\d:\d\d)$/, '$10$2'))
}

/** The same, or milliseconds since the epoch, as a number or in digits. */
export function toTimestamp(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return Number.NaN
  return /^\d{1,15}$/.test(value) ? Number(value) : parseTimestamp(value)
}

/** As replies and sentences show it. */
export const iso = (time: number): string => new Date(time).toISOString()
