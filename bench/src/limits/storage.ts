/** Where a limit writes and reads: three bare connections to a PostgreSQL server, or to the server of a data folder. */
import { createLog } from '@postrider/server/internal/base/log'
import { findCluster } from '@postrider/server/internal/database/local/cluster'
import { openEndpoint } from '@postrider/server/internal/database/local/endpoint'
import { openLocal } from '@postrider/server/internal/database/local/local'
import pg from 'pg'
import { finish, insert, planner, profiles } from './statements.ts'

export interface StoredProfile {
  id: string
  profile: object
}

export interface Storage {
  insert(rows: string): Promise<void>
  profiles(recipients: string): Promise<StoredProfile[]>
  finish(rows: string): Promise<void>
  close(): Promise<void>
}

export type StoragePlace = { url: string } | { dataDir: string }

export function openStorage(place: StoragePlace): Promise<Storage> {
  return 'url' in place ? openServer({ connectionString: place.url }, async () => undefined) : openFolder(place.dataDir)
}

/** The product's own server with the product's settings, and nothing of its engine. */
async function openFolder(dataDir: string): Promise<Storage> {
  const engine = await openLocal({ folder: dataDir, log: createLog('error') })
  const cluster = findCluster(dataDir)
  if (!cluster) throw new Error(`There is no database in ${dataDir}`)
  const endpoint = await openEndpoint(dataDir)
  return openServer(endpoint.address(cluster.folder), async () => {
    endpoint.close()
    await engine.close()
  })
}

async function openServer(address: pg.ClientConfig, closeServer: () => Promise<void>): Promise<Storage> {
  const open = async () => {
    const client = new pg.Client(address)
    await client.connect()
    return client
  }
  const [accepting, reading, finishing] = [await open(), await open(), await open()]
  for (const text of planner) for (const client of [reading, finishing]) await client.query(text)
  return {
    async insert(rows) {
      await accepting.query({ name: 'insert', text: insert, values: [rows] })
    },
    async profiles(recipients) {
      const { rows } = await reading.query({ name: 'profiles', text: profiles, values: [recipients] })
      return rows
    },
    async finish(rows) {
      await finishing.query({ name: 'finish', text: finish, values: [rows] })
    },
    async close() {
      await Promise.all([accepting, reading, finishing].map((client) => client.end()))
      await closeServer()
    },
  }
}
