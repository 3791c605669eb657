/** In-flight messages: those this process has leased, with their leases and their bytes. */
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { releaseLeases, renewLeases } from '../database/tables/messages/leases.ts'
import { createLeases } from '../queue/lease.ts'
import { type Begun, createJob, endJob, type Job } from './leased-message.ts'
import { lanes } from './send.ts'

export interface Holding {
  /** Takes a message leased until `until`; its job is aborted when the lease may be lost. */
  take(begun: Begun, until: number): Job
  /** The work has ended: the lease is renewed no more. */
  forget(job: Job): void
  /** Gives leases of messages that were not begun back to the table: due after a while, for anybody. */
  giveBack(jobs: readonly Job[], delayMs: number): Promise<void>
  find(id: string): Job | undefined
  readonly jobs: readonly Job[]
  readonly size: number
  /** Of them, those of the bulk lane. */
  readonly bulk: number
  readonly bytes: number
  /** Ends every call under way; nothing more is written. */
  abandon(): void
  stop(): void
}

export interface HoldingOptions {
  engine: Engine
  log: Log
  metrics: Metrics
  leaseMs: number
  now(): number
}

export function createHolding({ engine, log, metrics, leaseMs, now }: HoldingOptions): Holding {
  const signals = sharedSignals()
  const held = tally()
  const leases = createLeases<Job>({
    leaseMs,
    now,
    log,
    renew: (due, until) => renewLeases(engine, due, until),
    // What ran out ran out for all that were leased together; of a single one that was taken, a call under way ends.
    ranOut: ({ lease }) => signals.abort(lease),
  })
  metrics.inFlight.from(() => leases.size)

  const letGo = ({ message, lease }: Job) => {
    signals.release(lease)
    held.count(message, -1)
  }
  const forget = (job: Job) => {
    // A message whose lease ran out may be back under a new one, as another job.
    if (leases.drop(job)) letGo(job)
    endJob(job)
  }

  return {
    forget,
    find: leases.find,
    stop: () => leases.stop(),
    abandon() {
      for (const job of leases.all()) job.lost = true
      signals.abortAll()
    },
    get jobs() {
      return leases.all()
    },
    get size() {
      return leases.size
    },
    get bulk() {
      return held.bulk
    },
    get bytes() {
      return held.bytes
    },
    take(begun, until) {
      const { message } = begun
      const job = createJob(begun, signals.of(message.lease), until)
      const before = leases.hold(job)
      if (before) letGo(before)
      held.count(message, 1)
      return job
    },
    async giveBack(unbegun, delayMs) {
      const given = unbegun.map(({ id, lease }) => ({ id, lease, due_at: now() + delayMs }))
      try {
        if (given.length > 0) await releaseLeases(engine, given)
      } catch (error) {
        log[failureLevel(error)]({ err: error, messages: given.length }, 'leases could not be given back; they run out')
      }
      for (const job of unbegun) forget(job)
    },
  }
}

/** What the held messages come to. */
function tally() {
  const sums = { bytes: 0, bulk: 0 }
  return {
    get bytes() {
      return sums.bytes
    },
    get bulk() {
      return sums.bulk
    },
    count({ input, lane }: Job['message'], by: 1 | -1): void {
      sums.bytes += by * input.length
      if (lane === lanes.bulk) sums.bulk += by
    },
  }
}

/** One signal for all messages under one lease: the transport watches each signal once. */
function sharedSignals() {
  const shares = new Map<string, { controller: AbortController; users: number }>()
  return {
    of(lease: string): AbortSignal {
      let share = shares.get(lease)
      if (!share) {
        share = { controller: new AbortController(), users: 0 }
        shares.set(lease, share)
      }
      share.users += 1
      return share.controller.signal
    },
    abort(lease: string): void {
      shares.get(lease)?.controller.abort()
    },
    release(lease: string): void {
      const share = shares.get(lease)
      if (!share) return
      share.users -= 1
      if (share.users === 0) shares.delete(lease)
    },
    abortAll(): void {
      for (const { controller } of shares.values()) controller.abort()
    },
  }
}
