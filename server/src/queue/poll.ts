/** The poll of a queue: what is claimed and started, and the loop that repeats it, sleeps until work is due, and wakes early. */
import { during } from '../base/activity.ts'
import type { Log } from '../base/log.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import type { ClaimTime, DeadLetter, LeasedQueue, LeasedRow } from '../database/leased-queue.ts'
import type { Pause } from './delivery-pause.ts'
import { leaseNames } from './lease.ts'
import { isPoison, isSuspected, reportDeadLetter } from './poison.ts'

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
  /** The sleep before the first poll. */
  firstMs?: number | undefined
}

/** The longest sleep of an idle loop; the watch over all queues wakes it when something is due. */
export const IDLE_MS = MINUTE / 2

/** The sleep of an idle loop until something is due. */
export const sleepUntil = (due: number | undefined, now: number, maxMs = IDLE_MS): number =>
  due === undefined ? maxMs : Math.max(0, Math.min(maxMs, due - now))

// After a failure, mostly of the database, the loop backs off, so that a recovery is not met by a burst.
const BACKOFF_MIN_MS = 100
const BACKOFF_MAX_MS = 5 * SECOND

export function startWorker({ name, poll, log, pause, firstMs = 0 }: WorkerOptions): Worker {
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
    let backoffMs = BACKOFF_MIN_MS
    if (firstMs > 0) await sleep(firstMs)
    while (!stopped) {
      woken = false
      if (pause?.since !== undefined) {
        await sleep(IDLE_MS)
        continue
      }
      try {
        const sleepMs = await during('task', name, 'polling', poll)
        backoffMs = BACKOFF_MIN_MS
        await sleep(sleepMs)
      } catch (error) {
        log[failureLevel(error)]({ event: 'poll.failed', err: error, worker: name }, 'poll failed; trying again')
        woken = false
        await sleep(backoffMs * (0.5 + Math.random()))
        backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS)
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

type Taken<Bounds> = Bounds & Pick<ClaimTime, 'suspected'>

export interface QueuePollOptions<Row extends LeasedRow, Bounds> {
  engine: Engine
  queue: LeasedQueue<Row, Bounds>
  log: Log
  leaseMs: number
  now(): number
  /** Claims what there is room for, with one call of `take` or several; undefined: there is no room. */
  claim(take: (bounds: Taken<Bounds>) => Promise<Row[]>): Promise<readonly Row[] | undefined>
  /** Rows that are leased until then. Suspected rows come after the others, in a call of their own. */
  start(rows: readonly Row[], until: number): Promise<void> | void
  /** Ends a poison row, and records the dead letter in the same commit. Absent: `start` does, because such a row needs its place in memory. */
  deadLetter?(row: Row, letter: DeadLetter): Promise<unknown>
  /** The sleep after a claim; undefined: until the next row is due. By default a claim that found rows is repeated. */
  sleepMs?(claimed: readonly Row[]): number | undefined
  /** The longest sleep until the next row is due. */
  idleMs?(): number
  /** The sleep without room. */
  fullMs?: number
}

export function createQueuePoll<Row extends LeasedRow, Bounds>(
  options: QueuePollOptions<Row, Bounds>,
): () => Promise<number> {
  const { engine, queue, leaseMs, now, claim, fullMs = IDLE_MS } = options
  const sleepMs = options.sleepMs ?? ((claimed) => (claimed.length > 0 ? 0 : undefined))
  const newLease = leaseNames(engine)
  return async () => {
    const time = now()
    const until = time + leaseMs
    const claimed = await claim((bounds) => queue.claim(engine, { ...bounds, now: time, until, lease: newLease() }))
    if (!claimed) return fullMs
    await startAll(claimed, until, options)
    const after = sleepMs(claimed)
    if (after !== undefined) return after
    // A claim that found nothing leaves rows that are due only if they are locked or beyond its bounds.
    const due = await queue.nextDue(engine, claimed.length > 0 ? 0 : time)
    return sleepUntil(due, now(), options.idleMs?.())
  }
}

async function startAll<Row extends LeasedRow, Bounds>(
  claimed: readonly Row[],
  until: number,
  { queue, log, now, start, deadLetter }: QueuePollOptions<Row, Bounds>,
): Promise<void> {
  const poison = deadLetter ? claimed.filter((row) => isPoison(queue, row)) : []
  const startable = poison.length > 0 ? claimed.filter((row) => !isPoison(queue, row)) : claimed
  for (const rows of queue.poison.groups ? [startable] : suspectedLast(queue, startable))
    if (rows.length > 0) await start(rows, until)
  for (const row of poison) await deadLetter?.(row, reportDeadLetter(queue, row, { log, now }))
}

/** Before a suspected row starts, the results of those claimed with it are written, or they are in progress. */
function suspectedLast<Row extends LeasedRow>(
  queue: Pick<LeasedQueue<Row>, 'poison'>,
  rows: readonly Row[],
): (readonly Row[])[] {
  const suspected = rows.filter((row) => isSuspected(queue, row))
  return suspected.length === 0 ? [rows] : [rows.filter((row) => !isSuspected(queue, row)), suspected]
}
