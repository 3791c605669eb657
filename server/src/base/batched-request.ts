/** One request with several messages, of those that each of them would have alone, and a reply that is about the whole of it. */
import { hash } from 'node:crypto'
import type { BatchPart, Failure, HttpReply, HttpRequest } from './exchange.ts'

export interface PartRequest {
  readonly request: HttpRequest
  readonly inBatch: BatchPart
}

/** All of them are alike in everything but the message; there is at least one. */
export function batchedRequest(messages: readonly PartRequest[]): HttpRequest {
  const [first] = messages
  if (!first) throw new RangeError('A call needs a message')
  const { inBatch: _, ...request } = first.request
  const { url, headers, before, after } = first.inBatch
  const parts = messages.map(({ inBatch }) => inBatch.part)
  const keys = messages.flatMap(({ inBatch }) => inBatch.idempotencyKey ?? [])
  return {
    ...request,
    url,
    headers: keys.length > 0 ? { ...headers, 'idempotency-key': hash('sha256', keys.join('\n')) } : headers,
    body: `${before}${parts.join(',')}${after}`,
  }
}

/**
 * The reply of each message where the service says nothing about each. Its adapter reads it as that to one message, and a
 * good one may have entries that are about others.
 */
export const replyToAll = <R extends HttpReply | Failure>(reply: R): R =>
  reply.kind === 'http' && reply.status < 300 ? { ...reply, body: '' } : reply
