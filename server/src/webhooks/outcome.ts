/** What the answer of a webhook means, and when its delivery is tried again. Pure. */

import type { Reply } from '../base/exchange.ts'
import { DAY } from '../base/time/duration.ts'
import type { DeliveryRecord } from '../database/tables/webhooks/webhook-deliveries.ts'
import { statusText, tidy } from '../providers/outcome.ts'
import { retryAfterMs } from '../providers/retry-after.ts'
import { pauseMs, retryDelayMs } from '../queue/retry.ts'

export type Outcome =
  | { kind: 'delivered' }
  /** At least `afterMs` later, when the webhook asked for it. */
  | { kind: 'again'; error: string; afterMs?: number }
  /** `gone`: the webhook wants to hear no more. */
  | { kind: 'failed'; error: string; gone: boolean }
  /** We stopped in the middle: it does not count. */
  | { kind: 'aborted' }

/** From when it was made; the public API gives up after three days as well. */
export const WINDOW_MS = 3 * DAY

export function outcomeOf(reply: Reply, now: number): Outcome {
  if (reply.kind === 'failure') {
    const error = tidy(`${reply.failure}: ${reply.message}`)
    if (reply.failure === 'aborted') return { kind: 'aborted' }
    // No repetition changes these; of what was too large the webhook has heard already.
    const lasting = ['address_refused', 'invalid_request', 'too_large'].includes(reply.failure)
    return lasting ? { kind: 'failed', error, gone: false } : { kind: 'again', error }
  }
  if (reply.kind !== 'http') throw new TypeError(`A webhook was answered by a ${reply.kind} reply`)
  const { status } = reply
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const error = statusText(reply)
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'failed', error, gone: status === 410 }
  const afterMs = retryAfterMs(reply, now)
  return { kind: 'again', error, ...(afterMs !== undefined && { afterMs }) }
}

export interface Tried {
  id: string
  lease: string
  attempts: number
  created: number
}

/** What is written of the attempt; `random` is in [0, 1). */
export function recordOf(
  { id, lease, ...tried }: Tried,
  outcome: Outcome,
  now: number,
  random: number,
): DeliveryRecord {
  const attempts = tried.attempts + 1
  const over = { id, lease, attempts, due_at: null, delivered: null }
  switch (outcome.kind) {
    case 'delivered':
      return { ...over, delivered: now, error: null }
    case 'aborted':
      return { ...over, due_at: now, attempts: tried.attempts, error: null }
    case 'failed':
      return { ...over, error: outcome.error }
    case 'again': {
      const left = tried.created + WINDOW_MS - now
      const due = now + pauseMs(retryDelayMs(attempts, random), outcome.afterMs, left)
      return { ...over, due_at: due - tried.created > WINDOW_MS ? null : due, error: outcome.error }
    }
  }
}
