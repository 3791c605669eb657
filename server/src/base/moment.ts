/** Moments as text: the same everywhere, whatever zone the machine is in. */

/** Milliseconds since the epoch; without a zone it is UTC. NaN for what is no moment. */
export function parseMoment(text: string): number {
  const isWithoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
  return Date.parse(isWithoutZone ? `${text}Z` : text)
}
