/** The real HTTP server on a real engine, with a pipeline that records the sends it gets and delivers none. */
import { createCallers } from '@postrider/server/internal/api/authentication'
import type { AppContext } from '@postrider/server/internal/api/call'
import { createHttpServer } from '@postrider/server/internal/api/server'
import { dashboardFolder } from '@postrider/server/internal/assets'
import { newRun } from '@postrider/server/internal/automations/runs/run-rows'
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { hashKey, secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { runsInsert } from '@postrider/server/internal/database/tables/automations/live-runs'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import type { Send } from '@postrider/server/internal/messages/send'
import { providers } from '@postrider/server/internal/providers/catalog'
import { noPause } from '@postrider/server/internal/queue/delivery-pause'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { type LookUpOptions, nameRecords } from '@postrider/server/internal/transport/name-records'
import { type ApiCaller, apiCaller } from './api-client.ts'
import { openEngine } from './engine.ts'

export type { Accepted, HistoryEvent, MessageOutput } from '@postrider/server/internal/messages/send'
export { secretKey }

/** The secret key of an app, unless it is replaced. */
export const appSecretKey = secretKey(Buffer.alloc(32, 7))

export const keys = {
  production: 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz',
  test: 'pk_test_0123456789abcdefghijklmnopqrstuvwxyz',
  draft: 'dk_prod_0123456789abcdefghijklmnopqrstuvwxyz',
  mock: 'mk_prod_0123456789abcdefghijklmnopqrstuvwxyz',
}

export interface RecordingOptions {
  pipeline: 'recording'
  /** Stays open when the service stops; the service opens one of its own without it. */
  engine?: Engine
  /** Name servers of the test, and bounds; without them a look-up is an error. */
  lookUps?: LookUpOptions
  /** Parts of the server, or of its pipeline, instead of the ones here. */
  replace?: Partial<Omit<AppContext, 'pipeline'>> & { pipeline?: Partial<AppContext['pipeline']> }
}

export interface RecordingApp extends ApiCaller {
  url: string
  engine: Engine
  /** The sends of accepted calls, in order. */
  sends: Send[]
  time: { now: number }
  stop(): Promise<void>
}

export async function openRecordingApp({
  engine: shared,
  lookUps,
  replace = {},
}: RecordingOptions): Promise<RecordingApp> {
  const key = replace.secretKey ?? appSecretKey
  const plain = shared ?? (await openEngine())
  const engine: Engine = { ...plain, tokens: tokenCipher(key) }
  await seed(engine)
  const sends: Send[] = []
  const time = { now: Date.UTC(2026, 0, 5, 12, 0, 30) }
  const { pipeline, ...rest } = replace
  const clock = { now: () => time.now }
  const log = createLog('silent')
  const callers = await createCallers({ engine, clock, log, secretKey: key })
  const app = createHttpServer({
    service: {
      version: '0.0.0',
      node: engine.node,
      retentionDays: 90,
      isPublic: true,
      serves: 'everything',
      notReady: async () => undefined,
      pause: noPause,
    },
    publicUrl: 'http://postrider.test',
    dashboard: dashboardFolder,
    trustedProxies: [],
    log,
    clock,
    engine,
    callers,
    secretKey: key,
    providers,
    network: {
      addresses: addressGuard(false, []),
      transport: {
        perform: async () => Promise.reject(new Error('no request was expected')),
        probe: async () => ({ kind: 'failure', failure: 'connect', message: 'no network', reached: false }),
      },
      openNameRecords: lookUps
        ? nameRecords(lookUps)
        : async () => Promise.reject(new Error('no look-up was expected')),
    },
    rateLimits: new Map(),
    uses: { record: async () => Promise.reject(new Error('no open or click was expected')), writes: () => [] },
    strictSends: new Set(),
    metrics: createMetrics(),
    jobs: {
      startRun: async (run) => {
        await engine.run(runsInsert([newRun(run, engine.tokens)]))
      },
      wake: () => undefined,
    },
    pipeline: {
      accept: async (send) => ({ kind: 'accepted', messageId: `m${sends.push(send)}` }),
      cancel: async () => 'missing',
      cancelMany: async () => 0,
      requests: { enforce: async () => undefined, resume: async () => undefined },
      sendProblems: async () => Promise.reject(new Error('sendProblems was not expected')),
      explain: async () => Promise.reject(new Error('explain was not expected')),
      forecasts: async () => Promise.reject(new Error('forecasts was not expected')),
      previewContent: async () => Promise.reject(new Error('previewContent was not expected')),
      changes: async () => Promise.reject(new Error('changes was not expected')),
      outage: async () => Promise.reject(new Error('outage was not expected')),
      explainMessage: async () => undefined,
      history: async () => undefined,
      output: async () => undefined,
      gates: { enter: async () => Promise.reject(new Error('no call was expected')) },
      resetBreaker: async () => false,
      flushHealth: async () => {},
      ...pipeline,
    },
    ...rest,
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  let stopped: Promise<void> | undefined
  const stop = async () => {
    await app.close()
    await callers.close()
    if (!shared) await plain.close()
  }
  return {
    ...apiCaller(url, keys.production),
    url,
    engine,
    sends,
    time,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
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

export { trustedProxies } from '@postrider/server/internal/api/client-address'
