/** A service in this process on a new database: the whole of it, or its HTTP server with a pipeline that records sends. */
import { randomBytes } from 'node:crypto'
import { type CallOptions, type MessageDetail, Postrider, type SendBody } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { readConfig, startServer } from '@postrider/server'
import type { Clock } from '@postrider/server/internal/base/time/clock'
import { afterAll } from 'vitest'
import { type ApiCaller, apiCaller } from './api-client.ts'
import { databaseEnvironment } from './databases.ts'
import { openRecordingApp, type RecordingApp, type RecordingOptions } from './recording-app.ts'
import { until } from './until.ts'

export interface App extends ApiCaller {
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

export interface AppOptions {
  pipeline?: 'real'
  /** Names the database, or the service gets a new one. */
  env?: Record<string, string>
  clock?: Clock
}

/** `recording` starts faster: no background work, and a send ends where the pipeline would begin. */
export interface OpenApp {
  (options: RecordingOptions): Promise<RecordingApp>
  (options?: AppOptions): Promise<App>
}

/** Services that `open` gives are stopped when the suite ends. */
export function withApp(suite: (open: OpenApp) => void): void {
  const opened: { stop(): Promise<void> }[] = []
  // Vitest runs these in reverse order: the clean-up of the suite itself, which may still use the service, comes first.
  afterAll(async () => {
    await Promise.all(opened.map((app) => app.stop()))
  })
  async function open(options: RecordingOptions): Promise<RecordingApp>
  async function open(options?: AppOptions): Promise<App>
  async function open(options: RecordingOptions | AppOptions = {}): Promise<RecordingApp | App> {
    const app = options.pipeline === 'recording' ? await openApp(options) : await openApp(options)
    opened.push(app)
    return app
  }
  suite(open)
}

export function openApp(options: RecordingOptions): Promise<RecordingApp>
export function openApp(options?: AppOptions): Promise<App>
export function openApp(options: RecordingOptions | AppOptions = {}): Promise<RecordingApp | App> {
  return options.pipeline === 'recording' ? openRecordingApp(options) : openWholeApp(options)
}

async function openWholeApp({ env = {}, clock }: AppOptions): Promise<App> {
  const hasDatabase = env.POSTRIDER_DATABASE_URL !== undefined || env.POSTRIDER_DATA_DIR !== undefined
  const apiKey = env.POSTRIDER_API_KEY ?? `pk_prod_${randomBytes(24).toString('hex')}`
  const server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      POSTRIDER_LOG_LEVEL: 'silent',
      POSTRIDER_API_KEY: apiKey,
      // A new connection costs PostgreSQL more than most suites ask of it: it plans every statement again.
      POSTRIDER_DATABASE_CONNECTIONS: '3',
      ...(hasDatabase ? {} : await databaseEnvironment()),
      ...env,
    }),
    clock,
    // Each would be a thread that watches this process, which runs many services: those that are processes have it.
    { watchdog: false },
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
