/** Where a limit writes: a PostgreSQL through two bare connections, or PGlite in a bare thread. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { finish, insert, planner } from './statements.ts'

export interface Storage {
  insert(rows: string): Promise<void>
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
  const [accepting, finishing] = [await open(), await open()]
  for (const text of planner) await finishing.query(text)
  return {
    async insert(rows) {
      await accepting.query({ name: 'insert', text: insert, values: [rows] })
    },
    async finish(rows) {
      await finishing.query({ name: 'finish', text: finish, values: [rows] })
    },
  }
}

async function embedded(dataDir: string): Promise<Storage> {
  const thread = new Worker(new URL('./pglite-thread.js', import.meta.url), { workerData: join(dataDir, 'database') })
  await once(thread, 'message')
  const waiting = new Map<number, { resolve(): void; reject(error: Error): void }>()
  let asked = 0
  thread.on('message', ({ id, error }: { id: number; error?: string }) => {
    const settle = waiting.get(id)
    waiting.delete(id)
    if (error) settle?.reject(new Error(error))
    else settle?.resolve()
  })
  const ask = (text: string, values: unknown[]) =>
    new Promise<void>((resolve, reject) => {
      const id = (asked += 1)
      waiting.set(id, { resolve, reject })
      thread.postMessage({ id, text, values })
    })
  return { insert: (rows) => ask(insert, [rows]), finish: (rows) => ask(finish, [rows]) }
}
