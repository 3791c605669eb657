/** Units of time in milliseconds, so that bounds read as sentences, and durations that callers write in them. */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(ms|msecs?|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, SECOND],
  [/^(m|mins?|minutes?)$/, MINUTE],
  [/^(h|hrs?|hours?)$/, HOUR],
  [/^(d|days?)$/, DAY],
  [/^(w|weeks?)$/, 7 * DAY],
  [/^(y|yrs?|years?)$/, 365.25 * DAY],
]

/** `2 days`, `1.5h`, `30 minutes` in milliseconds; undefined for anything else, a number without its unit included. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ''] = /^\s*(\d{1,15}(?:\.\d{1,15})?)\s{0,9}([a-z]{1,12})\s*$/i.exec(text) ?? []
  const scale = UNITS.find(([names]) => names.test(unit.toLowerCase()))?.[1]
  return number === undefined || scale === undefined ? undefined : Number(number) * scale
}
