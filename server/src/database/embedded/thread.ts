/** The thread the embedded database lives in, so that it never blocks the event loop of the service. */
// Before the engine is loaded, which makes its decoder then.
import './whole-texts.ts'

import { closeSync, fdatasyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { Overtaken, type Result, type Statement } from '../engine.ts'
import { DurableFs, durableParams } from './durable-fs.ts'
import { fsyncDirectory } from './fsync-directory.ts'
import type { Answer, Ask, ThreadOptions } from './protocol.ts'
import { createStatements } from './statements.ts'

const { folder, task } = workerData as ThreadOptions
const port = parentPort
if (!port) throw new Error('This file runs as a thread')

// Optimising whatever a start runs for a moment is a quarter of what the start costs; with ten times V8's own patience
// only what goes on running is optimised. Creating runs long enough to gain by it.
if (task === 'serve') setFlagsFromString('--wasm-tiering-budget=20000000')

const say = (answer: Answer) => port.postMessage(answer)
const database = await PGlite.create({ fs: new DurableFs(folder), startParams: durableParams })
const statements = createStatements(database)

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
      const results = await (ask.atomic ? statements.runAtomically(ask.statements) : runEach(ask.statements))
      say({ id: ask.id, kind: 'results', results })
    } else if (ask.kind === 'dump') {
      // Compressed elsewhere: statements wait no longer than reading takes.
      const tar = await (await database.dumpDataDir('none')).arrayBuffer()
      port?.postMessage({ id: ask.id, kind: 'dumped', tar } satisfies Answer, [tar])
    } else {
      await database.exec('checkpoint')
      await database.close()
      say({ id: ask.id, kind: 'closed' })
      process.exit(0)
    }
  } catch (error) {
    if (error instanceof Overtaken) return say({ id: ask.id, kind: 'overtaken', place: error.place })
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    say({ id: ask.id, kind: 'error', message: error instanceof Error ? error.message : String(error), code })
  }
}

async function runEach(list: readonly Statement[]): Promise<Result[]> {
  const results: Result[] = []
  for (const statement of list) results.push(await statements.run(statement))
  return results
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
