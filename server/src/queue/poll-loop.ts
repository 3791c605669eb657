/** A loop that polls for work, sleeps as long as the poll returns, and wakes early on a notification. */
import { during } from '../base/activity.ts'
import type { Log } from '../base/log.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { failureLevel } from '../database/engine.ts'
import type { Pause } from './pause.ts'

export interface Worker {
  /** There may be work; never required for correctness. */
  wake(): void
  /** Resolves when the current poll has ended; no other one starts. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  name: string
  /** Executes due work and returns how many milliseconds to sleep. */
  poll(): Promise<number>
  log: Log
  /** The loop does not poll during the pause. */
  pause?: Pause | undefined
}

/** The longest sleep of an idle loop; the watch over all queues wakes it when something is due. */
export const IDLE_MS = MINUTE / 2

/** The sleep of an idle loop until something is due. */
export const sleepUntil = (due: number | undefined, now: number, maxMs = IDLE_MS): number =>
  due === undefined ? maxMs : Math.max(0, Math.min(maxMs, due - now))

// After a failure, mostly of the database, the loop backs off, so that a recovery is not met by a burst.
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
        const sleepMs = await during('task', name, 'polling', poll)
        pauseMs = PAUSE_MIN_MS
        await sleep(sleepMs)
      } catch (error) {
        log[failureLevel(error)]({ event: 'poll.failed', err: error, worker: name }, 'poll failed; trying again')
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
