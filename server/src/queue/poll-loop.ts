/** A loop that polls for work, sleeps as long as the poll says, and wakes early on a hint. */
import { during } from '../base/activity.ts'
import type { Log } from '../base/log.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { failureLevel } from '../database/engine.ts'
import type { Pause } from './pause.ts'

export interface Worker {
  /** A hint that there may be work; never needed for correctness. */
  wake(): void
  /** Resolves when the poll in flight has ended; none begins afterwards. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  name: string
  /** Does what is due and returns how many milliseconds to sleep. */
  poll(): Promise<number>
  log: Log
  /** While it lasts nothing is polled. */
  pause?: Pause | undefined
}

/** How long a loop with nothing to do sleeps at most; the watch over all queues wakes it as soon as something is due. */
export const IDLE_MS = MINUTE / 2

// After a failure (mostly: no database) the loop backs off, so that a restart meets no herd.
const PAUSE_MIN_MS = 100
const PAUSE_MAX_MS = 5 * SECOND

export function startWorker({ name, poll, log, pause }: WorkerOptions): Worker {
  let stopped = false
  let woken = false
  let wakeUp: (() => void) | undefined

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      if (woken || stopped) return resolve()
      const timer = setTimeout(resolve, ms)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const loop = async () => {
    let pauseMs = PAUSE_MIN_MS
    while (!stopped) {
      woken = false
      if (pause?.since !== undefined) {
        await sleep(IDLE_MS)
        continue
      }
      try {
        const sleepMs = await during('task', name, 'beginning its work', poll)
        pauseMs = PAUSE_MIN_MS
        await sleep(sleepMs)
      } catch (error) {
        log[failureLevel(error)]({ err: error, worker: name }, 'a poll failed; it is repeated')
        woken = false
        await sleep(pauseMs * (0.5 + Math.random()))
        pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
      }
    }
  }
  const done = loop()
  const wake = () => {
    woken = true
    wakeUp?.()
  }
  pause?.onResume(wake)

  return {
    wake,
    async stop() {
      stopped = true
      wakeUp?.()
      await done
    },
  }
}
