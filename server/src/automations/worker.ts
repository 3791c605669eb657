/** Works on runs: many at once, each from step to step until it waits or ends; who waits costs nothing but a row. */
import { SECOND } from '../base/duration.ts'
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import type { Engine } from '../database/engine.ts'
import { claimRuns, type LiveRun, nextRunDue, renewRuns } from '../database/tables/runs.ts'
import { createLeases, leaseNames } from '../queue/lease.ts'
import { startWorker } from '../queue/worker.ts'
import { createLiveWorld, type LiveWorldOptions } from './live-world.ts'
import { pursue } from './pursue.ts'
import type { RunStart } from './run.ts'
import { createStarter } from './starting.ts'

export interface RunsOptions extends Omit<LiveWorldOptions, 'leaseOf' | 'signal' | 'added' | 'now'> {
  leaseMs: number
  clock: { now(): number }
  log: Log
  added(what: 'messages' | 'requests'): void
}

export interface RunWorker {
  /** Resolves when the run is on disk; it is begun at once where there is room. */
  start(run: RunStart): Promise<void>
  /** A hint that runs came due. */
  wake(): void
  /** Finishes the steps under way within a moment; the runs go on elsewhere, or later. */
  stop(): Promise<void>
}

/** Runs that are worked on at once: their commits share a flush, and a flush of this size takes some 20 ms. */
const SLOTS = 256
/** A quarter of the slots: claims are not made for a handful. */
const CLAIM_MIN = 64
const POLL_MS = SECOND
/** With the pipeline's own grace a stop stays below 30 s. */
const GRACE_MS = 3 * SECOND

export function startRuns(options: RunsOptions): RunWorker {
  const { engine, log, leaseMs, clock } = options
  const now = () => clock.now()
  const held = new Map<string, string>()
  const underWay = new Set<Promise<void>>()
  const cutting = new AbortController()
  const newLease = leaseNames()
  let stopped = false
  const room = () => (stopped ? 0 : SLOTS - underWay.size)
  const leases = createLeases({ leaseMs, now, log, renew: (due, until) => renewRuns(engine, due, until) })
  const world = createLiveWorld({
    ...options,
    now,
    signal: cutting.signal,
    leaseOf: (id) => held.get(id),
    added: (what) => (what === 'runs' ? worker.wake() : options.added(what)),
  })

  const beginOne = (row: LiveRun, until: number) => {
    const { id, lease } = row
    held.set(id, lease)
    leases.hold({ id, lease, until, lost: () => void held.delete(id) })
    const work = pursue(row, { engine, log, world, now, goesOn: () => !stopped }).finally(() => {
      held.delete(id)
      leases.drop(id)
      underWay.delete(work)
      if (room() === CLAIM_MIN) worker.wake()
    })
    underWay.add(work)
  }
  const begin = (rows: readonly LiveRun[], until: number) => {
    for (const row of rows) beginOne(row, until)
  }

  const worker = startWorker({ name: 'runs', log, poll: claimer({ engine, leaseMs, now, newLease, room, begin }) })
  return {
    start: createStarter({ engine, now, leaseMs, newLease, room, begin, wake: worker.wake }),
    wake: worker.wake,
    async stop() {
      stopped = true
      await worker.stop()
      const timer = setTimeout(() => cutting.abort(), GRACE_MS)
      await Promise.all(underWay)
      clearTimeout(timer)
      leases.stop()
    },
  }
}

interface ClaimOptions {
  engine: Engine
  leaseMs: number
  now(): number
  newLease(): string
  room(): number
  begin(rows: readonly LiveRun[], until: number): void
}

function claimer({ engine, leaseMs, now, newLease, room, begin }: ClaimOptions) {
  return async (): Promise<number> => {
    const limit = room()
    // Whoever makes room wakes this loop.
    if (limit < CLAIM_MIN) return POLL_MS
    const time = now()
    const rows = await claimRuns(engine, { now: time, leaseMs, lease: newLease(), limit })
    if (rows.length > 0) failpoint('after-run-claim')
    begin(rows, time + leaseMs)
    if (rows.length > 0) return 0
    const due = await nextRunDue(engine)
    return due === undefined ? POLL_MS : Math.max(0, Math.min(POLL_MS, due - now()))
  }
}
