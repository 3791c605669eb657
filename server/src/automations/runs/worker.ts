/** Executes runs, many at a time, each until it waits or ends; a waiting run costs only its row. */

import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { SECOND } from '../../base/time/duration.ts'
import { type LiveRun, runQueue } from '../../database/tables/automations/live-runs.ts'
import { createLeases, leaseNames } from '../../queue/lease.ts'
import type { Pause } from '../../queue/pause.ts'
import { IDLE_MS, startWorker } from '../../queue/poll-loop.ts'
import { createQueuePoll } from '../../queue/queue-poll.ts'
import type { RunStart } from '../run.ts'
import type { RunStore } from '../run-store.ts'
import { createDurableStore, type DurableStoreOptions } from './durable-store.ts'
import { executeRun } from './execute-run.ts'
import { createRunSlots, type RunSlots } from './run-slots.ts'
import { createStarter } from './start-runs.ts'

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
  const cutting = new AbortController()
  const newLease = leaseNames()
  const slots = createRunSlots()
  let stopped = false
  const fitting: RunSlots['fitting'] = (rows) =>
    stopped || options.pause?.since !== undefined ? [] : slots.fitting(rows)
  const leases = createLeases({ leaseMs, now, log, renew: (due, until) => runQueue.renew(engine, due, until) })
  const store = createDurableStore({
    ...options,
    now,
    signal: cutting.signal,
    leaseOf: (id) => {
      const held = leases.find(id)
      return held && !held.lost ? held.lease : undefined
    },
    added: (what) => (what === 'runs' ? worker.wake() : options.added(what)),
  })

  const beginOne = (row: LiveRun, until: number) => {
    const mine = { id: row.id, lease: row.lease, until, lost: false }
    leases.hold(mine)
    const slot = slots.take(row)
    const own: RunStore = {
      ...store,
      commit: async (run, change) => (mine.lost ? 'lost' : store.commit(run, change)),
    }
    // Called after a step: the step did not crash the worker.
    const goesOn = () => {
      if (slot.cleared()) worker.wake()
      return !stopped
    }
    const work = executeRun(row, { engine, log, store: own, now, goesOn }).finally(() => {
      leases.drop(mine)
      inProgress.delete(work)
      if (slot.free()) worker.wake()
    })
    inProgress.add(work)
  }
  const begin = (rows: readonly LiveRun[], until: number) => {
    for (const row of rows) beginOne(row, until)
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
      begin(rows, until)
    },
    sleepMs: (rows) => (rows.length === 0 ? undefined : few() ? COLLECT_MS : 0),
    idleMs: () => (few() ? COLLECT_MS : IDLE_MS),
  })
  const worker = startWorker({ name: 'runs', log, pause: options.pause, poll })
  return {
    start: createStarter({ engine, now, leaseMs, newLease, fitting, begin, wake: worker.wake }),
    wake: worker.wake,
    async stop() {
      stopped = true
      await worker.stop()
      const timer = setTimeout(() => cutting.abort(), GRACE_MS)
      await Promise.all(inProgress)
      clearTimeout(timer)
      leases.stop()
    },
  }
}
