/** What a handler is given beside its input, and what it gives back. */
import type { Readable } from 'node:stream'
import { type Handlers, type OperationId, operationById, type SuccessOf, successOf } from '@postrider/contract'
import type { Commit } from '../database/engine.ts'
import type { Idempotency } from '../messages/send.ts'
import type { HttpContext } from './app-context.ts'
import type { Caller } from './authentication/caller.ts'

export interface Call {
  house: HttpContext
  caller: Caller
  now: number
  header(name: string): string | undefined
  /** A strict send (`api/strict-sends.ts`): a 400 for what would otherwise be found out when it is delivered, a 409 for another body under a used key. */
  strict: boolean
  /** What the caller's `Idempotency-Key` stands for; absent without one, and where the method has none. */
  idempotency?: Idempotency
  /**
   * Writes that are stored together with this reply, so that the call's `Idempotency-Key` does them once whatever dies.
   * For the writes that decide; at most one of its commits may succeed.
   */
  keeping(reply: Reply): Commit
  /** For a send, which hands its key on: the work that takes another way and keeps its reply as other calls do. */
  once(work: (own: Call) => Promise<Reply>): Promise<Reply>
}

export interface Reply {
  status: number
  /** Sent as JSON; absent: no body. */
  body?: unknown
  /** Sent as it is, with its media type. */
  raw?: { content: string | Uint8Array | Readable; mediaType: string }
  headers?: Record<string, string>
}

/** The handlers of one resource: `ResourceHandlers<'events'>`. */
export type ResourceHandlers<Resource extends string> = Pick<
  Handlers<Call, Promise<Reply>>,
  Extract<OperationId, `${Resource}.${string}`>
>

/** The reply of then, word for word. */
export const replay = (status: number, content: string): Reply => ({
  status,
  ...(content === '' ? {} : { raw: { content, mediaType: 'application/json' } }),
  headers: { 'idempotent-replayed': 'true' },
})

/** The reply for success as the contract declares it. */
export function success<Id extends OperationId>(id: Id, body: SuccessOf<Id>): Reply {
  const { status } = successOf(operationById[id])
  return body === undefined ? { status } : { status, body }
}

export const done = { status: 'SUCCESS' } as const
