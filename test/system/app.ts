/** A whole service in this process, and a client for every kind of key. */
import { randomBytes } from 'node:crypto'
import { type CallOptions, type MessageDetail, Postrider, type SendBody } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { type RunningServer, readConfig, startServer } from '@postrider/server'
import type { Clock } from '@postrider/server/internal/base/time/clock'
import { afterAll } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { until } from '../support/until.ts'

export interface App {
  url: string
  apiKey: string
  /** A published key of production. */
  client: Postrider
  /** A further key and its client. */
  key(kind: 'published' | 'draft' | 'mock', environment?: 'production' | 'test'): Promise<Keyed>
  /** A call as it is on the wire. */
  ask(method: string, path: string, options?: Ask): Promise<Answer>
  stop(): Promise<void>
}

export interface Keyed {
  apiKey: string
  client: Postrider
}

export interface Ask {
  /** The first key unless given; empty: none. */
  apiKey?: string
  headers?: Record<string, string>
  /** A text or bytes are sent as they are, everything else as JSON. */
  body?: unknown
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Of every shape; undefined when the reply is not JSON. */
  json: ReturnType<typeof JSON.parse>
}

/** Starts the service on a new database, with this environment added, by this clock; stopped when the suite ends. */
export type OpenApp = (env?: Record<string, string>, clock?: Clock) => Promise<App>

export function withApp(suite: (open: OpenApp) => void): void {
  const opened: App[] = []
  // Vitest runs these in reverse order: the suite's own clean-up, which may still use the app, comes first.
  afterAll(async () => {
    await Promise.all(opened.map((app) => app.stop()))
  })
  suite(async (env = {}, clock) => {
    const app = await openApp({ ...(await databaseEnvironment()), ...env }, clock)
    opened.push(app)
    return app
  })
}

export async function openApp(env: Record<string, string>, clock?: Clock): Promise<App> {
  const apiKey = `pk_prod_${randomBytes(24).toString('hex')}`
  const server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      POSTRIDER_LOG_LEVEL: 'silent',
      POSTRIDER_API_KEY: apiKey,
      ...env,
    }),
    clock,
  )
  return appOf(server, apiKey)
}

function appOf(server: RunningServer, apiKey: string): App {
  const { url } = server
  const client = clientOf(url, apiKey)
  let stopped: Promise<void> | undefined
  return {
    url,
    apiKey,
    client,
    async key(kind, environment = 'production') {
      const made = await client.keys.create({ name: kind, kind, environment })
      return { apiKey: made.key, client: clientOf(url, made.key) }
    },
    ask: (method, path, options = {}) => ask(url + path, method, { apiKey, ...options }),
    stop() {
      stopped ??= server.stop()
      return stopped
    },
  }
}

export const clientOf = (baseUrl: string, apiKey: string) => new Postrider({ baseUrl, apiKey, retries: 0 })

async function ask(url: string, method: string, { apiKey, headers, body }: Ask): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const reply = await fetch(url, {
    method,
    headers: {
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  })
  const text = await reply.text()
  const json = reply.headers.get('content-type') === 'application/json' && text ? JSON.parse(text) : undefined
  return { status: reply.status, headers: reply.headers, text, json }
}

/** The message when nothing more is done for it. */
export const settled = (client: Postrider, id: string, timeoutMs?: number): Promise<MessageDetail> =>
  until(
    () => client.messages.get(id),
    ({ status }) => finalStatuses.has(status),
    timeoutMs,
  )

/** Sends and waits for the end. */
export async function sendAndSettle(client: Postrider, body: SendBody, options?: CallOptions): Promise<MessageDetail> {
  const { messageId } = await client.send(body, options)
  return settled(client, messageId)
}
