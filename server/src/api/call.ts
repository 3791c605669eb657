/** A call of an operation: the context of its handler, with the app, and the replies it gives back. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import {
  type KeyEnvironment,
  type OperationId,
  operationById,
  operations,
  type SuccessOf,
  successOf,
} from '@postrider/contract'
import type { FastifyReply } from 'fastify'
import type { RunStart } from '../automations/run.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { memo } from '../base/perf/cache.ts'
import type { SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import type { Page } from '../database/cursor.ts'
import type { Backup, Engine, Reader } from '../database/engine.ts'
import type { ChangeContext } from '../database/tables/preferences/preferences.ts'
import type { SignInContext } from '../installation/diagnostics.ts'
import type { Pipeline } from '../messages/pipeline.ts'
import type { Idempotency } from '../messages/send.ts'
import type { Provider } from '../providers/provider.ts'
import type { Pause } from '../queue/delivery-pause.ts'
import type { UseRecorder } from '../receipts/tracked-use.ts'
import type { AddressGuard } from '../transport/address-guard.ts'
import type { OpenNameRecords } from '../transport/name-records.ts'
import type { Transport } from '../transport/transport.ts'
import type { Caller, Callers } from './authentication.ts'
import { clientAddress, type TrustedProxies } from './client-address.ts'
import type { Preconditions } from './preconditions.ts'
import type { CallerRateLimits } from './rate-limit.ts'

export interface CallContext {
  /** The database is for reads: writes are given back, and committed by the router. */
  app: Omit<AppContext, 'engine'> & { database: Reader }
  caller: Caller
  now: number
  header(name: string): string | undefined
  /** To judge which page made the call, and from which address. */
  request: Pick<IncomingMessage, 'headers' | 'socket'>
  /** A 400 for warnings, and for a send (`api/strict-sends.ts`) for what would otherwise be found out when it is delivered. */
  strict: boolean
  /** Sentences for the caller (`api/warnings.ts`); absent while there is none. */
  warnings?: string[]
  /** The request as it came, where the operation reads it so (`readsRawBody`). */
  raw?: RawRequest
  /** The conditions of the call, where its operation has them. */
  preconditions: Preconditions
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

/** Looked for once in the replies of each operation. */
const successStatus = memo(operations.length, (id) => successOf(operationById[id as OperationId]).status)

/** The reply for success as the contract declares it. */
export function success<Id extends OperationId>(id: Id, body: SuccessOf<Id>): HandlerReply {
  const status = successStatus(id)
  return body === undefined ? { status } : { status, body }
}

/** The address of the client, as far as it can be known. */
export function callerAddress({
  app,
  request: { headers, socket },
}: { app: Pick<AppContext, 'trustedProxies'> } & Pick<CallContext, 'request'>): string {
  const forwarded = headers['x-forwarded-for']
  const forwardedFor = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
  return clientAddress(socket.remoteAddress, forwardedFor, app.trustedProxies)
}

/** For the ledger of consent. */
export const changeBy = ({ caller, now }: Pick<CallContext, 'caller' | 'now'>): ChangeContext => ({
  origin: { source: 'api', actor: caller.name },
  now,
})

/** For tests of integrations. */
export const signInContext = ({ app, caller }: CallContext): SignInContext => ({
  ...{ workspaceId: caller.workspaceId, secretKey: app.secretKey, providers: app.providers },
  ...{ transport: app.network.transport, now: () => app.clock.now() },
})

export const done = { status: 'SUCCESS' } as const

/** The parts of the app that handlers and the HTTP server use; `server.ts` passes it in. */
export interface AppContext {
  service: Service
  publicUrl: string
  /** The folder of the built dashboard; undefined where it is not served. */
  dashboard: URL | undefined
  /** Proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: TrustedProxies
  rateLimits: CallerRateLimits
  /** Where sends are strict unless they say otherwise. */
  strictSends: ReadonlySet<KeyEnvironment>
  log: Log
  clock: Clock
  engine: Engine
  callers: Callers
  secretKey: SecretKey
  providers: ReadonlyMap<string, Provider>
  network: {
    addresses: Pick<AddressGuard, 'blockedReason'>
    transport: Pick<Transport, 'perform' | 'probe'>
    openNameRecords: OpenNameRecords
  }
  metrics: Pick<Metrics, 'registry' | 'requestSeconds' | 'released' | 'callbacks' | 'tracked' | 'inboundMails'>
  jobs: Jobs
  /** Opens and clicks of our own addresses. */
  uses: UseRecorder
  pipeline: Omit<Pipeline, 'wake' | 'stop' | 'stalled' | 'intake'>
}

/** The process, as its probes and operators see it. */
interface Service {
  version: string
  /** As in its leases. */
  node: string
  /** Messages are kept for so long. */
  retentionDays: number
  /** `probes`: only the operations of the service itself, for a node that works and takes no calls. */
  serves: 'everything' | 'probes'
  /** Why it takes no work, as a sentence; undefined when it does. */
  notReady(): Promise<string | undefined>
  pause: Pause
  /** Whether an operator set its public address. */
  isPublic: boolean
  /** Absent where the database has tools of its own. */
  backup?: Backup
}

/** Background work that a call leaves behind. */
interface Jobs {
  /** There is something to expand, erase, apply or run. */
  wake(job: 'fan-out' | 'erasure' | 'receipts' | 'runs'): void
  /** Resolves when the run is on disk; it has started then. */
  startRun(run: RunStart): Promise<void>
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

const asItIs = (text: unknown) => text as string

/** With bare `application/json` for JSON, and nothing at all for an empty one. */
export function write(reply: FastifyReply, { status, body, raw, headers }: HandlerReply): FastifyReply {
  reply.code(status)
  if (headers) reply.headers(headers)
  // A serializer would be given a stream as well.
  if (raw?.content instanceof Readable) return reply.type(raw.mediaType).send(raw.content)
  if (raw) return reply.serializer(asItIs).type(raw.mediaType).send(raw.content)
  if (body === undefined) return reply.send()
  // Old clients read nothing that says `; charset=utf-8`; with a serializer of its own the framework adds no charset.
  return reply.header('content-type', 'application/json').serializer(asItIs).send(JSON.stringify(body))
}
