/** The real HTTP server on a real engine, with a key; what it hands to the pipeline is only written down. */

import type { HttpContext } from '@postrider/server/internal/api/app-context'
import { createCallers } from '@postrider/server/internal/api/authentication/authenticate'
import { createHttpServer } from '@postrider/server/internal/api/server'
import { newRun } from '@postrider/server/internal/automations/runs/run-rows'
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { hashKey, secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { runsInsert } from '@postrider/server/internal/database/tables/automations/live-runs'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import type { Send } from '@postrider/server/internal/messages/send'
import { providers } from '@postrider/server/internal/providers/registry'
import { noPause } from '@postrider/server/internal/queue/pause'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'

export const keys = {
  production: 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz',
  test: 'pk_test_0123456789abcdefghijklmnopqrstuvwxyz',
  draft: 'dk_prod_0123456789abcdefghijklmnopqrstuvwxyz',
  mock: 'mk_prod_0123456789abcdefghijklmnopqrstuvwxyz',
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Of every shape; undefined when the reply is not JSON. */
  json: ReturnType<typeof JSON.parse>
}

export interface Ask {
  /** Production's unless given; empty: none. */
  key?: string
  headers?: Record<string, string>
  /** A text or bytes are sent as they are, everything else as JSON. */
  body?: unknown
}

export interface ApiServer {
  url: string
  engine: Engine
  sends: Send[]
  time: { now: number }
  ask(method: string, path: string, options?: Ask): Promise<Answer>
  close(): Promise<void>
}

/** `pipeline` replaces single parts of the one that only writes down. */
export async function openApiServer(
  plain: Engine,
  replaced: Partial<Omit<HttpContext, 'pipeline'>> & { pipeline?: Partial<HttpContext['pipeline']> } = {},
): Promise<ApiServer> {
  const key = replaced.secretKey ?? secretKey(Buffer.alloc(32, 7))
  const engine: Engine = { ...plain, tokens: tokenCipher(key) }
  await seed(engine)
  const sends: Send[] = []
  const time = { now: Date.UTC(2026, 0, 5, 12, 0, 30) }
  const { pipeline, ...rest } = replaced
  const clock = { now: () => time.now }
  const log = createLog('silent')
  const app = createHttpServer({
    version: '0.0.0',
    publicUrl: 'http://postrider.test',
    serves: 'everything',
    log,
    clock,
    engine,
    callers: await createCallers({ engine, clock, log, secretKey: key }),
    secretKey: key,
    providers,
    addresses: addressGuard(false, []),
    transport: { probe: async () => Promise.reject(new Error('no probe was expected')) },
    rateLimits: new Map(),
    strictSends: new Set(),
    metrics: createMetrics(),
    notReady: async () => undefined,
    pause: noPause,
    automations: {
      start: async (run) => {
        await engine.run(runsInsert([newRun(run, engine.tokens)]))
      },
      wake: () => undefined,
    },
    erasure: { wake: () => undefined },
    fanOut: { wake: () => undefined },
    pipeline: {
      accept: async (send) => ({ kind: 'accepted', messageId: `m${sends.push(send)}` }),
      cancel: async () => 'missing',
      sendProblems: async () => Promise.reject(new Error('sendProblems was not expected')),
      explain: async () => Promise.reject(new Error('explain was not expected')),
      explainMessage: async () => undefined,
      history: async () => undefined,
      output: async () => undefined,
      ...pipeline,
    },
    ...rest,
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    engine,
    sends,
    time,
    ask: (method, path, options = {}) => ask(`${url}${path}`, method, options),
    close: () => app.close(),
  }
}

async function ask(url: string, method: string, { key = keys.production, headers, body }: Ask): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const reply = await fetch(url, {
    method,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  })
  const text = await reply.text()
  const json = reply.headers.get('content-type') === 'application/json' && text ? JSON.parse(text) : undefined
  return { status: reply.status, headers: reply.headers, text, json }
}

async function seed(engine: Engine): Promise<void> {
  const key = (id: string, workspace: number, kind: string, text: string) => ({
    text: `insert into keys (id, workspace_id, kind, name, hash, hint, created)
      values ($1, $2, $3, $4, $5, '', 0) on conflict do nothing`,
    values: [id, workspace, kind, id.toLowerCase(), hashKey(text)],
  })
  await engine.batch([
    { text: `insert into workspaces values (1, 'production'), (2, 'test') on conflict do nothing`, values: [] },
    key('PRODUCTION', 1, 'published', keys.production),
    key('TEST', 2, 'published', keys.test),
    key('DRAFT', 1, 'draft', keys.draft),
    key('MOCK', 1, 'mock', keys.mock),
  ])
}
