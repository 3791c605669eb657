/** A call of an operation: the context of its handler, with the app, and the replies it gives back. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type KeyEnvironment, type OperationId, operationById, type SuccessOf, successOf } from '@postrider/contract'
import type { RunStart } from '../automations/run.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import type { Page } from '../database/cursor.ts'
import type { Engine, Reader } from '../database/engine.ts'
import type { ChangeContext } from '../database/tables/preferences/preferences.ts'
import type { Pipeline } from '../messages/pipeline.ts'
import type { Idempotency } from '../messages/send.ts'
import type { Provider } from '../providers/provider.ts'
import type { Pause } from '../queue/pause.ts'
import type { UseRecorder } from '../receipts/tracked-use.ts'
import type { AddressGuard } from '../transport/address-guard.ts'
import type { Transport } from '../transport/transport.ts'
import type { Caller, Callers } from './authentication.ts'
import type { CallerRateLimits } from './rate-limit.ts'

export interface CallContext {
  /** The database is for reads: writes are given back, and committed by the router. */
  app: Omit<AppContext, 'engine'> & { database: Reader }
  caller: Caller
  now: number
  header(name: string): string | undefined
  /** A strict send (`api/strict-sends.ts`): a 400 for what would otherwise be found out when it is delivered, a 409 for another body under a used key. */
  strict: boolean
  /** The request as it came, where the operation reads it so (`readsRawBody`). */
  raw?: RawRequest
  /** The state of the caller's `Idempotency-Key`; absent without one, and where the method has none. */
  idempotency?: Idempotency
}

export interface RawRequest {
  /** The path and the query. */
  url: string
  method: string
  headers: IncomingHttpHeaders
  /** The other end of the connection: the caller, or a proxy before this server. */
  remoteAddress: string
  body: Buffer
}

export interface HandlerReply {
  status: number
  /** Sent as JSON; absent: no body. */
  body?: unknown
  /** Sent as it is, with its media type. */
  raw?: { content: string | Uint8Array | Readable; mediaType: string }
  headers?: Record<string, string>
}

/** The reply for success as the contract declares it. */
export function success<Id extends OperationId>(id: Id, body: SuccessOf<Id>): HandlerReply {
  const { status } = successOf(operationById[id])
  return body === undefined ? { status } : { status, body }
}

/** For the ledger of consent. */
export const changeBy = ({ caller, now }: Pick<CallContext, 'caller' | 'now'>): ChangeContext => ({
  origin: { source: 'api', actor: caller.name },
  now,
})

export const done = { status: 'SUCCESS' } as const

/** The parts of the app that handlers and the HTTP server use; `server.ts` passes it in. */
export interface AppContext {
  version: string
  /** `probes`: only the operations of the service itself, for a node that works and takes no calls. */
  serves: 'everything' | 'probes'
  publicUrl: string
  log: Log
  clock: Clock
  engine: Engine
  /** A copy of the database; absent where its server has tools of its own. */
  backup?(): AsyncIterable<Uint8Array>
  callers: Callers
  secretKey: SecretKey
  providers: ReadonlyMap<string, Provider>
  addresses: Pick<AddressGuard, 'blockedReason'>
  transport: Pick<Transport, 'perform' | 'probe'>
  rateLimits: CallerRateLimits
  /** Where sends are strict unless they say otherwise. */
  strictSends: ReadonlySet<KeyEnvironment>
  metrics: Pick<Metrics, 'registry' | 'requestSeconds' | 'callbacks' | 'tracked' | 'inboundMails'>
  /** Why it takes no work, as a sentence; undefined when it does. */
  notReady(): Promise<string | undefined>
  pause: Pause
  erasure: {
    /** There is an erasure to work on. */
    wake(): void
  }
  receipts: {
    /** There are receipts to apply. */
    wake(): void
  }
  /** Opens and clicks of our own addresses. */
  uses: UseRecorder
  fanOut: {
    /** There is something to expand. */
    wake(): void
  }
  automations: {
    /** Resolves when the run is on disk; it has started then. */
    start(run: RunStart): Promise<void>
    /** There are runs to work on. */
    wake(): void
  }
  pipeline: Omit<Pipeline, 'wake' | 'stop' | 'stalled'>
}

/** A page of rows in a reply, as a `paging` object; `listPage` is an envelope around the rows. */
export const paging = ({ cursor }: Page<unknown>): { more: boolean; cursor?: string } =>
  cursor === undefined ? { more: false } : { cursor, more: true }

type Query = Record<string, string | number | undefined>

/** `path` is the list, `query` the query of the page. */
export function listPage<Row, Item>(path: string, query: Query, page: Page<Row>, item: (row: Row) => Item) {
  const { cursor } = page
  const again = Object.entries({ ...query, starting_after: undefined, cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  )
  return {
    type: 'list' as const,
    items: page.rows.map(item),
    has_more: cursor !== undefined,
    url: path,
    next_url: cursor === undefined ? null : `${path}?${again.join('&')}`,
    cursor: cursor ?? null,
  }
}
