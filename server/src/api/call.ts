/** A call of an operation: what its handler gets beside the input, and the replies it gives back. */
import type { Readable } from 'node:stream'
import { type OperationId, operationById, type SuccessOf, successOf } from '@postrider/contract'
import type { Reader } from '../database/engine.ts'
import type { Idempotency } from '../messages/send.ts'
import type { AppContext } from './app-context.ts'
import type { Caller } from './authentication.ts'

export interface CallContext {
  /** The database is for reads: writes are given back, and committed by the router. */
  app: Omit<AppContext, 'engine'> & { database: Reader }
  caller: Caller
  now: number
  header(name: string): string | undefined
  /** A strict send (`api/strict-sends.ts`): a 400 for what would otherwise be found out when it is delivered, a 409 for another body under a used key. */
  strict: boolean
  /** The state of the caller's `Idempotency-Key`; absent without one, and where the method has none. */
  idempotency?: Idempotency
}

export interface Reply {
  status: number
  /** Sent as JSON; absent: no body. */
  body?: unknown
  /** Sent as it is, with its media type. */
  raw?: { content: string | Uint8Array | Readable; mediaType: string }
  headers?: Record<string, string>
}

/** The reply for success as the contract declares it. */
export function success<Id extends OperationId>(id: Id, body: SuccessOf<Id>): Reply {
  const { status } = successOf(operationById[id])
  return body === undefined ? { status } : { status, body }
}

export const done = { status: 'SUCCESS' } as const
