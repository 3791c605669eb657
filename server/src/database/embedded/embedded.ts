/** The engine on the embedded database: a folder, a lock, a thread, and a queue ordered by urgency. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { SECOND } from '../../base/duration.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import {
  DatabaseUnavailable,
  databaseError,
  type Engine,
  type Result,
  type Statement,
  type Urgency,
  urgencies,
} from '../engine.ts'
import { fsyncDirectory } from './durable-fs.ts'
import { lockFolder } from './lock.ts'
import type { Answer, Ask, ThreadOptions } from './protocol.ts'

export interface EmbeddedEngine extends Engine {
  kind: 'embedded'
  /** A consistent copy of the database while it runs: a gzipped tar of its folder. */
  dump(): Promise<Uint8Array>
}

export interface EmbeddedOptions {
  /** The data folder; the database is its child `database`. */
  folder: string
  log: Log
}

// Beyond this many waiting statements the caller is told to come back: memory stays bounded.
const WAITING_MAX = 20_000
// Two, so that the thread has the next statement at hand when it ends one.
const IN_FLIGHT_MAX = 2
const RESTART_PAUSE_MS = SECOND

type Settle = { resolve(answer: Answer): void; reject(error: unknown): void }
type Unnumbered<A> = A extends unknown ? Omit<A, 'id'> : never
type Waiting = Settle & { ask: Unnumbered<Ask> }

export async function openEmbedded({ folder, log }: EmbeddedOptions): Promise<EmbeddedEngine> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = await lockFolder(folder)
  try {
    await createWhenMissing(folder, log)
    const thread = await superviseThread(join(folder, 'database'), log)
    return { ...createEngine(thread), close: () => thread.close().then(lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Made beside its place and renamed when it is whole on disk: a kill half-way leaves nothing that looks like one. */
async function createWhenMissing(folder: string, log: Log): Promise<void> {
  for (const name of readdirSync(folder))
    if (name.startsWith('new-')) rmSync(join(folder, name), { recursive: true, force: true })
  if (existsSync(join(folder, 'database'))) return
  log.info('creating the embedded database; this takes a few seconds, once')
  const fresh = join(folder, `new-${randomBytes(4).toString('hex')}`)
  const thread = startThread({ folder: fresh, task: 'create' })
  // Creating needs 800 MB; in a thread that ends, the memory is given back.
  await readiness(thread)
  await thread.terminate()
  failpoint('first-start')
  renameSync(fresh, join(folder, 'database'))
  fsyncDirectory(folder)
}

function startThread(options: ThreadOptions): Worker {
  // Threads run the compiled file, also when this one is run from its source by the tests.
  const file = import.meta.url.endsWith('.ts') ? '../../../dist/database/embedded/thread.js' : './thread.js'
  return new Worker(new URL(file, import.meta.url), { workerData: options })
}

async function readiness(thread: Worker): Promise<void> {
  const watch = new AbortController()
  const { signal } = watch
  try {
    await Promise.race([
      once(thread, 'message', { signal }),
      once(thread, 'exit', { signal }).then(([code]) => {
        throw new Error(`The database thread ended with code ${code} while starting`)
      }),
    ])
  } finally {
    watch.abort()
  }
}

type Thread = Awaited<ReturnType<typeof superviseThread>>

/** Keeps a thread alive and its queue in order. While it restarts, callers hear `DatabaseUnavailable`. */
async function superviseThread(folder: string, log: Log) {
  const queues = new Map<Urgency, Waiting[]>(urgencies.map((urgency) => [urgency, []]))
  const inFlight = new Map<number, Settle>()
  const heard = new Map<string, (payload: string) => void>()
  let thread: Worker | undefined
  let waiting = 0
  let nextId = 1
  let closing = false

  const failAll = (error: Error) => {
    for (const settle of inFlight.values()) settle.reject(error)
    inFlight.clear()
    for (const queue of queues.values()) for (const settle of queue.splice(0)) settle.reject(error)
    waiting = 0
  }

  const pump = () => {
    while (thread && waiting > 0 && inFlight.size < IN_FLIGHT_MAX) {
      const queue = urgencies.map((urgency) => queues.get(urgency)).find((candidate) => candidate?.length)
      const next = queue?.shift()
      if (!next) return
      waiting -= 1
      const id = nextId++
      inFlight.set(id, next)
      thread.postMessage({ ...next.ask, id })
    }
  }

  const receive = (answer: Answer) => {
    if (answer.kind === 'ready') return
    if (answer.kind === 'notification') {
      heard.get(answer.channel)?.(answer.payload)
      return
    }
    const settle = inFlight.get(answer.id)
    inFlight.delete(answer.id)
    pump()
    if (answer.kind === 'error') settle?.reject(databaseError(Object.assign(new Error(answer.message), answer)))
    else settle?.resolve(answer)
  }

  const start = async (): Promise<void> => {
    const fresh = startThread({ folder, task: 'serve' })
    await readiness(fresh)
    fresh.on('message', receive)
    fresh.on('error', (error) => log.error({ err: error }, 'the database thread failed'))
    fresh.on('exit', () => {
      thread = undefined
      failAll(new DatabaseUnavailable('The embedded database stopped'))
      if (!closing) restart()
    })
    thread = fresh
  }

  const restart = () => {
    start().catch((error: unknown) => {
      log.error({ err: error }, 'the embedded database does not start; trying again')
      setTimeout(restart, RESTART_PAUSE_MS)
    })
  }

  await start()
  return {
    heard,
    ask(ask: Unnumbered<Ask>, urgency: Urgency): Promise<Answer> {
      if (!thread) return Promise.reject(new DatabaseUnavailable('The embedded database is restarting'))
      if (waiting >= WAITING_MAX) return Promise.reject(new DatabaseUnavailable('Too many statements are waiting'))
      return new Promise((resolve, reject) => {
        queues.get(urgency)?.push({ ask, resolve, reject })
        waiting += 1
        pump()
      })
    },
    async close(): Promise<void> {
      closing = true
      if (!thread) return
      await this.ask({ kind: 'close' }, 'maintenance')
    },
  }
}

function createEngine(thread: Thread): Omit<EmbeddedEngine, 'close'> {
  const statements = async (list: readonly Statement[], atomic: boolean, urgency: Urgency): Promise<Result[]> => {
    const answer = await thread.ask({ kind: 'statements', statements: list, atomic }, urgency)
    return answer.kind === 'results' ? answer.results : []
  }
  return {
    kind: 'embedded',
    run: async <Row>(statement: Statement, urgency: Urgency = 'read') => {
      const [result] = await statements([statement], false, urgency)
      return (result ?? { rows: [], affected: 0 }) as Result<Row>
    },
    batch: (list, urgency = 'record') => statements(list, true, urgency),
    maintain: async (text) => {
      await statements([{ text }], false, 'maintenance')
    },
    listen: async (channel, heard) => {
      thread.heard.set(channel, heard)
    },
    // One process: what it tells itself needs no database.
    notify: async (channel, payload) => {
      thread.heard.get(channel)?.(payload)
    },
    dump: async () => {
      const answer = await thread.ask({ kind: 'dump' }, 'maintenance')
      if (answer.kind !== 'dumped') throw new DatabaseUnavailable('The copy failed')
      return answer.archive
    },
  }
}
