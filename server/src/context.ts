/** Opens what the service stands on, in order, and closes it in reverse: key, database, providers, transport. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import { createMetrics, type Metrics } from './base/metrics.ts'
import { type SecretKey, secretKey } from './base/secret.ts'
import type { Config } from './config.ts'
import { openCredentials } from './database/credentials.ts'
import type { Engine } from './database/engine.ts'
import { makeDataFolder } from './database/local/data-folder.ts'
import { FolderUnusable } from './database/local/errors.ts'
import { fsyncDirectory } from './database/local/fsync-directory.ts'
import { migrate } from './database/migrate.ts'
import { makePartitions } from './database/partitions.ts'
import { openPostgres } from './database/postgres.ts'
import { sealedIntegrations } from './database/tables/integrations.ts'
import { refuseMoved } from './database/tables/moves.ts'
import { tokenCipher } from './database/token-cipher.ts'
import { voidEveryLease } from './database/void-leases.ts'
import { type FirstStart, firstStart } from './first-start.ts'
import type { Provider } from './providers/provider.ts'
import { loadProviders } from './providers/registry.ts'
import { type AddressGuard, addressGuard } from './transport/address.ts'
import { createTransport, type Transport } from './transport/transport.ts'

/** Enough to notice a wrong key. */
const INTEGRATIONS_LOOKED_AT = 100

export interface Context {
  config: Config
  clock: Clock
  log: Log
  metrics: Metrics
  engine: Engine
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
  const { databaseUrl, dataDir, postgresBin } = config
  if (databaseUrl) return openPostgres({ address: { connectionString: databaseUrl }, kind: 'server', log, ...options })
  const { openLocal } = await import('./database/local/local.ts')
  return openLocal({ folder: dataDir, binFolder: postgresBin, log, ...options })
}

/** For a server: brings the database up to date and takes over what the last run left. */
export async function openContext(config: Config, log: Log, clock: Clock): Promise<Context> {
  const engine = await openDatabase(config, log)
  try {
    const first = await prepare(engine, config, log, clock)
    const key = secretKey(config.secretKey ?? storedSecretKey(config.dataDir) ?? makeSecretKey(config.dataDir))
    await lookAtCredentials(engine, key, log)
    return { ...(await contextOn(engine, key, config, log, clock)), firstStart: first }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** For a command: on a database that is open already, which stays as it is. Without the secret key stored credentials are unreadable. */
export async function borrowContext(engine: Engine, config: Config, log: Log, clock: Clock): Promise<Context> {
  const key = secretKey(config.secretKey ?? storedSecretKey(config.dataDir) ?? randomBytes(32))
  return { ...(await contextOn(engine, key, config, log, clock)), firstStart: undefined }
}

/** The configured one, or the one in the data folder; undefined when none was made yet. */
export function configuredSecretKey({ secretKey: bytes, dataDir }: Config): SecretKey | undefined {
  const found = bytes ?? storedSecretKey(dataDir)
  return found && secretKey(found)
}

async function prepare(engine: Engine, config: Config, log: Log, clock: Clock): Promise<FirstStart | undefined> {
  await refuseMoved(engine)
  await migrate(engine, log)
  await makePartitions(engine, clock.now())
  const first = await firstStart(engine, clock.now(), config.apiKey)
  if (engine.kind === 'local') {
    // The folder's lock proves that whoever leased these is dead.
    const taken = await voidEveryLease(engine, clock.now())
    if (taken > 0) log.info({ messages: taken }, 'messages of the last run are taken over')
  }
  return first
}

async function contextOn(
  locked: Engine,
  secretKey: SecretKey,
  config: Config,
  log: Log,
  clock: Clock,
): Promise<Omit<Context, 'firstStart'>> {
  const engine: Engine = { ...locked, tokens: tokenCipher(secretKey) }
  const addresses = addressGuard(config.allowPrivateNetwork, closedHosts(config))
  const transport = createTransport({ addresses, clock })
  return {
    ...{ config, clock, log, engine, secretKey, addresses, transport },
    metrics: createMetrics(),
    providers: await loadProviders(),
    async close() {
      await transport.close()
      await engine.close()
    },
  }
}

/** Credentials of another secret key are noticed at the start, not by the first mail that does not go out. */
async function lookAtCredentials(engine: Engine, key: SecretKey, log: Log): Promise<void> {
  const sealed = await sealedIntegrations(engine, INTEGRATIONS_LOOKED_AT)
  const lost = sealed.filter((one) => openCredentials(key, one, one.secrets) === undefined).map(({ id }) => id)
  if (lost.length > 0)
    log.error(
      { integrations: lost },
      'the credentials of these integrations were encrypted with another POSTRIDER_SECRET_KEY: they are not used until they are given again',
    )
}

/** Our own database is no place for a webhook. */
function closedHosts({ databaseUrl }: Config): { host: string; port: number }[] {
  if (!databaseUrl) return []
  const { hostname, port } = new URL(databaseUrl)
  return hostname ? [{ host: hostname, port: Number(port || 5432) }] : []
}

const secretKeyPath = (dataDir: string) => join(dataDir, 'secret.key')

function storedSecretKey(dataDir: string): Buffer | undefined {
  const path = secretKeyPath(dataDir)
  if (!existsSync(path)) return undefined
  const bytes = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (bytes.length === 32) return bytes
  throw new FolderUnusable(
    `${path} is damaged: a secret key is 32 bytes in base64. Put the one that was kept apart there`,
  )
}

/** Readable by its owner only; whole or absent, also when the process dies while making it. */
function makeSecretKey(dataDir: string): Buffer {
  const path = secretKeyPath(dataDir)
  makeDataFolder(dataDir)
  const bytes = randomBytes(32)
  // What a kill leaves of this name is removed by the next start.
  const fresh = join(dataDir, 'new-secret.key')
  writeFileSync(fresh, `${bytes.toString('base64')}\n`, { mode: 0o600, flush: true })
  linkSync(fresh, path)
  rmSync(fresh)
  fsyncDirectory(dataDir)
  return bytes
}
