/** The composition root: the one place where database, pipeline, doors and background work are put together. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createStarter } from './automations/starting.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { SECOND } from './base/duration.ts'
import { setFailpoint } from './base/failpoint.ts'
import { createLog } from './base/log.ts'
import type { Config } from './config.ts'
import { type Context, openContext } from './context.ts'
import type { EmbeddedEngine } from './database/embedded/embedded.ts'
import { environmentOf } from './http/environment.ts'
import { createHttpServer } from './http/server.ts'
import { startPipeline } from './pipeline/pipeline.ts'
import { hintWork, startWork } from './work.ts'

export interface RunningServer {
  /** Where it listens; with the port the system chose when the configured one is 0. */
  url: string
  firstStart?: { apiKey?: string; curl: string }
  /** Finishes what is under way, gives back what has not begun, closes everything. At most 30 s. */
  stop(): Promise<void>
}

/** Provider calls under way are given this long; with the other steps a stop stays below 30 s. */
const GRACE_MS = 20 * SECOND

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

/** Throws `FolderTaken`, `SchemaUnusable`, `DatabaseUnavailable`, and whatever keeps it from listening. */
export async function startServer(config: Config, clock: Clock = systemClock): Promise<RunningServer> {
  setFailpoint(config.failpoint)
  // Before anything is made: a first start that cannot listen must not use up the one showing of its key.
  await mayListen(config)
  const context = await openContext(config, createLog(config.logLevel), clock)
  try {
    return await open(context)
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Throws what listening there would throw. */
async function mayListen({ host, port }: Config): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

async function open(context: Context): Promise<RunningServer> {
  const { config, engine, log, metrics } = context
  const works = config.role !== 'api'
  let stopping = false
  const leaseMs = config.leaseSeconds * SECOND
  const pipeline = await startPipeline({
    ...context,
    works,
    leaseMs,
    workspaceName: environmentOf,
  })
  const background = works
    ? await startWork({ ...context, leaseMs, retentionDays: config.retentionDays, messagesAdded: pipeline.wake })
    : undefined
  const http = createHttpServer({
    ...context,
    version,
    serves: config.role === 'worker' ? 'probes' : 'everything',
    publicUrl: config.publicUrl,
    rateLimits: config.rateLimits,
    metrics: metrics.registry,
    pipeline,
    automations: background?.runs ?? startedElsewhere(context),
    erasure: { wake: () => hintWork(context, 'erasure') },
    fanOut: { wake: () => hintWork(context, 'fan-out') },
    ready: async () => !stopping && (await answers(engine)),
    ...(engine.kind === 'embedded' && { backup: () => (engine as EmbeddedEngine).dump() }),
  })
  const listening = await http.listen({ host: config.host, port: config.port }).catch(async (error: unknown) => {
    // What runs already would keep the process alive.
    await background?.stop()
    await pipeline.stop(0)
    throw error
  })
  const url = listening.replace('[::1]', 'localhost').replace('0.0.0.0', '127.0.0.1')
  log.info({ url, database: engine.kind, role: config.role }, 'listening')

  return {
    url,
    ...(context.firstStart && { firstStart: welcome(url, context) }),
    async stop() {
      stopping = true
      await http.close()
      await background?.stop()
      await pipeline.stop(GRACE_MS)
      await context.close()
      log.info('stopped')
    },
  }
}

/** On a node that only accepts; runs that are started close together share a hint. */
function startedElsewhere(context: Context) {
  const wake = () => hintWork(context, 'runs')
  const start = createStarter({
    ...{ engine: context.engine, now: () => context.clock.now(), leaseMs: 0, newLease: () => '', wake },
    ...{ fitting: () => [], begin: () => {} },
  })
  return { start, wake }
}

async function answers(engine: Context['engine']): Promise<boolean> {
  try {
    await engine.run({ text: 'select 1', values: [], name: 'ready' })
    return true
  } catch {
    return false
  }
}

function welcome(url: string, { firstStart }: Context): { apiKey?: string; curl: string } {
  const apiKey = firstStart?.apiKey
  const body = { event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' }, data: { name: 'Ada' } }
  const curl = [
    `curl ${url}/send`,
    // In double quotes, so that the shell puts in the key that the operator chose.
    apiKey ? `-H 'Authorization: Bearer ${apiKey}'` : '-H "Authorization: Bearer $POSTRIDER_API_KEY"',
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ')
  return { curl, ...(apiKey && { apiKey }) }
}
