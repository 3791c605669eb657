/** Runs leased messages: loads a batch, processes its messages side by side, renews their leases. */
import { during } from '../base/activity.ts'
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { countClaims, releaseLeases, renewLeases } from '../database/tables/messages/leases.ts'
import { createLeases } from '../queue/lease.ts'
import type { DecisionInput } from './decide/decision.ts'
import { type ClaimedMessage, ended, endJob, type LeasedMessage, leasedMessage } from './leased-message.ts'
import { type LoadOptions, load } from './load/load.ts'
import type { SharedInputs } from './load/shared-inputs.ts'
import { createSuspectedMessages, deadLetter, isPoison, isSuspected } from './poison-messages.ts'
import { type WorkOptions, work } from './process-message.ts'
import { lanes } from './send.ts'

export interface Runner {
  /** Takes over messages leased to this process until the given moment. */
  begin(begun: readonly ClaimedMessage[], until: number): void
  /** Messages it works on. */
  readonly size: number
  /** How many more messages may be begun now. */
  readonly room: number
  /** Of them, messages of the bulk lane. */
  readonly bulkRoom: number
  /** The message, if it is being worked on here. */
  find(id: string): LeasedMessage | undefined
  /** Ends what is under candidate, gives back what has not begun. Resolves within `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export type RunnerOptions = LoadOptions & WorkOptions & InFlightOptions & { sharedInputs: SharedInputs }

/** Twice the delivery slots: enough to keep them busy, few enough to start soon. */
const JOBS_MAX = 1_024
/** A quarter of one integration's slots: who sends alone meanwhile finds the loop and the provider free. */
const BULK_JOBS_MAX = 128
const BYTES_MAX = 64 * 1_048_576
const BATCH_MAX = 200
/** Whatever kept the facts from being read needs a moment to pass. */
const AGAIN_MS = 1_000

export function createRunner(options: RunnerOptions): Runner {
  const inFlight = createInFlightMessages(options)
  options.metrics.slotsUsed.from(() => options.slots.used)
  let intake: LeasedMessage[] = []
  let active = 0
  let scheduled = false
  let stopping = false

  const run = (batch: readonly LeasedMessage[]): void => {
    active += batch.length
    void runBatch(batch, options, inFlight, (leased) => {
      active -= 1
      inFlight.forget(leased)
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
  const suspects = createSuspectedMessages(options.now, schedule)
  const quarantine = async (leased: LeasedMessage) => {
    try {
      await deadLetter(leased, options)
    } catch (error) {
      options.log.error({ err: error, message: leased.id }, 'a message could not be dead-lettered')
    }
    inFlight.forget(leased)
  }

  return {
    get size() {
      return inFlight.size
    },
    get room() {
      if (stopping || inFlight.bytes >= BYTES_MAX) return 0
      return Math.max(0, JOBS_MAX - inFlight.size)
    },
    get bulkRoom() {
      return Math.max(0, BULK_JOBS_MAX - inFlight.bulk)
    },
    find: inFlight.find,
    begin(begun, until) {
      for (const one of begun) {
        const take = () => inFlight.take(one, until)
        // A message that was accepted a moment ago is at hand: nothing is read.
        const leased = one.input ? take() : during('message', one.message.id, 'reading what was stored of it', take)
        if (isPoison(leased)) void quarantine(leased)
        else if (isSuspected(leased)) suspects.add(leased)
        else intake.push(leased)
      }
      schedule()
    },
    async stop(graceMs) {
      stopping = true
      failpoint('during-shutdown')
      const unbegun = [...intake, ...suspects.rest()]
      intake = []
      await inFlight.giveBack(unbegun, 0)
      await within(graceMs, Promise.all(inFlight.jobs.map(ended)))
      inFlight.abandon()
      await options.recorder.drained()
      inFlight.stop()
    },
  }
}

/** Tells of each message as the work on it ends. */
async function runBatch(
  batch: readonly LeasedMessage[],
  options: RunnerOptions,
  inFlight: InFlightMessages,
  done: (leased: LeasedMessage) => void,
): Promise<void> {
  const { log } = options
  const decisionInputs = await prepare(batch, options).catch((error: unknown) => {
    // Mostly because there is no database: the messages are claimed again.
    log[failureLevel(error)]({ err: error, messages: batch.length }, 'facts could not be loaded')
    return undefined
  })
  if (!decisionInputs) await inFlight.giveBack(batch, AGAIN_MS)
  const one = async (leased: LeasedMessage, decisionInput: DecisionInput | undefined): Promise<void> => {
    try {
      if (decisionInput && !leased.lost) await work(leased, decisionInput, options)
    } catch (error) {
      log.error({ err: error, message: leased.id }, 'a message could not be processed')
    }
    done(leased)
  }
  batch.forEach((leased, index) => void one(leased, decisionInputs?.[index]))
}

/** Suspects are counted before they are begun, so that who dies with them is known to the next worker. */
async function prepare(batch: readonly LeasedMessage[], options: RunnerOptions): ReturnType<typeof load> {
  const suspects = batch.filter(isSuspected)
  if (suspects.length > 0)
    await countClaims(
      options.engine,
      suspects.map(({ message }) => message),
    )
  const inputs = await options.sharedInputs.complete(
    batch.map(({ message, input }) => ({ requestId: message.request_id, own: input })),
  )
  batch.forEach((leased, index) => {
    leased.input = inputs[index] ?? leased.input
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

export interface InFlightMessages {
  /** Takes a message leased until `until`; its job is aborted when the lease may be lost. */
  take(begun: ClaimedMessage, until: number): LeasedMessage
  /** The work has ended: the lease is renewed no more. */
  forget(leased: LeasedMessage): void
  /** Gives leases of messages that were not begun back to the table: due after a while, for anybody. */
  giveBack(jobs: readonly LeasedMessage[], delayMs: number): Promise<void>
  find(id: string): LeasedMessage | undefined
  readonly jobs: readonly LeasedMessage[]
  readonly size: number
  /** Of them, those of the bulk lane. */
  readonly bulk: number
  readonly bytes: number
  /** Ends every call under candidate; nothing more is written. */
  abandon(): void
  stop(): void
}

export interface InFlightOptions {
  engine: Engine
  log: Log
  metrics: Metrics
  leaseMs: number
  now(): number
}

export function createInFlightMessages({ engine, log, metrics, leaseMs, now }: InFlightOptions): InFlightMessages {
  const signals = sharedSignals()
  const held = tally()
  const leases = createLeases<LeasedMessage>({
    leaseMs,
    now,
    log,
    renew: (due, until) => renewLeases(engine, due, until),
    // What ran out ran out for all that were leased together; of a single one that was taken, a call under candidate ends.
    ranOut: ({ lease }) => signals.abort(lease),
  })
  metrics.inFlight.from(() => leases.size)

  const letGo = ({ message, lease }: LeasedMessage) => {
    signals.release(lease)
    held.count(message, -1)
  }
  const forget = (leased: LeasedMessage) => {
    // A message whose lease ran out may be back under a new one, as another job.
    if (leases.drop(leased)) letGo(leased)
    endJob(leased)
  }

  return {
    forget,
    find: leases.find,
    stop: () => leases.stop(),
    abandon() {
      for (const leased of leases.all()) leased.lost = true
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
      const leased = leasedMessage(begun, signals.of(message.lease), until)
      const before = leases.hold(leased)
      if (before) letGo(before)
      held.count(message, 1)
      return leased
    },
    async giveBack(unbegun, delayMs) {
      const given = unbegun.map(({ id, lease }) => ({ id, lease, due_at: now() + delayMs }))
      try {
        if (given.length > 0) await releaseLeases(engine, given)
      } catch (error) {
        log[failureLevel(error)]({ err: error, messages: given.length }, 'leases could not be given back; they run out')
      }
      for (const leased of unbegun) forget(leased)
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
    count({ input, lane }: LeasedMessage['message'], by: 1 | -1): void {
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
