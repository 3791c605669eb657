/** The messages this process works on: taken in batches, loaded together, worked on side by side, given back on stop. */
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { releaseLeases, renewLeases } from '../database/tables/live-messages.ts'
import { createLeases } from '../queue/lease.ts'
import { type Begun, createJob, type Job, snapshot } from './job.ts'
import { type LoadOptions, load } from './load.ts'
import { type WorkOptions, work } from './work.ts'

export interface Runner {
  /** Takes over messages leased to this process until the given moment. */
  begin(begun: readonly Begun[], until: number): void
  /** How many more messages may be begun now. */
  readonly room: number
  /** The message, if it is being worked on here. */
  find(id: string): Job | undefined
  /** Ends what is under way, gives back what has not begun. Resolves within `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export interface RunnerOptions extends LoadOptions, WorkOptions {
  leaseMs: number
  log: Log
}

/** Twice the delivery slots: enough to keep them busy, few enough to start soon. */
const JOBS_MAX = 1_024
const BYTES_MAX = 64 * 1_048_576
const BATCH_MAX = 200
/** Claims without an outcome before a message runs alone, and before it is put away. */
const CLAIMS_TOGETHER = 2
const CLAIMS_MAX = 5

export function createRunner(options: RunnerOptions): Runner {
  const { engine, log, now, leaseMs, metrics } = options
  const jobs = new Map<string, Job>()
  const leases = createLeases({ leaseMs, now, log, renew: (held, until) => renewLeases(engine, held, until) })
  const intake: Job[] = []
  let alone: Job[] = []
  let bytes = 0
  let active = 0
  let draining = false
  let stopping = false

  const forget = (job: Job) => {
    jobs.delete(job.message.id)
    leases.drop(job.message.id)
    bytes -= job.message.input.length
    metrics.inFlight.set(jobs.size)
    job.finish()
  }

  const run = async (batch: readonly Job[]): Promise<void> => {
    active += batch.length
    try {
      const questions = await load(batch, options)
      await Promise.all(
        batch.map(async (job, index) => {
          const question = questions[index]
          try {
            if (question && !job.lost.signal.aborted) await work(job, question, options)
          } catch (error) {
            log.error({ err: error, message: job.message.id }, 'a message could not be processed')
          } finally {
            active -= 1
            forget(job)
            if (alone.length > 0) drain()
          }
        }),
      )
    } catch (error) {
      // No facts, mostly because there is no database: the leases run out and the messages are claimed again.
      log.warn({ err: error, messages: batch.length }, 'facts could not be loaded')
      active -= batch.length
      await giveBack(batch)
    }
  }

  const giveBack = async (batch: readonly Job[]): Promise<void> => {
    const held = batch.map(({ message: { id, lease } }) => ({ id, lease, due_at: now() }))
    try {
      if (held.length > 0) await releaseLeases(engine, held)
    } catch (error) {
      log.warn({ err: error, messages: held.length }, 'leases could not be given back; they run out')
    }
    for (const job of batch) forget(job)
  }

  /** A message that may have killed a worker runs when nothing else does, so that it takes nobody along. */
  const drain = () => {
    if (draining || stopping) return
    draining = true
    setImmediate(() => {
      draining = false
      if (stopping) return
      if (alone.length > 0 && active === 0) {
        const [lone, ...rest] = alone
        alone = rest
        if (lone) void run([lone])
        return
      }
      while (intake.length > 0 && alone.length === 0) void run(intake.splice(0, BATCH_MAX))
    })
  }

  const quarantine = async (job: Job): Promise<void> => {
    const error = `Put away after ${job.message.claims - 1} attempts to process it without an outcome`
    log.error({ message: job.message.id }, 'a message was put away: processing it never came to an end')
    job.events.push({ type: 'UNDELIVERABLE', ts: now(), channel: { id: '' }, reason: 'FAILED', error_message: error })
    const state = { status: 'UNDELIVERABLE', reason: 'FAILED', error, dueAt: null, keepLease: false } as const
    await options.recorder.record(snapshot(job, state), job.lost.signal)
    forget(job)
  }

  return {
    get room() {
      if (stopping || alone.length > 0 || bytes >= BYTES_MAX) return 0
      return Math.max(0, JOBS_MAX - jobs.size)
    },
    find: (id) => jobs.get(id),
    begin(begun, until) {
      for (const one of begun) {
        const job = createJob(one)
        const { message } = job
        jobs.set(message.id, job)
        bytes += message.input.length
        leases.hold({ id: message.id, lease: message.lease, until, lost: () => job.lost.abort() })
        if (message.claims > CLAIMS_MAX) void quarantine(job)
        else if (message.claims > CLAIMS_TOGETHER) alone.push(job)
        else intake.push(job)
      }
      metrics.inFlight.set(jobs.size)
      drain()
    },
    async stop(graceMs) {
      stopping = true
      failpoint('during-shutdown')
      const unbegun = [...intake.splice(0), ...alone.splice(0)]
      await giveBack(unbegun)
      const ended = Promise.all([...jobs.values()].map(({ done }) => done))
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs)
      })
      await Promise.race([ended, late])
      clearTimeout(timer)
      for (const job of jobs.values()) job.lost.abort()
      await options.recorder.drained()
      leases.stop()
    },
  }
}
