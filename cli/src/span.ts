/** Writes lengths of time. */
import { countText } from './count-text.ts'

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** The two largest units: `2 days 3 hours`. */
export function span(ms: number): string {
  const parts: string[] = []
  let rest = ms
  for (const [length, name] of UNITS) {
    const number = Math.floor(rest / length)
    rest -= number * length
    if (number > 0 && parts.length < 2) parts.push(countText(number, name))
  }
  return parts.length > 0 ? parts.join(' ') : ms === 0 ? 'no time' : `${ms} ms`
}

/** How long something took: `41 ms`, `5.6 s`, `3 minutes 2 seconds`. */
export const tookText = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : span(ms)
