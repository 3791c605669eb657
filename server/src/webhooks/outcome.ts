/** Classifies the reply of a webhook, and decides when its delivery is tried again. Pure. */
import type { Reply } from '../base/exchange.ts'
import { DAY } from '../base/time/duration.ts'
import type { DeliveryRecord } from '../database/tables/webhooks/webhook-deliveries.ts'
import { retryAfterMs, statusText, tidy } from '../providers/outcome.ts'
import { pauseMs, retryDelayMs } from '../queue/retry.ts'

export type Outcome =
  | { kind: 'delivered' }
  /** `afterMs`: the `Retry-After` of the webhook. */
  | { kind: 'again'; error: string; afterMs?: number }
  /** `gone`: the webhook answered 410 and is disabled. */
  | { kind: 'failed'; error: string; gone: boolean }
  /** Aborted by a stop of this process: the attempt does not count. */
  | { kind: 'aborted' }

/** From the creation of the delivery; the public API gives up after three days as well. */
export const WINDOW_MS = 3 * DAY

export function outcomeOf(reply: Reply, now: number): Outcome {
  if (reply.kind === 'failure') {
    const error = tidy(`${reply.failure}: ${reply.message}`)
    if (reply.failure === 'aborted') return { kind: 'aborted' }
    // A repeat cannot succeed; a webhook whose reply was too large has received the event.
    const permanent = ['address_refused', 'invalid_request', 'too_large'].includes(reply.failure)
    return permanent ? { kind: 'failed', error, gone: false } : { kind: 'again', error }
  }
  if (reply.kind !== 'http') throw new TypeError(`A webhook was answered by a ${reply.kind} reply`)
  const { status } = reply
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const error = statusText(reply)
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'failed', error, gone: status === 410 }
  const afterMs = retryAfterMs(reply, now)
  return { kind: 'again', error, ...(afterMs !== undefined && { afterMs }) }
}

export interface Attempted {
  id: string
  lease: string
  attempts: number
  created: number
}

/** The record of the attempt; `random` is in [0, 1). */
export function recordOf(
  { id, lease, ...delivery }: Attempted,
  outcome: Outcome,
  now: number,
  random: number,
): DeliveryRecord {
  const attempts = delivery.attempts + 1
  const over = { id, lease, attempts, due_at: null, delivered: null }
  switch (outcome.kind) {
    case 'delivered':
      return { ...over, delivered: now, error: null }
    case 'aborted':
      return { ...over, due_at: now, attempts: delivery.attempts, error: null }
    case 'failed':
      return { ...over, error: outcome.error }
    case 'again': {
      const left = delivery.created + WINDOW_MS - now
      const due = now + pauseMs(retryDelayMs(attempts, random), outcome.afterMs, left)
      return { ...over, due_at: due - delivery.created > WINDOW_MS ? null : due, error: outcome.error }
    }
  }
}
