/** delay: waits for a duration or until a time; a time in the past does not wait. */
import { delayMsMax } from '@postrider/contract'
import { isObject } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import { endOfDuration } from '../../base/time/calendar-duration.ts'
import { iso } from '../../base/time/clock.ts'
import { DAY } from '../../base/time/duration.ts'
import { isInstant, nextTime, zoneOf, zonesOf } from '../../base/time/opening-hours.ts'
import { isKnownTimeZone, timeZoneAdvice } from '../../base/time/time-zone.ts'
import { FieldInvalid, type StepBehavior } from '../step.ts'

export default {
  readsProfile: ({ until: time, timezone }) =>
    time !== undefined && timezone === undefined && !(typeof time === 'string' && isInstant(time)),
  checkWritten({ duration, until: time }, { at, report }) {
    if (duration !== undefined && time !== undefined) report(() => `${at}.duration is ignored beside \`until\`.`)
    if (duration === undefined && time === undefined)
      report(() => `${at} does not wait: it has neither \`duration\` nor \`until\`.`)
  },
  checkInterpolated(written, { duration, until: time }) {
    const lost = duration === undefined && time === undefined
    if (lost && written.duration !== undefined) throw new FieldInvalid('duration', 'is required')
    if (lost && written.until !== undefined) throw new FieldInvalid('until', 'is required')
  },
  check({ duration, until: time, timezone }, now) {
    if (duration !== undefined && time === undefined)
      bounded(
        'duration',
        endOfDuration(duration, now),
        now,
        'must be a whole number with a unit (`2 days`) or an ISO 8601 duration',
      )
    if (timezone !== undefined && !isKnownTimeZone(timezone))
      throw new FieldInvalid(
        'timezone',
        `must be the name of a time zone such as \`Europe/Vienna\`; it is ${quoted(timezone)}${timeZoneAdvice(timezone)}`,
      )
    if (time !== undefined)
      bounded('until', nextTime(time, timezone, now), now, 'must be an ISO 8601 timestamp or opening hours')
  },
  resume: ({ state: { waiting, since }, now }) =>
    waiting?.kind === 'delay' ? waited(waiting.until, now, since) : undefined,
  run({ duration, until: time, timezone }, { state, now, scope }) {
    // Written without either: the step does not wait, as a send with an empty `delay`.
    if (duration === undefined && time === undefined) return waited(now, now, state.since)
    const zone = timezone ?? zoneOf(isObject(scope.profile) ? zonesOf(scope.profile) : [])
    // Counted from when the step became due: a late worker does not extend the delay.
    const end = time === undefined ? endOfDuration(duration ?? '', state.since) : nextTime(time, zone, now)
    if (end === undefined || end <= now) return waited(end ?? now, now, state.since)
    return {
      kind: 'wait',
      until: end,
      waiting: { kind: 'delay', until: end },
      reason: `waits until ${iso(end)}`,
    }
  },
} satisfies StepBehavior<'delay'>

const waited = (until: number, now: number, since: number) =>
  ({ kind: 'next', result: { until: iso(until), waited_ms: Math.max(0, now - since) } }) as const

function bounded(field: string, end: number | undefined, now: number, error: string): void {
  if (end === undefined) throw new FieldInvalid(field, error)
  if (end > now + delayMsMax) throw new FieldInvalid(field, `must end within ${delayMsMax / DAY} days`)
}
