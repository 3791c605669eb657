/** How a message settles when no attempt is in progress: final, due again, held for a repair, canceled or given up. Pure. */
import type { MessageStatus, Reason } from '@postrider/contract'
import { MINUTE } from '../../base/time/duration.ts'
import type { DecisionOf } from '../decide/decide.ts'
import type { DecisionInput, Ending } from '../decide/decision.ts'
import { heldUntil, holdOf } from '../decide/hold.ts'
import type { StoredDelivery, StoredHistoryEvent } from '../delivery.ts'
import type { Cancellation, MessageLease, Settlement } from '../leased-message.ts'
import { abandon, type DeliveryChange, inDoubt } from './failover.ts'
import type { Progress } from './progress.ts'

type Timed = Pick<DecisionInput, 'input' | 'facts' | 'firstDue'>

/** The settlement of a message that only a repair can deliver: every candidate has failed, or waits for an open breaker. */
export function heldAfterFailure(settlement: Settlement, plan: Timed, firstDue: number, now: number): Settlement {
  if (!plan.facts.holdsMisconfigured) return settlement
  const { state, deliveries } = settlement
  const until = heldUntil(plan, firstDue)
  const isHeld = heldAmong(state.status, deliveries)
  if (now >= until || !isHeld || !deliveries.some(isHeld)) return settlement
  const { error } = deliveries.findLast(isHeld) ?? {}
  const heldDeliveries = deliveries.map((delivery) =>
    isHeld(delivery) ? heldDelivery(delivery, until, now) : delivery,
  )
  return heldSettlement(heldDeliveries, settlement, { until, now, error })
}

/** Undefined while anything else is left to try. New messages probe an open breaker: those that wait for it need not. */
function heldAmong(status: string, deliveries: readonly StoredDelivery[]) {
  const isMisconfigured = (delivery: StoredDelivery) =>
    delivery.misconfigured === true && !isRefused(delivery, deliveries)
  const hasFailed = (delivery: StoredDelivery) => delivery.state === 'failed' && isMisconfigured(delivery)
  if (status === 'UNDELIVERABLE') return hasFailed
  const waits = (delivery: StoredDelivery) => delivery.state === 'waiting' && isMisconfigured(delivery)
  const isLeft = deliveries.some(({ state, misconfigured }) => state === 'waiting' && !misconfigured)
  if (status !== 'ROUTED' || isLeft || !deliveries.some(waits)) return undefined
  // The repair of one that was refused before releases the message, too.
  return (delivery: StoredDelivery) => waits(delivery) || hasFailed(delivery)
}

/** The recipient's address is bad: another integration of the channel would not reach it, either. */
const isRefused = ({ channel }: StoredDelivery, deliveries: readonly StoredDelivery[]) =>
  deliveries.some((delivery) => delivery.channel === channel && delivery.recipientAtFault)

/** The same for a decision that found integrations, and none of them usable. Undefined: it is no case for a repair. */
export function heldByDecision(
  decision: DecisionOf<'stopped'>,
  deliveries: readonly StoredDelivery[],
  firstDue: number,
): Settlement | undefined {
  const until = holdOf(decision, firstDue)
  if (until === undefined) return undefined
  const { stop, plan } = decision
  const heldDeliveries = deliveries.map((delivery) =>
    delivery.state === 'waiting' ? heldDelivery(delivery, until, plan.now) : delivery,
  )
  return heldSettlement(heldDeliveries, { events: [] }, { until, now: plan.now, error: stop.error })
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

/** The error of an attempt whose process died. */
export const INTERRUPTED = 'The attempt was interrupted'

/** The highest status of the deliveries; UNDELIVERABLE only when every candidate has ended so. */
export function statusOf(state: Progress['state'], deliveries: readonly StoredDelivery[]): MessageStatus {
  if (deliveries.some((delivery) => delivery.clickedAt !== undefined)) return 'CLICKED'
  if (deliveries.some((delivery) => delivery.openedAt !== undefined)) return 'OPENED'
  if (deliveries.some((delivery) => delivery.deliveredAt !== undefined)) return 'DELIVERED'
  if (deliveries.some((delivery) => delivery.state === 'sent')) return 'SENT'
  return state === 'failed' ? 'UNDELIVERABLE' : 'ROUTED'
}

/** No attempt is in progress: final, or due again later. `postponedUntil`: no slot was free. */
export function settlementOf(
  { state, nextAt = Number.POSITIVE_INFINITY }: Progress,
  deliveries: readonly StoredDelivery[],
  now: number,
  postponedUntil = Number.POSITIVE_INFINITY,
): Settlement {
  if (state === 'open') {
    const dueAt = Math.min(nextAt, postponedUntil)
    const due = Number.isFinite(dueAt) ? dueAt : now
    return { state: { status: statusOf(state, deliveries), dueAt: due, keepLease: false }, deliveries, events: [] }
  }
  const ended =
    state === 'accepted' ? abandonWaiting(deliveries, 'Another candidate was accepted', now) : unchanged(deliveries)
  const status = statusOf(state, ended.deliveries)
  if (status !== 'UNDELIVERABLE') return { state: { status, dueAt: null, keepLease: false }, ...ended }
  const last = ended.deliveries.findLast((delivery) => delivery.state === 'failed')
  const reason: Reason = last?.reason ?? 'PROVIDER_ERROR'
  return { state: { status, dueAt: null, keepLease: false, error: last?.error, reason }, ...ended }
}

/** No snapshot is taken: when its hours open, it is decided with the facts of then. */
export function postponement(deliveries: readonly StoredDelivery[], until: number, now: number): Settlement {
  const status = deliveries.length > 0 ? statusOf('open', deliveries) : 'DELAYED'
  return {
    state: { status, dueAt: until, keepLease: false },
    deliveries,
    events: [{ type: 'DELAYED', ts: now, until }],
  }
}

export const PAUSE_MS = 15 * MINUTE

/**
 * Its request is paused: a worker looks at the message again when the request goes on, or after some 20 minutes, not at
 * all of them at once. All deliveries are paused: the message stays due, and no worker claims any. Before its decision it
 * is as if it was just accepted.
 */
export function pausedSettlement(
  { snapshot, lease }: { snapshot?: object | undefined; lease: Pick<MessageLease, 'isRequestPaused'> },
  deliveries: readonly StoredDelivery[],
  { now, random }: { now(): number; random(): number },
): Settlement {
  const status = snapshot ? statusOf('open', deliveries) : 'ENQUEUED'
  const dueAt = now() + (lease.isRequestPaused ? Math.round(PAUSE_MS * (1 + random())) : 0)
  return { state: { status, dueAt, keepLease: false }, deliveries, events: [] }
}

/** The deliveries cannot go on: the time of the message is over, the recipient opted out, or no candidate is left. */
export function giveUp(deliveries: readonly StoredDelivery[], { error, reason }: Ending, now: number): Settlement {
  const isRefused = reason === 'UNSUBSCRIBED' || reason === 'OPT_IN_REQUIRED' || reason === 'SUPPRESSED'
  const ended = changeEach(deliveries, (delivery) => {
    if (delivery.state === 'started') return inDoubt(delivery, INTERRUPTED, now)
    if (delivery.state !== 'waiting') return undefined
    return abandon(delivery, isRefused ? error : (delivery.error ?? error), now, reason)
  })
  const isSent = ended.deliveries.some(({ state }) => state === 'sent')
  const result: Progress = { state: isSent ? 'accepted' : 'failed', start: [], nextAt: undefined }
  const { state } = settlementOf(result, ended.deliveries, now)
  return { state, ...ended }
}

/** A delivery that was sent counts, and no other follows it. */
export function canceledSettlement(
  deliveries: readonly StoredDelivery[],
  { source }: Cancellation,
  now: number,
): Settlement {
  if (!deliveries.some(({ state }) => state === 'sent'))
    return {
      state: { status: 'CANCELED', dueAt: null, keepLease: false, canceledAt: now },
      deliveries,
      events: [{ type: 'CANCELED', ts: now, ...(source !== undefined && { source }) }],
    }
  const by = source === undefined ? '' : ` by ${source}`
  const ended = abandonWaiting(deliveries, `Canceled${by} when another channel had been sent`, now)
  return { state: { status: statusOf('accepted', ended.deliveries), dueAt: null, keepLease: false }, ...ended }
}

interface Changed {
  deliveries: readonly StoredDelivery[]
  events: StoredHistoryEvent[]
}

const unchanged = (deliveries: readonly StoredDelivery[]): Changed => ({ deliveries, events: [] })

/** Each keeps the error it waited for, or has this one. */
function abandonWaiting(deliveries: readonly StoredDelivery[], error: string, now: number): Changed {
  if (!deliveries.some(({ state }) => state === 'waiting')) return unchanged(deliveries)
  return changeEach(deliveries, (delivery) =>
    delivery.state === 'waiting' ? abandon(delivery, delivery.error ?? error, now, 'PROVIDER_ERROR') : undefined,
  )
}

/** The deliveries with these changes, and their events. */
function changeEach(
  deliveries: readonly StoredDelivery[],
  change: (delivery: StoredDelivery) => DeliveryChange | undefined,
): Changed {
  const events: StoredHistoryEvent[] = []
  const changed = deliveries.map((delivery) => {
    const made = change(delivery)
    if (made) events.push(...made.events)
    return made?.delivery ?? delivery
  })
  return { deliveries: changed, events }
}
