/** PGlite in a thread, with the product's durable file system and parameters; asks are answered in order. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { DurableFs, durableParams } from '@postrider/server/internal/database/embedded/durable-fs'
import { planner } from './statements.ts'

const database = await PGlite.create({ fs: new DurableFs(String(workerData)), startParams: durableParams })
await database.exec(planner.join('; '))

parentPort?.on('message', async ({ id, text, values }: { id: number; text: string; values: unknown[] }) => {
  try {
    const { rows } = await database.query(text, values)
    parentPort?.postMessage({ id, rows })
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) })
  }
})
parentPort?.postMessage({ id: 0 })
