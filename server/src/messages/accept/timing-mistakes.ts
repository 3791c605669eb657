/** Mistakes in the timing of a send: a time that is in the past, and a time zone that no time is read in. */
import type { Finding } from '../../base/finding.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import { iso, toTimestamp } from '../../base/time/clock.ts'
import { MINUTE } from '../../base/time/duration.ts'
import { isKnownTimeZone } from '../../base/time/time-zone.ts'
import { readUntil } from './read-send.ts'

/** A send may wait in a queue of its caller, and clocks differ: such a time was right when it was written. */
const LATE_MS_MAX = 15 * MINUTE

/** `at`: the path of the part with the delay. */
export function timingMistakes({ delay, expiry }: JsonObject, at: string, now: number): Finding[] {
  const mistakes: Finding[] = []
  const report = (text: string) => mistakes.push({ code: 'field_ignored', text })
  const isPast = (time: number) => time < now - LATE_MS_MAX
  if (isObject(delay)) reportDelay(delay, `${at}delay`, isPast, report)
  if (isObject(expiry)) {
    const { expires_at: end } = expiry
    const time = toTimestamp(end)
    // An earlier one cannot be read, and the send is refused.
    if (time >= 0 && isPast(time))
      report(`${at}expiry.expires_at: ${shownTime(end, time)} is in the past, and no inbox gets the message.`)
  }
  return mistakes
}

function reportDelay(
  { until, timezone }: JsonObject,
  at: string,
  isPast: (time: number) => boolean,
  report: (text: string) => void,
): void {
  const zone = typeof timezone === 'string' && timezone !== '' ? timezone : undefined
  const reading = typeof until === 'string' && until !== '' ? readUntil(until, zone) : undefined
  if (reading?.kind === 'time' && isPast(reading.time))
    report(`${at}.until has no effect: ${quoted(until)} is in the past.`)
  // A zone that does not exist is a mistake of its own.
  if (!zone || !isKnownTimeZone(zone)) return
  if (!reading) report(`${at}.timezone has no effect without \`until\`.`)
  else if (reading.kind === 'time' && !reading.isLocal)
    report(`${at}.timezone has no effect: ${quoted(until)} has a time zone.`)
}

/** With its date where it is a number, which may be in seconds. */
const shownTime = (written: unknown, time: number): string =>
  /^\d+$/.test(String(written)) ? `${quoted(written)} (${iso(time)})` : quoted(written)
