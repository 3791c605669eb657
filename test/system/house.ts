/** A whole service in this process on each engine, and a client for every kind of key. */
import { randomBytes } from 'node:crypto'
import { type CallOptions, type MessageDetail, Postrider, type SendBody } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { type RunningServer, readConfig, startServer } from '@postrider/server'
import type { Clock } from '@postrider/server/internal/base/clock'
import { afterAll, describe } from 'vitest'
import { hasPostgres, newDataFolder, newMigratedDatabase } from '../support/databases.ts'
import type { EngineName } from '../support/engines.ts'
import { until } from '../support/until.ts'

export interface House {
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

/** Starts the service with this environment added, by this clock; stopped when the suite ends. */
export type OpenHouse = (env?: Record<string, string>, clock?: Clock) => Promise<House>

/** An environment for a database of its own, with the schema in place. */
export const environments = {
  embedded: async () => ({ POSTRIDER_DATA_DIR: await newDataFolder() }),
  postgres: async () => ({
    POSTRIDER_DATABASE_URL: await newMigratedDatabase(),
    POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  }),
} satisfies Record<EngineName, () => Promise<Record<string, string>>>

/** Runs the suite once for each engine; PostgreSQL is left out where none can be started. */
export function eachHouse(suite: (open: OpenHouse, name: EngineName) => void): void {
  for (const name of ['embedded', 'postgres'] as const) {
    describe.runIf(name === 'embedded' || hasPostgres)(`on ${name}`, () => {
      const opened: House[] = []
      afterAll(async () => {
        await Promise.all(opened.map((house) => house.stop()))
      })
      suite(async (env = {}, clock) => {
        const house = await openHouse({ ...(await environments[name]()), ...env }, clock)
        opened.push(house)
        return house
      }, name)
    })
  }
}

export async function openHouse(env: Record<string, string>, clock?: Clock): Promise<House> {
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
  return houseOf(server, apiKey)
}

function houseOf(server: RunningServer, apiKey: string): House {
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
