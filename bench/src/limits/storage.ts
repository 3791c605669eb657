/** Where a limit writes and reads: a PostgreSQL through three bare connections, or PGlite in a bare thread. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
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
}

export type StoragePlace = { url: string } | { dataDir: string }

export function openStorage(place: StoragePlace): Promise<Storage> {
  return 'url' in place ? postgres(place.url) : embedded(place.dataDir)
}

async function postgres(url: string): Promise<Storage> {
  const open = async () => {
    const client = new pg.Client({ connectionString: url })
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
  }
}

async function embedded(dataDir: string): Promise<Storage> {
  const thread = new Worker(new URL('./pglite-thread.js', import.meta.url), { workerData: join(dataDir, 'database') })
  await once(thread, 'message')
  const waiting = new Map<number, { resolve(rows: unknown): void; reject(error: Error): void }>()
  let asked = 0
  thread.on('message', ({ id, rows, error }: { id: number; rows?: unknown; error?: string }) => {
    const settle = waiting.get(id)
    waiting.delete(id)
    if (error) settle?.reject(new Error(error))
    else settle?.resolve(rows)
  })
  const ask = <Answer>(text: string, values: unknown[]) =>
    new Promise<Answer>((resolve, reject) => {
      const id = (asked += 1)
      waiting.set(id, { resolve: resolve as (rows: unknown) => void, reject })
      thread.postMessage({ id, text, values })
    })
  return {
    insert: (rows) => ask(insert, [rows]),
    profiles: (recipients) => ask(profiles, [recipients]),
    finish: (rows) => ask(finish, [rows]),
  }
}
