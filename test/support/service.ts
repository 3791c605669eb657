/** A service in this process on a new database: the whole of it, or its HTTP server with a pipeline that records sends. */
import { randomBytes } from 'node:crypto'
import { type CallOptions, type MessageDetail, Postrider, type SendBody } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { readConfig, startServer } from '@postrider/server'
import type { Clock } from '@postrider/server/internal/base/time/clock'
import { afterAll } from 'vitest'
import { type ApiCaller, apiCaller } from './api-client.ts'
import { databaseEnvironment } from './databases.ts'
import { openRecordingService, type RecordingOptions, type RecordingService } from './recording-service.ts'
import { until } from './until.ts'

export interface Service extends ApiCaller {
  url: string
  /** A published key of production, the key of `call` and `client`. */
  apiKey: string
  client: Postrider
  /** Creates a key; gives it with a client of its own. */
  key(kind: 'published' | 'draft' | 'mock', environment?: 'production' | 'test'): Promise<KeyedClient>
  stop(): Promise<void>
}

export interface KeyedClient {
  apiKey: string
  client: Postrider
}

export interface ServiceOptions {
  pipeline?: 'real'
  /** Names the database, or the service gets a new one. */
  env?: Record<string, string>
  clock?: Clock
}

/** `recording` starts faster: no background work, and a send ends where the pipeline would begin. */
export interface OpenService {
  (options: RecordingOptions): Promise<RecordingService>
  (options?: ServiceOptions): Promise<Service>
}

/** Services that `open` gives are stopped when the suite ends. */
export function withService(suite: (open: OpenService) => void): void {
  const opened: { stop(): Promise<void> }[] = []
  // Vitest runs these in reverse order: the clean-up of the suite itself, which may still use the service, comes first.
  afterAll(async () => {
    await Promise.all(opened.map((service) => service.stop()))
  })
  async function open(options: RecordingOptions): Promise<RecordingService>
  async function open(options?: ServiceOptions): Promise<Service>
  async function open(options: RecordingOptions | ServiceOptions = {}): Promise<RecordingService | Service> {
    const service = options.pipeline === 'recording' ? await openService(options) : await openService(options)
    opened.push(service)
    return service
  }
  suite(open)
}

export function openService(options: RecordingOptions): Promise<RecordingService>
export function openService(options?: ServiceOptions): Promise<Service>
export function openService(options: RecordingOptions | ServiceOptions = {}): Promise<RecordingService | Service> {
  return options.pipeline === 'recording' ? openRecordingService(options) : openWholeService(options)
}

async function openWholeService({ env = {}, clock }: ServiceOptions): Promise<Service> {
  const hasDatabase = env.POSTRIDER_DATABASE_URL !== undefined || env.POSTRIDER_DATA_DIR !== undefined
  const apiKey = env.POSTRIDER_API_KEY ?? `pk_prod_${randomBytes(24).toString('hex')}`
  const server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      POSTRIDER_LOG_LEVEL: 'silent',
      POSTRIDER_API_KEY: apiKey,
      ...(hasDatabase ? {} : await databaseEnvironment()),
      ...env,
    }),
    clock,
  )
  const { url } = server
  const client = clientOf(url, apiKey)
  let stopped: Promise<void> | undefined
  return {
    ...apiCaller(url, apiKey),
    url,
    apiKey,
    client,
    async key(kind, environment = 'production') {
      const { key } = await client.keys.create({ name: kind, kind, environment })
      return { apiKey: key, client: clientOf(url, key) }
    },
    stop() {
      stopped ??= server.stop()
      return stopped
    },
  }
}

export const clientOf = (baseUrl: string, apiKey: string) => new Postrider({ baseUrl, apiKey, retries: 0 })

/** The message when its status is final. */
export const settled = (client: Postrider, id: string, timeoutMs?: number): Promise<MessageDetail> =>
  until(
    () => client.messages.get(id),
    ({ status }) => finalStatuses.has(status),
    timeoutMs,
  )

/** Sends and waits for a final status. */
export async function sendAndSettle(client: Postrider, body: SendBody, options?: CallOptions): Promise<MessageDetail> {
  const { messageId } = await client.send(body, options)
  return settled(client, messageId)
}
