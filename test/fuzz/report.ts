/** The problems of a run, as text. */
import type { Report } from './campaign.ts'

// Caches fill during the first tenths; a leak of 300 bytes a request is more than this after 100,000.
const GROWTH_BYTES_MAX = 32 * 1_048_576
// By chance some requests are for things just deleted; with more, requests no longer get past authentication and
// parsing.
const UNREACHED_SHARE_MAX = 0.1

/** The longest that `/livez` may take; a slow machine can be the reason. */
export const PING_MS_MAX = 1_000

/** `last` holds the unexpected lines of the log. */
export function problemsOf(
  { faults, complete, neverDone, neverRefused, endpoints, heldBytes }: Report,
  last: string[],
): string[] {
  const [first = 0] = heldBytes
  const growth = (heldBytes.at(-1) ?? first) - first
  return [
    ...faults,
    ...last.slice(0, 20).map((line) => `In the log: ${line.slice(0, 2_000)}`),
    ...(complete && neverDone.length > endpoints * UNREACHED_SHARE_MAX
      ? [`No request succeeded for ${neverDone.join(', ')}`]
      : []),
    ...(complete && neverRefused.length > endpoints * UNREACHED_SHARE_MAX
      ? [`No request was rejected by ${neverRefused.join(', ')}`]
      : []),
    ...(growth > GROWTH_BYTES_MAX ? [`Memory grew: ${heldBytes.join(', ')} bytes`] : []),
  ]
}
