/** Whether it may go now: its hours are open, its time is not over, and its notification's condition holds. */

import { nextOpening, zoneOf, zonesOf } from '../../base/time/opening-hours.ts'
import { iso } from '../../base/time/timestamp.ts'
import { judge } from './condition.ts'
import type { Permitted, StepResult } from './decision.ts'
import { windowsOf } from './timeouts.ts'

export function window(value: Permitted): StepResult<Permitted, Permitted> {
  const closed = closedUntil(value)
  if (closed !== undefined)
    return {
      stop: { status: 'DELAYED', until: closed, error: 'Its hours are closed' },
      found: () => ({
        summary: `It waits for its hours until ${iso(closed)}.`,
        facts: { ...value.input.openingHours, until: closed },
      }),
    }
  const deadline = value.firstDue + windowsOf(value).messageMs
  if (value.now > deadline)
    return {
      stop: { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'The time to send this message ran out' },
      found: () => ({ summary: `Its deadline was ${iso(deadline)}.`, facts: { deadline } }),
    }
  const { condition } = value.notification
  if (condition === undefined) {
    const when = value.firstDue > value.now ? `It waits until ${iso(value.firstDue)}` : 'It may be sent now'
    return { added: {}, found: () => ({ summary: `${when}; no condition is set.`, facts: { deadline } }) }
  }
  const { met, error } = judge({ condition, place: 'notification.settings.if' }, value)
  if (!met) {
    const outcome = error === undefined ? 'is not met' : `cannot be evaluated: ${error}`
    return {
      stop: { status: 'FILTERED', reason: 'FILTERED', error: `The condition of the notification ${outcome}` },
      found: () => ({ summary: `The condition \`${condition}\` ${outcome}.`, facts: { deadline, condition } }),
    }
  }
  return {
    added: {},
    found: () => ({ summary: `The condition \`${condition}\` is met.`, facts: { deadline, condition } }),
  }
}

/** In the zone of the send, else the recipient's own, else UTC. Undefined: open. */
function closedUntil({ input, profile, now }: Permitted): number | undefined {
  if (!input.openingHours) return undefined
  const { rule, timezone } = input.openingHours
  const opening = nextOpening(rule, zoneOf([timezone, ...zonesOf(profile.merged)]), now)
  return opening === undefined || opening <= now ? undefined : opening
}
