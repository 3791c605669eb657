/** One attempt to deliver an event to a webhook: builds and signs the body, calls it, reads the reply, and says when it is tried again. */
import { webhookReplyCharactersMax } from '@postrider/contract'
import type { Reply } from '../base/exchange.ts'
import type { SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import { DAY, SECOND } from '../base/time/duration.ts'
import type { MessageRowWithDeliveries } from '../database/tables/messages/messages.ts'
import type { DeliveryRecord, LiveDelivery } from '../database/tables/webhooks/webhooks.ts'
import { messageDetail } from '../messages/timeline/message-reply.ts'
import { retryAfterMs, statusText, tidy } from '../providers/outcome.ts'
import { retryDelayMs, retryPauseMs } from '../queue/retry.ts'
import type { Transport } from '../transport/transport.ts'
import { openSecret, type SignedCall, signature, standardHeaders } from './signing-secret.ts'

export interface WebhookAttemptOptions {
  transport: Transport
  clock: Clock
  secretKey: SecretKey
}

/** The timeout of the public API for webhooks. */
export const TIMEOUT_MS = 10 * SECOND

/** `message` is the subject of the event, as it is stored now. */
export async function attemptWebhook(
  delivery: LiveDelivery,
  message: MessageRowWithDeliveries | undefined,
  signal: AbortSignal,
  { transport, clock, secretKey }: WebhookAttemptOptions,
): Promise<WebhookOutcome> {
  const body = bodyOf(delivery, message)
  if (body === undefined) return { kind: 'failed', error: 'The message is no longer stored', gone: false }
  const { workspace_id: workspaceId, webhook_id, secret: sealed } = delivery
  const id = delivery.replay_of ?? delivery.id
  const secret = sealed === null ? undefined : openSecret(secretKey, { workspaceId, id: webhook_id }, sealed)
  // The receiver would reject an unsigned request as a forgery.
  if (sealed !== null && secret === undefined)
    return { kind: 'again', error: 'The secret was encrypted with another POSTRIDER_SECRET_KEY; give it again' }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Postrider',
    // The same for every attempt and replay, so that receivers recognize repeats.
    'webhook-id': id,
    ...(secret !== undefined && signatures(secret, { id, now: clock.now(), body })),
  }
  const request = { kind: 'http', method: 'POST', url: delivery.url, headers, body, final: true } as const
  const answer = await transport.perform(request, { signal, timeoutMs: TIMEOUT_MS })
  const outcome = outcomeOf(answer, clock.now())
  return answer.kind === 'http' ? { ...outcome, reply: { status: answer.status, body: answer.body } } : outcome
}

const signatures = (secret: string, call: SignedCall) => ({
  'courier-signature': signature(secret, call.now, call.body),
  ...standardHeaders(secret, call),
})

/** Receivers verify the signature over parsed and serialized JSON: exactly `JSON.stringify`, with `data` first. */
function bodyOf({ type, message_id, payload }: LiveDelivery, message: MessageRowWithDeliveries | undefined) {
  if (message_id === null) return JSON.stringify({ data: JSON.parse(payload ?? 'null'), type })
  return message && JSON.stringify({ data: { ...messageDetail(message), recipientId: message.recipient }, type })
}

/** `reply`: as the webhook gave it. */
export type WebhookOutcome = { reply?: { status: number; body: string } } & (
  | { kind: 'delivered' }
  /** `afterMs`: the `Retry-After` of the webhook. */
  | { kind: 'again'; error: string; afterMs?: number }
  /** `gone`: the webhook answered 410 and is disabled. */
  | { kind: 'failed'; error: string; gone: boolean }
  /** Aborted by a stop of this process: the attempt does not count. */
  | { kind: 'aborted' }
)

/** From the creation of the delivery; the public API gives up after three days as well. */
export const WINDOW_MS = 3 * DAY

export function outcomeOf(reply: Reply, now: number): WebhookOutcome {
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
export function deliveryRecord(
  { id, lease, ...delivery }: Attempted,
  outcome: WebhookOutcome,
  now: number,
  random: number,
): DeliveryRecord {
  const attempts = delivery.attempts + 1
  const over = { id, lease, attempts, due_at: null, delivered: null, attempted: now, ...replyOf(outcome) }
  switch (outcome.kind) {
    case 'delivered':
      return { ...over, delivered: now, error: null }
    case 'aborted':
      return { id, lease, due_at: now, attempts: delivery.attempts, delivered: null, error: null }
    case 'failed':
      return { ...over, error: outcome.error }
    case 'again': {
      const left = delivery.created + WINDOW_MS - now
      const due = now + retryPauseMs(retryDelayMs(attempts, random), outcome.afterMs, left)
      return { ...over, due_at: due - delivery.created > WINDOW_MS ? null : due, error: outcome.error }
    }
  }
}

function replyOf({ reply }: WebhookOutcome): Pick<DeliveryRecord, 'reply_status' | 'reply_body'> {
  if (!reply) return { reply_status: null, reply_body: null }
  const body = reply.body.slice(0, webhookReplyCharactersMax).replace(/[\uD800-\uDBFF]$/, '')
  return { reply_status: reply.status, reply_body: body }
}
