/** Works on leased messages: loads facts for a batch, works on its messages side by side, begins suspects last. */
import { during } from '../base/activity.ts'
import { failpoint } from '../base/failpoint.ts'
import { failureLevel } from '../database/engine.ts'
import { countClaims } from '../database/tables/messages/leases.ts'
import { deadLetter } from './dead-letter.ts'
import type { Question } from './decide/decision.ts'
import { createHolding, type Holding, type HoldingOptions } from './in-flight-messages.ts'
import { type Begun, ended, type Job } from './leased-message.ts'
import { type LoadOptions, load } from './load/load.ts'
import { createSuspects, isGuilty, isSuspect } from './poison-messages.ts'
import { type WorkOptions, work } from './process-message.ts'
import type { SharedInputs } from './shared-inputs.ts'

export interface Runner {
  /** Takes over messages leased to this process until the given moment. */
  begin(begun: readonly Begun[], until: number): void
  /** Messages it works on. */
  readonly size: number
  /** How many more messages may be begun now. */
  readonly room: number
  /** Of them, messages of the bulk lane. */
  readonly bulkRoom: number
  /** The message, if it is being worked on here. */
  find(id: string): Job | undefined
  /** Ends what is under way, gives back what has not begun. Resolves within `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export type RunnerOptions = LoadOptions & WorkOptions & HoldingOptions & { sharedInputs: SharedInputs }

/** Twice the delivery slots: enough to keep them busy, few enough to start soon. */
const JOBS_MAX = 1_024
/** A quarter of one integration's slots: who sends alone meanwhile finds the loop and the provider free. */
const BULK_JOBS_MAX = 128
const BYTES_MAX = 64 * 1_048_576
const BATCH_MAX = 200
/** Whatever kept the facts from being read needs a moment to pass. */
const AGAIN_MS = 1_000

export function createRunner(options: RunnerOptions): Runner {
  const holding = createHolding(options)
  options.metrics.slotsUsed.from(() => options.slots.used)
  let intake: Job[] = []
  let active = 0
  let scheduled = false
  let stopping = false

  const run = (batch: readonly Job[]): void => {
    active += batch.length
    void runBatch(batch, options, holding, (job) => {
      active -= 1
      holding.forget(job)
      if (active === 0 && suspects.size > 0) schedule()
    })
  }

  /** In the next turn, so that messages begun in one turn share their facts. */
  const schedule = () => {
    if (scheduled || stopping) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (stopping) return
      while (intake.length > 0) run(intake.splice(0, BATCH_MAX))
      // After all others, who would otherwise wait for them and be claimed again with each death without being begun.
      const group = suspects.next(active === 0)
      if (group.length > 0) run(group)
    })
  }
  const suspects = createSuspects(options.now, schedule)
  const quarantine = async (job: Job) => {
    try {
      await deadLetter(job, options)
    } catch (error) {
      options.log.error({ err: error, message: job.id }, 'a message could not be dead-lettered')
    }
    holding.forget(job)
  }

  return {
    get size() {
      return holding.size
    },
    get room() {
      if (stopping || holding.bytes >= BYTES_MAX) return 0
      return Math.max(0, JOBS_MAX - holding.size)
    },
    get bulkRoom() {
      return Math.max(0, BULK_JOBS_MAX - holding.bulk)
    },
    find: holding.find,
    begin(begun, until) {
      for (const one of begun) {
        const take = () => holding.take(one, until)
        // A message that was accepted a moment ago is at hand: nothing is read.
        const job = one.input ? take() : during('message', one.message.id, 'reading what was stored of it', take)
        if (isGuilty(job)) void quarantine(job)
        else if (isSuspect(job)) suspects.add(job)
        else intake.push(job)
      }
      schedule()
    },
    async stop(graceMs) {
      stopping = true
      failpoint('during-shutdown')
      const unbegun = [...intake, ...suspects.rest()]
      intake = []
      await holding.giveBack(unbegun, 0)
      await within(graceMs, Promise.all(holding.jobs.map(ended)))
      holding.abandon()
      await options.recorder.drained()
      holding.stop()
    },
  }
}

/** Tells of each message as the work on it ends. */
async function runBatch(
  batch: readonly Job[],
  options: RunnerOptions,
  holding: Holding,
  done: (job: Job) => void,
): Promise<void> {
  const { log } = options
  const questions = await prepare(batch, options).catch((error: unknown) => {
    // Mostly because there is no database: the messages are claimed again.
    log[failureLevel(error)]({ err: error, messages: batch.length }, 'facts could not be loaded')
    return undefined
  })
  if (!questions) await holding.giveBack(batch, AGAIN_MS)
  const one = async (job: Job, question: Question | undefined): Promise<void> => {
    try {
      if (question && !job.lost) await work(job, question, options)
    } catch (error) {
      log.error({ err: error, message: job.id }, 'a message could not be processed')
    }
    done(job)
  }
  batch.forEach((job, index) => void one(job, questions?.[index]))
}

/** Suspects are counted before they are begun, so that who dies with them is known to the next worker. */
async function prepare(batch: readonly Job[], options: RunnerOptions): ReturnType<typeof load> {
  const suspects = batch.filter(isSuspect)
  if (suspects.length > 0)
    await countClaims(
      options.engine,
      suspects.map(({ message }) => message),
    )
  const inputs = await options.sharedInputs.complete(
    batch.map(({ message, input }) => ({ requestId: message.request_id, own: input })),
  )
  batch.forEach((job, index) => {
    job.input = inputs[index] ?? job.input
  })
  return load(batch, options)
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}
