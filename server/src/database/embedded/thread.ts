/** The thread the embedded database lives in, so that it never blocks the event loop of the service. */
import { closeSync, fdatasyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { Result, Statement } from '../engine.ts'
import { DurableFs, durableParams, fsyncDirectory } from './durable-fs.ts'
import type { Answer, Ask, ThreadOptions } from './protocol.ts'

const { folder, task } = workerData as ThreadOptions
const port = parentPort
if (!port) throw new Error('This file runs as a thread')

const say = (answer: Answer) => port.postMessage(answer)
const database = await PGlite.create({ fs: new DurableFs(folder), startParams: durableParams })

if (task === 'create') {
  await database.exec('checkpoint')
  await database.close()
  flushTree(folder)
  say({ kind: 'ready' })
} else {
  database.onNotification((channel, payload) => say({ kind: 'notification', channel, payload }))
  serve(port)
}

/** Asks are answered one after the other, in the order they came. */
function serve(asks: NonNullable<typeof parentPort>): void {
  let last = Promise.resolve()
  asks.on('message', (ask: Ask) => {
    last = last.then(() => answer(ask))
  })
  say({ kind: 'ready' })
}

async function answer(ask: Ask): Promise<void> {
  try {
    if (ask.kind === 'statements') {
      const results = ask.atomic ? await runAtomically(ask.statements) : [await run(ask.statements[0])]
      say({ id: ask.id, kind: 'results', results })
    } else if (ask.kind === 'dump') {
      const dump = await database.dumpDataDir('gzip')
      say({ id: ask.id, kind: 'dumped', archive: new Uint8Array(await dump.arrayBuffer()) })
    } else {
      await database.exec('checkpoint')
      await database.close()
      say({ id: ask.id, kind: 'closed' })
      process.exit(0)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    say({ id: ask.id, kind: 'error', message: error instanceof Error ? error.message : String(error), code })
  }
}

async function run(statement: Statement | undefined): Promise<Result> {
  if (!statement) return { rows: [], affected: 0 }
  if (!statement.values) {
    await database.exec(statement.text)
    return { rows: [], affected: 0 }
  }
  const { rows, affectedRows } = await database.query<Record<string, unknown>>(statement.text, [...statement.values])
  return { rows, affected: affectedRows ?? 0 }
}

async function runAtomically(statements: readonly Statement[]): Promise<Result[]> {
  await database.exec('begin')
  try {
    const results: Result[] = []
    for (const statement of statements) results.push(await run(statement))
    await database.exec('commit')
    return results
  } catch (error) {
    await database.exec('rollback')
    throw error
  }
}

function flushTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) flushTree(child)
    else if (entry.isFile()) {
      const descriptor = openSync(child, 'r')
      fdatasyncSync(descriptor)
      closeSync(descriptor)
    }
  }
  fsyncDirectory(path)
}
