/** The composition root: the one place that connects database, pipeline, HTTP server and background work. */
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Callers, createCallers, environmentOf, workspaceOf } from './api/authentication.ts'
import { createHttpServer } from './api/server.ts'
import { newSignInLink } from './api/sign-in-link.ts'
import { appContextOf, type Context, openContext } from './app.ts'
import { type Background, startBackgroundJobs, wakeJob } from './background.ts'
import { setFailpoint } from './base/failpoint.ts'
import { createLog } from './base/log.ts'
import { OPEN_FILES_HINT, OPEN_FILES_NEEDED, openFilesMax } from './base/open-files.ts'
import { hashKey } from './base/secret.ts'
import { type Clock, systemClock } from './base/time/clock.ts'
import { SECOND } from './base/time/duration.ts'
import type { Config } from './config.ts'
import { refuseHeld } from './database/local/data-folder.ts'
import { findOperatorKey } from './database/tables/workspace/api-keys.ts'
import type { FirstStart } from './first-start.ts'
import { readGauges } from './installation/gauges.ts'
import { type Pipeline, startPipeline } from './messages/pipeline.ts'
import { recipientLinks } from './preferences/recipient-links.ts'
import { bounceAddress } from './receipts/bounce-address.ts'
import { callbackUrls } from './receipts/callback.ts'
import type { LmtpListener } from './receipts/lmtp.ts'
import { createTracker } from './tracking/tracker.ts'
import { startWatchdog } from './watchdog/watchdog.ts'

export interface RunningServer {
  /** Where it listens; with the port the system chose when the configured one is 0. */
  url: string
  firstStart?: { apiKey?: string; keyId?: string; curl: string }
  /** The address of the dashboard; undefined where none is served. */
  dashboardUrl?: string
  /** That address with a sign-in link of the operator's key; undefined without a dashboard or such a key. Throws `DatabaseUnavailable`. */
  signInLink(): Promise<string | undefined>
  /** Since when deliveries are paused. */
  pausedSince?: number
  /** Finishes attempts in flight, releases messages that were not started, closes everything. At most 30 s. */
  stop(): Promise<void>
}

export interface StartOptions {
  /** No node delivers until deliveries are resumed. Throws `OtherNodes` while other nodes run. */
  paused?: boolean
  /** A thread watches the main thread: the services of one process need it once. */
  watchdog?: boolean
}

/** Requests are answered within milliseconds; a body that still arrives after this time is cut off. */
const HTTP_CLOSE_MS = 5 * SECOND
const IDLE_CHECK_MS = 50
/** The grace period of provider calls in flight; with the other steps a stop takes less than 30 s. */
const GRACE_MS = 20 * SECOND

/** Throws `FolderTaken`, `SchemaUnusable`, `DatabaseUnavailable`, and errors of listening. */
export async function startServer(
  config: Config,
  clock: Clock = systemClock,
  { paused = false, watchdog = true }: StartOptions = {},
): Promise<RunningServer> {
  setFailpoint(config.failpoint)
  const log = createLog(config.logLevel)
  for (const sentence of config.unknownVariables) log.warn({ event: 'config.unknown_variable' }, sentence)
  // Checked first: another server on this folder is the likely reason of a port in use.
  if (!config.databaseUrl) await refuseHeld(config.dataDir)
  // Before the first start, which shows its API key only once: a server that cannot listen must not use it up.
  await checkListenAddress(config)
  if (config.lmtp) await checkListenAddress(config.lmtp)
  const context = await openContext(config, log, clock, paused)
  try {
    return await open(context, watchdog)
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Throws the error that listening would throw. */
async function checkListenAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

async function open(context: Context, isWatched: boolean): Promise<RunningServer> {
  const { config, engine, log, metrics } = context
  warnOfFewFiles(log)
  readGauges({ ...context, workspaces: new Map(Object.entries(workspaceOf).map(([name, id]) => [id, name])) })
  let stopping = false
  const leaseMs = config.leaseSeconds * SECOND
  const callers = await createCallers(context)
  const pipeline = await startPipeline({
    ...context,
    works: config.role !== 'api',
    leaseMs,
    workspaceName: environmentOf,
    links: config.isPublic ? recipientLinks(context.secretKey, config.publicUrl) : undefined,
    tracker: createTracker({ ...config, secretKey: context.secretKey }),
    bounceAddress: (mailbox, mail) => bounceAddress(context.secretKey, mailbox, mail),
    callbackUrl: config.isPublic ? callbackUrls(context.secretKey, config.publicUrl) : undefined,
  })
  const watchdog = isWatched ? watchProcess(context, pipeline) : undefined
  let background: Background | undefined
  let lmtp: LmtpListener | undefined
  const stopWork = async (graceMs: number) => {
    await lmtp?.close()
    await Promise.all([background?.stop(graceMs), pipeline.stop(graceMs)])
    await watchdog?.stop()
  }
  try {
    if (config.role !== 'api')
      background = await startBackgroundJobs({
        ...context,
        leaseMs,
        retentionDays: config.retentionDays,
        messagesAdded: pipeline.wake,
        intake: pipeline.intake,
        gates: pipeline.gates,
        accepted: (workspaceId, count) => metrics.accepted.inc({ workspace: environmentOf(workspaceId) }, count),
      })
    const state = {
      serves: config.role === 'worker' ? ('probes' as const) : ('everything' as const),
      notReady: async () => (stopping ? 'it is stopping' : await notReady(context)),
    }
    const http = createHttpServer({
      ...appContextOf(context, pipeline, state, background?.runs),
      callers,
    })
    if (config.lmtp) {
      // Loaded only where it is used.
      const { listenLmtp } = await import('./receipts/lmtp.ts')
      lmtp = await listenLmtp({ ...context, ...config.lmtp, wake: () => wakeJob(context, 'receipts') })
    }
    const listening = await http.listen({ host: config.host, port: config.port })
    const url = listening.replace('[::]', '[::1]').replace('0.0.0.0', '127.0.0.1')
    log.info({ event: 'server.listening', url, database: engine.kind, role: config.role }, 'listening')
    return {
      url,
      ...dashboardAt(url, context),
      ...(context.firstStart && { firstStart: welcome(url, context.firstStart) }),
      ...(context.pause.since !== undefined && { pausedSince: context.pause.since }),
      async stop() {
        stopping = true
        try {
          await closeHttp(http, callers)
          await stopWork(GRACE_MS)
        } finally {
          await context.close()
        }
        log.info({ event: 'server.stopped' }, 'stopped')
      },
    }
  } catch (error) {
    // Running work would keep the process alive.
    await stopWork(0)
    throw error
  }
}

const watchProcess = ({ engine, log, metrics, config: { logLevel } }: Context, { stalled }: Pipeline) =>
  startWatchdog({ engine, log, logLevel, stalled, processStalled: () => metrics.processStalls.inc({}) })

function warnOfFewFiles(log: Context['log']): void {
  const limit = openFilesMax()
  if (limit !== undefined && limit < OPEN_FILES_NEEDED)
    log.warn({ event: 'open_files.low', limit, needed: OPEN_FILES_NEEDED }, OPEN_FILES_HINT)
}

/** Calls in progress are answered; a connection that its client keeps open is closed when it falls idle. */
async function closeHttp(http: FastifyInstance, callers: Pick<Callers, 'close'>): Promise<void> {
  const idle = setInterval(() => http.server.closeIdleConnections(), IDLE_CHECK_MS)
  const late = setTimeout(() => http.server.closeAllConnections(), HTTP_CLOSE_MS)
  try {
    await http.close()
    await callers.close()
  } finally {
    clearInterval(idle)
    clearTimeout(late)
  }
}

const OUTAGES = {
  unreachable: 'the database does not answer',
  disk_full: 'the disk of the database is full',
  read_only: 'the database is read-only',
} as const

/** Undefined when the last statements show that the database answers and takes writes. */
async function notReady({ engine, availability }: Context): Promise<string | undefined> {
  try {
    await engine.run({ text: 'select 1', values: [], name: 'ready' })
  } catch {
    return OUTAGES[availability.outage ?? 'unreachable']
  }
  const { outage } = availability
  // The database has just answered.
  return outage === undefined || outage === 'unreachable' ? undefined : OUTAGES[outage]
}

function dashboardAt(
  url: string,
  { engine, clock, config }: Context,
): Pick<RunningServer, 'dashboardUrl' | 'signInLink'> {
  const { apiKey, dashboard, isPublic, publicUrl, role } = config
  if (!dashboard || role === 'worker') return { signInLink: async () => undefined }
  const address = isPublic ? publicUrl : url
  return {
    dashboardUrl: `${address}/app/`,
    async signInLink() {
      // The key that the operator chose, else the first one that may do everything.
      const key = await findOperatorKey(engine, clock.now(), apiKey && hashKey(apiKey))
      if (!key) return undefined
      const { link, insert } = newSignInLink(key, address, clock.now())
      await engine.run(insert)
      return link.url
    },
  }
}

function welcome(url: string, { apiKey, keyId }: FirstStart): Exclude<RunningServer['firstStart'], undefined> {
  const body = { event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' }, data: { name: 'Ada' } }
  const curl = [
    `curl ${url}/send`,
    // In double quotes, so that the shell puts in the key that the operator chose.
    apiKey ? `-H 'Authorization: Bearer ${apiKey}'` : '-H "Authorization: Bearer $POSTRIDER_API_KEY"',
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ')
  return { curl, ...(apiKey && { apiKey, keyId }) }
}
