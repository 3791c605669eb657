/** Starts and executes runs, many at a time, each until it waits or ends; a waiting run costs only its row. */
import { CallerError, unavailable } from '../../base/errors.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { SECOND } from '../../base/time/duration.ts'
import { DatabaseRefused, DatabaseUnavailable, type Engine, failureLevel } from '../../database/engine.ts'
import type { DeadLetter } from '../../database/leased-queue.ts'
import {
  endRun,
  type LiveRun,
  type NewRun,
  readableRun,
  runQueue,
  runsInsert,
} from '../../database/tables/automations/live-runs.ts'
import type { Pause } from '../../queue/delivery-pause.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import { createLeases, leaseNames, WorkerLease } from '../../queue/lease.ts'
import { deadLetterOf, isPoison, reportDeadLetter } from '../../queue/poison.ts'
import { createQueuePoll, IDLE_MS, startWorker } from '../../queue/poll.ts'
import type { RunStart } from '../run.ts'
import type { RunStore } from '../run-store.ts'
import { StepFailed, StepInterrupted } from '../step.ts'
import { createDurableStore, type DurableStoreOptions } from './durable-store.ts'
import { RetriedTooOften, runUntilBlocked } from './execute-steps.ts'
import { firstState } from './initial-state.ts'
import { newRun, runOf, storedState } from './run-rows.ts'
import { createRunSlots, type RunSlots } from './run-slots.ts'

export interface RunsOptions extends Omit<DurableStoreOptions, 'leaseOf' | 'signal' | 'added' | 'now'> {
  leaseMs: number
  clock: { now(): number }
  log: Log
  added(what: 'messages' | 'requests'): void
  /** While deliveries are paused, runs are stored and not started. */
  pause?: Pause
}

export interface RunWorker {
  /** Resolves when the run is on disk; it starts at once if a slot is free. */
  start(run: RunStart): Promise<void>
  /** Polls early because runs have become due. */
  wake(): void
  /** Finishes steps in progress within the grace period; their runs continue elsewhere or later. */
  stop(): Promise<void>
}

/** A quarter of the slots: smaller claims cost more than they start. */
const CLAIM_MIN = 64
/** How long freed slots are collected before a small claim. */
const COLLECT_MS = SECOND / 20
/** The maximum that one claim reads and parses. */
const CLAIM_BYTES_MAX = 16 * 1_048_576
/** Together with the grace period of the pipeline, a stop takes less than 30 s. */
const GRACE_MS = 3 * SECOND

export function startRuns(options: RunsOptions): RunWorker {
  const { engine, log, leaseMs, clock } = options
  const now = () => clock.now()
  const inProgress = new Set<Promise<void>>()
  const graceEnd = new AbortController()
  const newLease = leaseNames(engine)
  const slots = createRunSlots()
  let stopped = false
  const isHalted = () => stopped || options.pause?.since !== undefined
  const fitting: RunSlots['fitting'] = (rows) => (isHalted() ? [] : slots.fitting(rows))
  const leases = createLeases({ leaseMs, now, log, renew: (due, until) => runQueue.renew(engine, due, until) })
  const store = createDurableStore({
    ...options,
    now,
    signal: graceEnd.signal,
    leaseOf: (id) => {
      const lease = leases.find(id)
      return lease && !lease.isLost ? lease.lease : undefined
    },
    added: (what) => (what === 'runs' ? worker.wake() : options.added(what)),
  })

  const startOne = (row: LiveRun, until: number) => {
    const lease = new WorkerLease(row, until)
    leases.add(lease)
    const slot = slots.take(row)
    const leasedStore: RunStore = {
      ...store,
      commit: async (run, change) => (lease.isLost ? 'lost' : store.commit(run, change)),
    }
    // Called after a step: the step did not crash the worker.
    const mayContinue = () => {
      if (slot.cleared()) worker.wake()
      return !isHalted()
    }
    const work = executeRun(row, { engine, log, store: leasedStore, now, mayContinue }).finally(() => {
      leases.drop(lease)
      inProgress.delete(work)
      if (slot.free()) worker.wake()
    })
    inProgress.add(work)
  }
  const startRuns = (rows: readonly LiveRun[], until: number) => {
    for (const row of rows) startOne(row, until)
  }

  const few = () => Math.min(slots.room, slots.leastRoom, slots.listRoom) < CLAIM_MIN
  const poll = createQueuePoll({
    ...{ engine, log, leaseMs, now, queue: runQueue, fullMs: COLLECT_MS },
    async claim(take) {
      if (stopped || slots.room === 0) return undefined
      return await take({ ...slots.bounds(), bytesMax: Math.min(slots.bytesRoom, CLAIM_BYTES_MAX) })
    },
    start(rows, until) {
      failpoint('after-run-claim')
      startRuns(rows, until)
    },
    sleepMs: (rows) => (rows.length === 0 ? undefined : few() ? COLLECT_MS : 0),
    idleMs: () => (few() ? COLLECT_MS : IDLE_MS),
  })
  const worker = startWorker({ name: 'runs', log, pause: options.pause, poll })
  return {
    start: createStarter({ engine, now, leaseMs, newLease, fitting, startRuns, wake: worker.wake }),
    wake: worker.wake,
    async stop() {
      stopped = true
      await worker.stop()
      const timer = setTimeout(() => graceEnd.abort(), GRACE_MS)
      await Promise.all(inProgress)
      clearTimeout(timer)
      leases.stop()
    },
  }
}

export interface ExecuteRunOptions {
  engine: Engine
  log: Log
  store: RunStore
  now(): number
  /** False: the run is released between two steps. */
  mayContinue(): boolean
}

/** The pause after an error of the database, or too many conflicts. */
const AGAIN_MS = SECOND

/** Never throws: a run that cannot be released is claimed again when its lease expires. */
export async function executeRun(row: LiveRun, options: ExecuteRunOptions): Promise<void> {
  const { engine, log, store, now, mayContinue } = options
  try {
    if (isPoison(runQueue, row)) return await deadLetter(row, reportDeadLetter(runQueue, row, { log, now }), options)
    const run = runOf(row)
    const outcome = await runUntilBlocked(run, storedState(row) ?? firstState(run), store, mayContinue)
    if (outcome?.status === 'PROCESSING') await runQueue.release(engine, [row], now())
  } catch (error) {
    await settle(row, error, options).catch((failed: unknown) =>
      log[failureLevel(failed)]({ event: 'run.not_released', err: failed, run: row.id }, 'a run could not be released'),
    )
  }
}

async function settle(row: LiveRun, error: unknown, options: ExecuteRunOptions): Promise<void> {
  const { engine, log, now } = options
  if (error instanceof StepInterrupted) return runQueue.release(engine, [row], now())
  if (error instanceof DatabaseUnavailable || error instanceof RetriedTooOften)
    return runQueue.release(engine, [row], now() + AGAIN_MS)
  if (error instanceof StepFailed || error instanceof CallerError)
    return endRun(engine, row, { step: stepOf(row), error: error.message, now: now() })
  log.error({ event: 'run.step_failed', err: error, run: row.id }, 'a step of a run failed')
  // Otherwise the lease expires and the run is claimed again, in the end as suspected poison.
  if (error instanceof DatabaseRefused && error.isDataError)
    await deadLetter(row, deadLetterOf(row, 'The result of the step cannot be stored', row.claims, now()), options)
}

const deadLetter = (row: LiveRun, letter: DeadLetter, { engine }: ExecuteRunOptions) =>
  endRun(engine, row, { step: stepOf(row), error: letter.error, now: letter.at }, letter)

/** The step at which the run stopped. */
function stepOf(row: LiveRun): { position: number; action: string; started: number } {
  const { position, since } = storedState(row) ?? { position: 0, since: row.created }
  const { steps } = JSON.parse(row.automation) as { steps: readonly { action?: unknown }[] }
  return { position, action: String(steps[position]?.action ?? 'none'), started: since }
}

export interface StartingOptions {
  engine: Engine
  now(): number
  leaseMs: number
  newLease(): string
  /** The rows that this process can start at once; others stay in the table until a claim. */
  fitting(rows: readonly NewRun[]): NewRun[]
  startRuns(rows: readonly LiveRun[], until: number): void
  /** Called after a commit with runs that did not start. */
  wake(): void
}

/** Runs waiting for their flush, some seconds of work. Above it, callers get a 503. */
const PENDING_MAX = 10_000
const PENDING_BYTES_MAX = 128 * 1_048_576
const ROWS_MAX = 500
const BYTES_MAX = 4 * 1_048_576

/** Resolves when the run is on disk. Runs that can start at once are inserted with a lease, which saves the claim. */
export function createStarter(options: StartingOptions): (run: RunStart) => Promise<void> {
  const { engine, now } = options
  const bytesOf = ({ automation, start }: NewRun) => automation.length + start.length
  const commit = groupCommit<NewRun, void>({
    itemsMax: ROWS_MAX,
    bytesMax: BYTES_MAX,
    bytesOf,
    async flush(rows) {
      const until = now() + options.leaseMs
      const lease = options.newLease()
      const fitting = new Set(options.fitting(rows))
      const leased = [...fitting].map((row) => ({ ...row, lease, due_at: until, claims: 1, state: null }))
      failpoint('before-run-start')
      await engine.run(runsInsert([...leased, ...rows.filter((row) => !fitting.has(row))]))
      failpoint('after-run-start')
      if (leased.length > 0)
        options.startRuns(
          leased.map((row) => readableRun(engine.tokens, row.workspace_id, row)),
          until,
        )
      if (fitting.size < rows.length) options.wake()
      return rows.map(() => undefined)
    },
  })
  return async (run) => {
    const row = newRun(run, engine.tokens)
    if (commit.pending >= PENDING_MAX || commit.pendingBytes + bytesOf(row) > PENDING_BYTES_MAX)
      throw unavailable('Too many runs wait to be written')
    return commit.add(row)
  }
}
