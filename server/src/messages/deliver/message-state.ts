/** The state of a message at a moment, as its next record stores it. */

import { apply, type LeasedMessage, type State } from '../leased-message.ts'
import { abandon } from './outcome.ts'
import { type Progress, statusOf } from './progress.ts'

export function openState(leased: LeasedMessage): State {
  return { status: statusOf('open', leased.deliveries), dueAt: null, keepLease: true }
}

/** What was sent stays sent, and nothing follows it. */
export function canceledState(leased: LeasedMessage, now: number): State {
  if (leased.deliveries.some(({ state }) => state === 'sent')) {
    abandonRest(leased, 'Canceled when another channel had been sent', now)
    return { status: statusOf('accepted', leased.deliveries), dueAt: null, keepLease: false }
  }
  leased.events.push({ type: 'CANCELED', ts: now })
  return { status: 'CANCELED', dueAt: null, keepLease: false, canceledAt: now }
}

/** Nothing is under candidate any more: final, or due again later. */
export function settledState(leased: LeasedMessage, { state, nextAt }: Progress, now: number): State {
  if (state === 'open') {
    const dueAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, leased.postponedUntil ?? Number.POSITIVE_INFINITY)
    return { status: statusOf(state, leased.deliveries), dueAt: Number.isFinite(dueAt) ? dueAt : now, keepLease: false }
  }
  if (state === 'accepted') abandonRest(leased, 'Another way was accepted', now)
  const status = statusOf(state, leased.deliveries)
  const last = leased.deliveries.findLast((delivery) => delivery.state === 'failed')
  const failed = status === 'UNDELIVERABLE'
  return {
    status,
    dueAt: null,
    keepLease: false,
    ...(failed && { error: last?.error, reason: last?.reason ?? 'PROVIDER_ERROR' }),
  }
}

/** Each tells what it waited for, or why it is not tried any more. */
function abandonRest(leased: LeasedMessage, why: string, now: number): void {
  for (const delivery of leased.deliveries)
    if (delivery.state === 'waiting') apply(leased, abandon(delivery, delivery.error ?? why, now, 'PROVIDER_ERROR'))
}
