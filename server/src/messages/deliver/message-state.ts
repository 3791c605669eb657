/** The state of a message at a moment, as its next record stores it. */

import { apply, type Job, type State } from '../leased-message.ts'
import { abandon } from './outcome.ts'
import { type Progress, statusOf } from './progress.ts'

export function openState(job: Job): State {
  return { status: statusOf('open', job.deliveries), dueAt: null, keepLease: true }
}

/** What was sent stays sent, and nothing follows it. */
export function canceledState(job: Job, now: number): State {
  if (job.deliveries.some(({ state }) => state === 'sent')) {
    abandonRest(job, 'Canceled when another channel had been sent', now)
    return { status: statusOf('accepted', job.deliveries), dueAt: null, keepLease: false }
  }
  job.events.push({ type: 'CANCELED', ts: now })
  return { status: 'CANCELED', dueAt: null, keepLease: false, canceledAt: now }
}

/** Nothing is under way any more: final, or due again later. */
export function settledState(job: Job, { state, nextAt }: Progress, now: number): State {
  if (state === 'open') {
    const dueAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, job.postponedUntil ?? Number.POSITIVE_INFINITY)
    return { status: statusOf(state, job.deliveries), dueAt: Number.isFinite(dueAt) ? dueAt : now, keepLease: false }
  }
  if (state === 'accepted') abandonRest(job, 'Another way was accepted', now)
  const status = statusOf(state, job.deliveries)
  const last = job.deliveries.findLast((delivery) => delivery.state === 'failed')
  const failed = status === 'UNDELIVERABLE'
  return {
    status,
    dueAt: null,
    keepLease: false,
    ...(failed && { error: last?.error, reason: last?.reason ?? 'PROVIDER_ERROR' }),
  }
}

/** Each tells what it waited for, or why it is not tried any more. */
function abandonRest(job: Job, why: string, now: number): void {
  for (const delivery of job.deliveries)
    if (delivery.state === 'waiting') apply(job, abandon(delivery, delivery.error ?? why, now, 'PROVIDER_ERROR'))
}
