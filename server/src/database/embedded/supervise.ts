/** The database's thread, kept alive: started, restarted when it dies, closed. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { SECOND } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import type { Answer, ThreadOptions } from './protocol.ts'

export interface ThreadEvents {
  answer(answer: Answer): void
  /** It died; what was asked is not answered. */
  lost(): void
}

export interface DatabaseThread {
  /** Undefined while it restarts. */
  readonly port: Worker | undefined
  /** From now on its end is not a fault. */
  letEnd(): void
}

const RESTART_PAUSE_MS = SECOND

export function startThread(options: ThreadOptions): Worker {
  // Threads run the compiled file, also when this one is run from its source by the tests.
  const file = import.meta.url.endsWith('.ts') ? '../../../dist/database/embedded/thread.js' : './thread.js'
  return new Worker(new URL(file, import.meta.url), { workerData: options })
}

export async function readiness(thread: Worker): Promise<void> {
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

export async function superviseThread(folder: string, events: ThreadEvents, log: Log): Promise<DatabaseThread> {
  let port: Worker | undefined
  let ending = false

  const start = async (): Promise<void> => {
    const fresh = startThread({ folder, task: 'serve' })
    await readiness(fresh)
    fresh.on('message', events.answer)
    fresh.on('error', (error) => log.error({ err: error }, 'the database thread failed'))
    fresh.on('exit', () => {
      port = undefined
      events.lost()
      if (!ending) restart()
    })
    port = fresh
  }
  const restart = () => {
    if (ending) return
    start().catch((error: unknown) => {
      log.error({ err: error }, 'the embedded database does not start; trying again')
      setTimeout(restart, RESTART_PAUSE_MS)
    })
  }

  await start()
  return {
    get port() {
      return port
    },
    letEnd() {
      ending = true
    },
  }
}
