/** Messages that only a repair of an integration can deliver: held instead of failed, where the workspace says so. Pure. */
import { heldDaysMax } from '@postrider/contract'
import { DAY } from '../../base/time/duration.ts'
import type { Decision } from '../decide/decide.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { windowsOf } from '../decide/window.ts'
import type { StoredDelivery } from '../delivery.ts'
import type { Settlement } from '../leased-message.ts'

type Timed = Pick<DecisionInput, 'input' | 'facts' | 'firstDue'>

/** When a held message fails: at its deadline, or after the longest time that any is held. `firstDue`: by its row. */
const heldUntil = (plan: Timed, firstDue: number): number =>
  Math.min(plan.firstDue + windowsOf(plan).messageMs, firstDue + heldDaysMax * DAY)

/** The settlement of a message that only a repair can deliver: every candidate has failed, or waits for an open breaker. */
export function heldAfterFailure(settlement: Settlement, plan: Timed, firstDue: number, now: number): Settlement {
  if (!plan.facts.holdsMisconfigured) return settlement
  const { state, deliveries } = settlement
  const until = heldUntil(plan, firstDue)
  const isHeld = heldAmong(state.status, deliveries)
  if (now >= until || !isHeld || !deliveries.some(isHeld)) return settlement
  const { error } = deliveries.findLast(isHeld) ?? {}
  const held = deliveries.map((one) => (isHeld(one) ? heldDelivery(one, until, now) : one))
  return heldSettlement(held, settlement, { until, now, error })
}

/** Undefined while anything else is left to try. New messages probe an open breaker: those that wait for it need not. */
function heldAmong(status: string, deliveries: readonly StoredDelivery[]) {
  const isMisconfigured = (state: StoredDelivery['state']) => (one: StoredDelivery) =>
    one.state === state && one.misconfigured === true && !isRefused(one, deliveries)
  if (status === 'UNDELIVERABLE') return isMisconfigured('failed')
  const isLeft = deliveries.some(({ state, misconfigured }) => state === 'waiting' && !misconfigured)
  return status === 'ROUTED' && !isLeft ? isMisconfigured('waiting') : undefined
}

/** The recipient's address is bad: another integration of the channel would not reach it, either. */
const isRefused = ({ channel }: StoredDelivery, deliveries: readonly StoredDelivery[]) =>
  deliveries.some((one) => one.channel === channel && one.recipientAtFault)

/** The same for a decision that found integrations, and none of them usable. Undefined: it is no case for a repair. */
export function heldByDecision(
  { stop, plan, considered }: Extract<Decision, { kind: 'stopped' }>,
  deliveries: readonly StoredDelivery[],
  firstDue: number,
): Settlement | undefined {
  if (!plan.facts.holdsMisconfigured || stop.reason !== 'NO_PROVIDERS') return undefined
  const until = heldUntil(plan, firstDue)
  if (plan.now >= until || !considered.some(({ reason }) => reason === 'MISSING_CONFIGURATION')) return undefined
  const held = deliveries.map((one) => (one.state === 'waiting' ? heldDelivery(one, until, plan.now) : one))
  return heldSettlement(held, { events: [] }, { until, now: plan.now, error: stop.error })
}

/** It waits, and its time of waiting is the one of the row: a release replaces both. */
const heldDelivery = (delivery: StoredDelivery, until: number, now: number): StoredDelivery => {
  const { heldSince = now, failedOver: _, ...rest } = delivery
  return { ...rest, state: 'waiting', nextAt: until, heldSince }
}

function heldSettlement(
  deliveries: readonly StoredDelivery[],
  { events }: Pick<Settlement, 'events'>,
  { until, now, error }: { until: number; now: number; error: string | undefined },
): Settlement {
  const reason = 'PROVIDER_ERROR'
  return {
    state: { status: 'HELD', dueAt: until, keepLease: false, error, reason },
    deliveries,
    events: [...events, { type: 'HELD', ts: now, until, reason, ...(error !== undefined && { error_message: error }) }],
  }
}

/** The delivery when the message goes on: it was held for no part of its time for retries. */
export function afterHold({ heldSince, misconfigured: _, ...delivery }: StoredDelivery, now: number): StoredDelivery {
  return { ...delivery, heldMs: (delivery.heldMs ?? 0) + Math.max(0, now - (heldSince ?? now)) }
}
