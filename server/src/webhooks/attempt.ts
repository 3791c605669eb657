/** One attempt to deliver an event to a webhook: builds and signs the body, calls the webhook, classifies the reply. */

import type { SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import { SECOND } from '../base/time/duration.ts'
import type { MessageRowWithDeliveries } from '../database/tables/messages/messages.ts'
import type { LiveDelivery } from '../database/tables/webhooks/webhook-deliveries.ts'
import { messageDetail } from '../messages/timeline/message-reply.ts'
import type { Transport } from '../transport/transport.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { openSecret, signature } from './signing-secret.ts'

export interface AttemptOptions {
  transport: Transport
  clock: Clock
  secretKey: SecretKey
}

/** The timeout of the public API for webhooks. */
export const TIMEOUT_MS = 10 * SECOND

/** `message` is the subject of the event, as it is stored now. */
export async function attempt(
  delivery: LiveDelivery,
  message: MessageRowWithDeliveries | undefined,
  signal: AbortSignal,
  { transport, clock, secretKey }: AttemptOptions,
): Promise<Outcome> {
  const body = bodyOf(delivery, message)
  if (body === undefined) return { kind: 'failed', error: 'The message is no longer stored', gone: false }
  const { workspace_id: workspaceId, webhook_id: id, secret: sealed } = delivery
  const secret = sealed === null ? undefined : openSecret(secretKey, { workspaceId, id }, sealed)
  // The receiver would reject an unsigned request as a forgery.
  if (sealed !== null && secret === undefined)
    return { kind: 'again', error: 'The secret was encrypted with another POSTRIDER_SECRET_KEY; give it again' }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Postrider',
    // The same for every attempt, so that receivers recognize repeats.
    'webhook-id': delivery.id,
    ...(secret !== undefined && { 'courier-signature': signature(secret, clock.now(), body) }),
  }
  const request = { kind: 'http', method: 'POST', url: delivery.url, headers, body, final: true } as const
  return outcomeOf(await transport.perform(request, { signal, timeoutMs: TIMEOUT_MS }), clock.now())
}

/** Receivers verify the signature over parsed and serialized JSON: exactly `JSON.stringify`, with `data` first. */
function bodyOf({ type, message_id, payload }: LiveDelivery, message: MessageRowWithDeliveries | undefined) {
  if (message_id === null) return JSON.stringify({ data: JSON.parse(payload ?? 'null'), type })
  return message && JSON.stringify({ data: { ...messageDetail(message), recipientId: message.recipient }, type })
}
