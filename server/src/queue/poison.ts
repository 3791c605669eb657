/** The one rule for poison rows, which crash the process that works on them: suspected, isolated, dead-lettered. */
import { timedId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { DeadLetter, Lease, LeasedQueue, LeasedRow, PoisonRule } from '../database/leased-queue.ts'

type Queue = Pick<LeasedQueue<LeasedRow>, 'name' | 'deadLettered' | 'poison'>
type Counted = Pick<LeasedRow, 'claims'>

/** How often a row is started alone before it is dead-lettered: a crash beside it may have had another cause. */
const ALONE_MAX = 3
/** Work that can crash a process takes milliseconds: a row that is still in progress by then waits for a peer. */
export const ISOLATION_MS = 250

/** It was claimed too often without an outcome: it is started apart from others. */
export const isSuspected = ({ poison }: Pick<Queue, 'poison'>, { claims }: Counted): boolean =>
  claims > poison.suspectedAfter

export const claimsMax = ({ suspectedAfter, groups = [] }: PoisonRule): number =>
  suspectedAfter + groups.length + ALONE_MAX

/** It had each of its starts, the last of them alone: it is dead-lettered instead of started. */
export const isPoison = ({ poison }: Pick<Queue, 'poison'>, { claims }: Counted): boolean => claims > claimsMax(poison)

/** Logs that a row is dead-lettered; returns what is recorded of it, with the error to store. */
export function reportDeadLetter(
  queue: Queue,
  { id, lease, claims }: LeasedRow,
  { log, now }: { log: Log; now(): number },
): DeadLetter {
  const attempts = claims - 1
  const error = `Dead-lettered after ${attempts} attempts to process it without an outcome`
  log.error({ event: queue.deadLettered, [queue.name]: id, attempts }, error)
  return deadLetterOf({ id, lease }, error, attempts, now())
}

export const deadLetterOf = ({ id, lease }: Lease, error: string, attempts: number, at: number): DeadLetter => ({
  ...{ letter: timedId(at), id, lease, error, attempts, at },
})

/** One suspected row at a time in this process, where the claim isolates. */
export interface IsolationSlot<Row> {
  readonly isFree: boolean
  /** Takes the place if the row is suspected. */
  take(row: Row): boolean
  /** The row did not crash the process. True if it had the place. */
  clear(row: Row): boolean
}

export function createIsolationSlot<Row extends Counted>(queue: Pick<Queue, 'poison'>): IsolationSlot<Row> {
  let isolated: Row | undefined
  return {
    get isFree() {
      return isolated === undefined
    },
    take(row) {
      if (!isSuspected(queue, row)) return false
      isolated = row
      return true
    },
    clear(row) {
      if (isolated !== row) return false
      isolated = undefined
      return true
    },
  }
}

/** Suspected rows that wait in this process, where it isolates them in ever smaller groups. */
export interface Isolation<Row> {
  readonly size: number
  add(row: Row): void
  /** The next group to start; empty while the one before has just started. */
  next(idle: boolean): Row[]
  /** Takes out the rows that have not started. */
  rest(): Row[]
}

export interface IsolationOptions<Row> {
  poison: PoisonRule
  /** Claims, or more: rows of a higher rank come later. */
  rank(row: Row): number
  now(): number
  /** Called when the group before has had its time. */
  startNext(): void
}

export function createIsolation<Row>({ poison, rank, now, startNext }: IsolationOptions<Row>): Isolation<Row> {
  const { suspectedAfter, groups = [] } = poison
  const waiting: Row[] = []
  let startedAt = 0
  let isPlanned = false
  const plan = (afterMs: number) => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      startNext()
    }, afterMs).unref()
  }
  const restartTimer = () => {
    startedAt = now()
    plan(ISOLATION_MS)
  }

  return {
    get size() {
      return waiting.length
    },
    add(row) {
      if (waiting.push(row) === 1) restartTimer()
    },
    next(idle) {
      if (waiting.length === 0) return []
      const leftMs = startedAt + ISOLATION_MS - now()
      if (!idle && leftMs > 0) {
        // A timer can be early by the clock, and no other call may follow.
        plan(leftMs)
        return []
      }
      // A group holds rows of equal rank: with those of more crashes it would be claimed once more for nothing.
      waiting.sort((a, b) => rank(a) - rank(b))
      const [first] = waiting
      const least = first === undefined ? 0 : rank(first)
      const sizeMax = groups[least - suspectedAfter - 1] ?? 1
      const others = waiting.findIndex((row) => rank(row) !== least)
      const group = waiting.splice(0, others < 0 ? sizeMax : Math.min(sizeMax, others))
      restartTimer()
      return group
    },
    rest: () => waiting.splice(0),
  }
}
