/** The composition root: opens key, database, providers and transport in order, closes them in reverse, and puts together what the API needs. */
import { hostname } from 'node:os'
import type { AppContext } from './api/call.ts'
import { trustedProxies } from './api/client-address.ts'
import { dashboardFolder, version } from './assets.ts'
import { createStarter, type RunWorker } from './automations/runs/worker.ts'
import { wakeJob } from './background.ts'
import type { Log } from './base/log.ts'
import { createMetrics, type Metrics } from './base/metrics.ts'
import type { SecretKey } from './base/secret.ts'
import type { Clock } from './base/time/clock.ts'
import type { Config } from './config.ts'
import { type Availability, watchAvailability } from './database/availability.ts'
import { diskFullError, isDiskFull } from './database/disk.ts'
import type { Engine } from './database/engine.ts'
import { migrate } from './database/migrate.ts'
import { refuseOtherNodes } from './database/other-nodes.ts'
import { makePartitions } from './database/partitions.ts'
import { openPostgres } from './database/postgres.ts'
import { voidEveryLease } from './database/queues.ts'
import { pauseInsert, refuseMoved } from './database/tables/installation/installation.ts'
import { tokenCipher } from './database/token-cipher.ts'
import { type FirstStart, firstStart } from './first-start.ts'
import { startHeartbeat } from './heartbeat.ts'
import type { Pipeline } from './messages/pipeline.ts'
import { providers } from './providers/catalog.ts'
import type { Provider } from './providers/provider.ts'
import { noPause, openPause, type Pause } from './queue/delivery-pause.ts'
import { createUseRecorder } from './receipts/tracked-use.ts'
import { borrowSecretKey, openSecretKey } from './secret-key.ts'
import { type AddressGuard, addressGuard } from './transport/address-guard.ts'
import { nameRecords } from './transport/name-records.ts'
import { createTransport, type Transport } from './transport/transport.ts'

export interface Context {
  config: Config
  clock: Clock
  log: Log
  metrics: Metrics
  engine: Engine
  availability: Availability
  pause: Pause
  secretKey: SecretKey
  providers: ReadonlyMap<string, Provider>
  addresses: AddressGuard
  transport: Transport
  firstStart: FirstStart | undefined
  close(): Promise<void>
}

/** A remote server, or a local one that this process runs. */
export async function openDatabase(
  config: Config,
  log: Log,
  options: { queryTimeoutMs?: number } = {},
): Promise<Engine> {
  const { databaseUrl, databaseConnections: connectionsMax, dataDir, postgresBin } = config
  if (databaseUrl) {
    const address = { connectionString: databaseUrl }
    return openPostgres({ address, kind: 'server', connectionsMax, log, ...options })
  }
  const { openLocal } = await import('./database/local/local.ts')
  return await openLocal({ folder: dataDir, binFolder: postgresBin, log, ...options }).catch((error: unknown) => {
    throw isDiskFull(error) ? fullDiskOf(config, error) : error
  })
}

/** The local database while a server of this machine runs it; undefined while none does. */
export async function joinDatabase({ dataDir }: Config, log: Log): Promise<Engine | undefined> {
  const { joinLocal } = await import('./database/local/local.ts')
  return await joinLocal({ folder: dataDir, log })
}

/** For a server: migrates and seeds the database, and takes over the leases of the previous run. */
export async function openContext(config: Config, log: Log, clock: Clock, startsPaused: boolean): Promise<Context> {
  const engine = await openDatabase(config, log)
  try {
    if (startsPaused && engine.kind === 'server') await refuseOtherNodes(engine)
    const { key, first } = await prepare(engine, config, log, clock)
    const watched = watchAvailability(engine, { log, folder: config.databaseUrl ? undefined : config.dataDir })
    const context = await contextOn(watched.engine, key, config, log, clock)
    if (startsPaused) await engine.run(pauseInsert({ since: clock.now(), host: hostname(), source: null }))
    const pause = await openPause(watched.engine, log)
    context.metrics.paused.from(() => (pause.since === undefined ? 0 : 1))
    const heartbeat = startHeartbeat({ ...context, engine: watched.engine })
    const close = async () => {
      pause.close()
      await heartbeat.stop()
      await context.close()
    }
    return { ...context, close, availability: watched.availability, pause, firstStart: first }
  } catch (error) {
    await engine.close()
    throw isDiskFull(error) ? fullDiskOf(config, error) : error
  }
}

const fullDiskOf = ({ databaseUrl, dataDir }: Config, error: unknown) =>
  diskFullError(error, databaseUrl ? undefined : dataDir)

/** For a command: on an open database, which is not migrated. Without the secret key stored credentials are unreadable. */
export async function borrowContext(engine: Engine, config: Config, log: Log, clock: Clock): Promise<Context> {
  const key = await borrowSecretKey(engine, config)
  return {
    ...(await contextOn(engine, key, config, log, clock)),
    availability: { outage: undefined },
    pause: noPause,
    firstStart: undefined,
  }
}

interface Prepared {
  key: SecretKey
  first: FirstStart | undefined
}

async function prepare(engine: Engine, config: Config, log: Log, clock: Clock): Promise<Prepared> {
  await refuseMoved(engine)
  await migrate(engine, log)
  // Before any write: a refused start does not change the database.
  const key = await openSecretKey(engine, config)
  await makePartitions(engine, clock.now())
  const first = await firstStart(engine, clock.now(), config.apiKey)
  if (engine.kind === 'local') {
    // The folder's lock proves that the owners of all leases are dead.
    const taken = await voidEveryLease(engine, clock.now())
    if (taken > 0) log.info({ event: 'messages.taken_over', messages: taken }, 'took over messages of the previous run')
  }
  return { key, first }
}

async function contextOn(
  locked: Engine,
  secretKey: SecretKey,
  config: Config,
  log: Log,
  clock: Clock,
): Promise<Omit<Context, 'firstStart' | 'availability' | 'pause'>> {
  const engine: Engine = { ...locked, tokens: tokenCipher(secretKey) }
  const addresses = addressGuard(config.allowPrivateNetwork, closedHosts(config))
  const transport = createTransport({ addresses, clock })
  return {
    ...{ config, clock, log, engine, secretKey, addresses, transport },
    metrics: createMetrics(),
    providers,
    async close() {
      await transport.close()
      await engine.close()
    },
  }
}

/** Webhooks must not reach the service's own database. */
function closedHosts({ databaseUrl }: Config): { host: string; port: number }[] {
  if (!databaseUrl) return []
  const { hostname, port } = new URL(databaseUrl)
  return hostname ? [{ host: hostname, port: Number(port || 5432) }] : []
}

type ServiceState = Pick<AppContext['service'], 'serves' | 'notReady'>

/** `runs`: the worker of this process. Other background work is done by the process that takes the wake-up first. */
export function appContextOf(
  context: Context,
  pipeline: Pipeline,
  state: ServiceState,
  runs: Pick<RunWorker, 'start' | 'wake'> = startedElsewhere(context),
): Omit<AppContext, 'callers'> {
  const { config, clock, engine, log, metrics, secretKey, providers, addresses, transport, pause } = context
  const { publicUrl, rateLimits, strictSends } = config
  const { backup } = engine
  return {
    trustedProxies: trustedProxies(config.trustedProxies),
    ...{ publicUrl, rateLimits, strictSends, log, clock, engine, secretKey, providers, metrics, pipeline },
    service: {
      ...{ ...state, version, pause, node: engine.node },
      ...{ retentionDays: config.retentionDays, isPublic: config.isPublic },
      ...(backup && { backup }),
    },
    dashboard: config.dashboard ? dashboardFolder : undefined,
    network: { addresses, transport, openNameRecords: nameRecords() },
    jobs: { startRun: runs.start, wake: (job) => (job === 'runs' ? runs.wake() : wakeJob(context, job)) },
    uses: createUseRecorder({
      ...{ engine, log, metrics },
      now: () => clock.now(),
      wake: () => wakeJob(context, 'receipts'),
    }),
  }
}

/** On a node that only accepts; runs that are started close together share a wake-up. */
function startedElsewhere(context: Context) {
  const wake = () => wakeJob(context, 'runs')
  const start = createStarter({
    ...{ engine: context.engine, now: () => context.clock.now(), leaseMs: 0, newLease: () => '', wake },
    ...{ fitting: () => [], startRuns: () => {} },
  })
  return { start, wake }
}
