/** Fresh databases with the product's schema for limit and product alike: made once by the product, then copied. */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@postrider/server/internal/app'
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import { readConfig } from '@postrider/server/internal/config'
import type { Engine } from '@postrider/server/internal/database/engine'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import { type PostgresServer, startPostgres } from '@postrider/test/support/postgres'
import pg from 'pg'
import type { StoragePlace } from './limits/storage.ts'
import type { Version } from './version.ts'

export type EngineName = 'local' | 'postgres'

export interface Place {
  version: Version
  /** For the product's process. */
  env: Record<string, string>
  storage: StoragePlace
  /** In the command line of the database's processes. */
  commandPart: string
}

export interface Databases {
  empty(): Promise<Place>
  /** Copies are made of this one from now on; it must not be used any more. */
  keep(place: Place): void
  copy(): Promise<Place>
  /** Frees the disk early; `close` removes everything in any case. */
  remove(place: Place): Promise<void>
  close(): Promise<void>
}

/** A place of this version, while no product has it open. Filling and vacuuming large tables takes its time. */
export async function openStorage({ env }: Place): Promise<Engine> {
  const engine = await openDatabase(readConfig(env), createLog('error'), { queryTimeoutMs: STORAGE_TIMEOUT_MS })
  return { ...engine, tokens: tokenCipher(secretKey(Buffer.from(SECRET_KEY, 'base64'))) }
}

const STORAGE_TIMEOUT_MS = 3_600_000
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

/** A PostgreSQL server for both versions, sized for a machine of its own. */
export const startServer = (): Promise<PostgresServer> =>
  startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB', autovacuum_naptime: '1min' })

/** Databases on the server, or folders of local databases without one. */
export async function openDatabases(version: Version, server?: PostgresServer): Promise<Databases> {
  return server ? databases(version, server) : folders(version)
}

async function folders(version: Version): Promise<Databases> {
  const root = await mkdtemp(join(tmpdir(), 'postrider-bench-'))
  // An interrupted run would leave gigabytes behind.
  const removeAll = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', removeAll)
  let template = ''
  let latest = ''
  let before = ''
  let count = 0
  const next = async (): Promise<Place> => {
    // Two are in use at most; a folder grows by some hundred megabytes.
    if (before && before !== template) await rm(before, { recursive: true, force: true })
    before = latest
    latest = join(root, String((count += 1)))
    return {
      version,
      env: { POSTRIDER_DATA_DIR: latest, POSTRIDER_SECRET_KEY: SECRET_KEY },
      storage: { dataDir: latest },
      commandPart: latest,
    }
  }
  return {
    empty: next,
    keep({ storage }) {
      if ('dataDir' in storage) template = storage.dataDir
    },
    async copy() {
      const place = await next()
      await copyFolders(template, latest)
      return place
    },
    remove: ({ storage }) => ('dataDir' in storage ? rm(storage.dataDir, { recursive: true, force: true }) : noWork()),
    async close() {
      process.off('exit', removeAll)
      await rm(root, { recursive: true, force: true })
    },
  }
}

const noWork = async () => undefined
const run = promisify(execFile)

/** The database's folders with their owners, without sockets and locks beside them. */
async function copyFolders(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(from, name))
  await run('cp', ['-a', ...names, to])
}

async function databases(version: Version, server: PostgresServer): Promise<Databases> {
  let template = ''
  const placeAt = (url: string): Place => ({
    version,
    env: { POSTRIDER_DATABASE_URL: url, POSTRIDER_SECRET_KEY: SECRET_KEY },
    storage: { url },
    commandPart: ` -p ${new URL(url).port} `,
  })
  return {
    empty: async () => placeAt(await server.createDatabase()),
    keep({ storage }) {
      if ('url' in storage) template = new URL(storage.url).pathname.slice(1)
    },
    copy: async () => placeAt(await server.createDatabase(template)),
    async remove({ storage }) {
      if ('url' in storage) await dropDatabase(server.adminUrl, new URL(storage.url).pathname.slice(1))
    },
    close: noWork,
  }
}

async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(`drop database ${pg.escapeIdentifier(name)} with (force)`)
  } finally {
    await client.end()
  }
}
