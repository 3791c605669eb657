/** Fresh databases with the product's schema for limit and product alike: made once by the product, then copied. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@postrider/server/internal/base/log'
import { openEmbedded } from '@postrider/server/internal/database/embedded/embedded'
import type { Engine } from '@postrider/server/internal/database/engine'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { type PostgresServer, startPostgres } from '@postrider/test/support/postgres'
import type { StoragePlace } from './limits/storage.ts'

export type EngineName = 'embedded' | 'postgres'

export interface Place {
  /** For the product's process. */
  env: Record<string, string>
  storage: StoragePlace
}

export interface Places {
  empty(): Promise<Place>
  /** Copies are made of this one from now on; nobody may use it any more. */
  keep(place: Place): void
  copy(): Promise<Place>
  close(): Promise<void>
}

/** While no product has it open. */
export function openStorage({ storage }: Place): Promise<Engine> {
  const log = createLog('error')
  return 'url' in storage
    ? openPostgres({ url: storage.url, connectionsMax: 2, queryTimeoutMs: 3_600_000, log })
    : openEmbedded({ folder: storage.dataDir, log })
}

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

export async function openPlaces(engine: EngineName): Promise<Places> {
  return engine === 'embedded' ? folders() : databases()
}

async function folders(): Promise<Places> {
  const root = await mkdtemp(join(tmpdir(), 'postrider-bench-'))
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
      env: { POSTRIDER_DATA_DIR: latest, POSTRIDER_SECRET_KEY: SECRET_KEY },
      storage: { dataDir: latest },
    }
  }
  return {
    empty: next,
    keep({ storage }) {
      if ('dataDir' in storage) template = storage.dataDir
    },
    async copy() {
      const place = await next()
      await cp(join(template, 'database'), join(latest, 'database'), { recursive: true })
      return place
    },
    close: () => rm(root, { recursive: true, force: true }),
  }
}

/** Sized for a machine of its own, as a database server is. */
const SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB', autovacuum_naptime: '1min' }

async function databases(): Promise<Places> {
  const server: PostgresServer = await startPostgres(SETTINGS)
  let template = ''
  const placeAt = (url: string): Place => ({
    env: { POSTRIDER_DATABASE_URL: url, POSTRIDER_SECRET_KEY: SECRET_KEY },
    storage: { url },
  })
  return {
    empty: async () => placeAt(await server.createDatabase()),
    keep({ storage }) {
      if ('url' in storage) template = new URL(storage.url).pathname.slice(1)
    },
    copy: async () => placeAt(await server.createDatabase(template)),
    close: () => server.stop(),
  }
}
