/** The one poll of a queue: claims what there is room for, starts it, and says how long to sleep. */
import type { Log } from '../base/log.ts'
import type { Engine } from '../database/engine.ts'
import type { ClaimTime, LeasedQueue, LeasedRow } from '../database/leased-queue.ts'
import { leaseNames } from './lease.ts'
import { isPoison, isSuspected, reportDeadLetter } from './poison.ts'
import { IDLE_MS, sleepUntil } from './poll-loop.ts'

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
  /** Ends a poison row with this error. Absent: `start` does, because such a row needs its place in memory. */
  deadLetter?(row: Row, error: string): Promise<unknown>
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
  const newLease = leaseNames()
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
  { queue, log, start, deadLetter }: QueuePollOptions<Row, Bounds>,
): Promise<void> {
  const poison = deadLetter ? claimed.filter((row) => isPoison(queue, row)) : []
  const startable = poison.length > 0 ? claimed.filter((row) => !isPoison(queue, row)) : claimed
  for (const rows of queue.poison.groups ? [startable] : suspectedLast(queue, startable))
    if (rows.length > 0) await start(rows, until)
  for (const row of poison) await deadLetter?.(row, reportDeadLetter(queue, row, log))
}

/** Before a suspected row starts, the results of those claimed with it are written, or they are in progress. */
function suspectedLast<Row extends LeasedRow>(
  queue: Pick<LeasedQueue<Row>, 'poison'>,
  rows: readonly Row[],
): (readonly Row[])[] {
  const suspected = rows.filter((row) => isSuspected(queue, row))
  return suspected.length === 0 ? [rows] : [rows.filter((row) => !isSuspected(queue, row)), suspected]
}
