/** Runs leased messages: loads a batch, processes its messages side by side, keeps their leases, isolates poison messages. */
import { during } from '../base/activity.ts'
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { messageQueue } from '../database/tables/messages/live-messages.ts'
import { createLeases } from '../queue/lease.ts'
import type { Pause } from '../queue/pause.ts'
import {
  type ClaimedMessage,
  type LeasedMessage,
  type LoadedMessage,
  leasedMessage,
  type MessageLease,
} from './leased-message.ts'
import { loadMessages, type SharedInputs } from './load/load.ts'
import {
  createSuspectedMessages,
  deadLetterSettlement,
  isPoisonMessage,
  isSuspectedMessage,
} from './poison-messages.ts'
import { type ProcessOptions, processMessage } from './process-message.ts'
import { lanes } from './send.ts'

export interface Runner {
  /** Takes over messages that are leased to this process until then. */
  start(claimed: readonly ClaimedMessage[], until: number): void
  /** Messages in flight. */
  readonly size: number
  /** How many more messages it may start now: none during a pause, and on a node that only accepts. */
  readonly room: number
  /** Messages of the bulk lane among them. */
  readonly bulkRoom: number
  has(id: string): boolean
  /** Resolves when the message has ended here. False, and nothing happens, while its provider is called. */
  cancel(id: string): Promise<boolean>
  /** The message has blocked the process this many times. */
  countStalls(id: string, stalls: number): void
  /** Ends what is in progress, releases what has not started. Resolves within `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export type RunnerOptions = ProcessOptions &
  InFlightOptions & {
    sharedInputs: SharedInputs
    /** False on a node that only accepts. */
    works: boolean
    pause?: Pause
  }

/** Twice the delivery slots: enough to keep them busy, few enough to start soon. */
const MESSAGES_MAX = 1_024
/** A quarter of the slots of one integration: a single send meanwhile finds the event loop and the provider free. */
const BULK_MESSAGES_MAX = 128
const BYTES_MAX = 64 * 1_048_576
const BATCH_MAX = 200
/** Before messages whose facts could not be read are claimed again. */
const RECLAIM_MS = 1_000

export function createRunner(options: RunnerOptions): Runner {
  const { recorder, metrics, slots, pause } = options
  const inFlight = createInFlight(options)
  const batches = createBatches(options, inFlight)
  let stopping = false
  let paused = pause?.since !== undefined
  pause?.onResume(() => {
    paused = false
  })
  metrics.slotsUsed.from(() => slots.used)

  return {
    get size() {
      return inFlight.size
    },
    get room() {
      if (!options.works || paused || stopping || inFlight.bytes >= BYTES_MAX) return 0
      return Math.max(0, MESSAGES_MAX - inFlight.size)
    },
    get bulkRoom() {
      return Math.max(0, BULK_MESSAGES_MAX - inFlight.bulk)
    },
    has: (id) => inFlight.find(id) !== undefined,
    async cancel(id) {
      const lease = inFlight.find(id)
      if (!lease || lease.isCalling) return false
      lease.cancel()
      await inFlight.ended(lease)
      return true
    },
    countStalls(id, stalls) {
      inFlight.find(id)?.countStalls(stalls)
    },
    start(claimed, until) {
      for (const one of claimed) {
        const add = () => inFlight.add(one, until)
        // The input of a message that was just accepted needs no parsing.
        batches.add(one.input ? add() : during('message', one.message.id, 'reading what was stored of it', add))
      }
    },
    async stop(graceMs) {
      stopping = true
      failpoint('during-shutdown')
      await inFlight.release(batches.stop(), 0)
      await within(graceMs, Promise.all(inFlight.all().map(inFlight.ended)))
      inFlight.abort()
      await recorder.drained()
      inFlight.stop()
    },
  }
}

interface Batches {
  add(leased: LeasedMessage): void
  /** Starts none any more. Returns those that have not started. */
  stop(): LeasedMessage[]
}

/** Starts messages in batches; suspected poison messages last, in groups of their own. */
function createBatches(options: RunnerOptions, inFlight: InFlight): Batches {
  let waiting: LeasedMessage[] = []
  let active = 0
  let scheduled = false
  let stopped = false

  const run = (batch: readonly LeasedMessage[]): void => {
    active += batch.length
    void runBatch(batch, options, inFlight, (leased) => {
      active -= 1
      inFlight.remove(leased.lease)
      if (active === 0 && suspected.size > 0) schedule()
    })
  }

  /** In the next turn of the event loop, so that messages of one turn share their facts. */
  const schedule = () => {
    if (scheduled || stopped) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (stopped) return
      while (waiting.length > 0) run(waiting.splice(0, BATCH_MAX))
      // After all others: each crash would count another claim of those that wait.
      const group = suspected.next(active === 0)
      if (group.length > 0) run(group)
    })
  }
  const suspected = createSuspectedMessages(options.now, schedule)

  return {
    add(leased) {
      if (isPoisonMessage(leased)) void deadLetter(leased, options).then(() => inFlight.remove(leased.lease))
      else if (isSuspectedMessage(leased)) suspected.add(leased)
      else waiting.push(leased)
      schedule()
    },
    stop() {
      stopped = true
      const notStarted = [...waiting, ...suspected.rest()]
      waiting = []
      return notStarted
    },
  }
}

async function deadLetter(leased: LeasedMessage, options: RunnerOptions): Promise<void> {
  const { state, deliveries, events } = deadLetterSettlement(leased, leased.deliveries, options)
  try {
    await options.recorder.record(leased, state, { snapshot: leased.snapshot, deliveries, events })
  } catch (error) {
    options.log.error(
      { event: 'message.not_dead_lettered', err: error, message: leased.message.id },
      'a message could not be dead-lettered',
    )
  }
}

/** Calls `done` for each message whose processing has ended. */
async function runBatch(
  batch: readonly LeasedMessage[],
  options: RunnerOptions,
  inFlight: InFlight,
  done: (leased: LeasedMessage) => void,
): Promise<void> {
  const { log } = options
  const process = async (loaded: LoadedMessage): Promise<void> => {
    const { leased } = loaded
    try {
      if (!leased.lease.isLost) await processMessage(loaded, options)
    } catch (error) {
      const { id } = leased.message
      log.error({ event: 'message.not_processed', err: error, message: id }, 'a message could not be processed')
    }
    done(leased)
  }
  try {
    await countSuspected(batch, options.engine)
    const loaded = await loadMessages(batch, options)
    for (const message of loaded) void process(message)
  } catch (error) {
    // Mostly because there is no database: the messages are claimed again.
    log[failureLevel(error)](
      { event: 'messages.not_loaded', err: error, messages: batch.length },
      'facts could not be loaded',
    )
    await inFlight.release(batch, RECLAIM_MS)
    for (const leased of batch) done(leased)
  }
}

/** Before they start, so that the next worker knows which messages a crash was with. */
async function countSuspected(batch: readonly LeasedMessage[], engine: Engine): Promise<void> {
  const suspected = batch.filter(isSuspectedMessage)
  if (suspected.length > 0) await messageQueue.countStarts(engine, suspected.map(leaseOf))
}

const leaseOf = ({ lease }: LeasedMessage): MessageLease => lease

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}

/** The messages in flight: their leases, their bytes, their signals. */
interface InFlight {
  /** A message leased until then. */
  add(claimed: ClaimedMessage, until: number): LeasedMessage
  /** The message has ended: its lease is not renewed any more. */
  remove(lease: MessageLease): void
  /** Returns leases of messages that did not start: due after this time, for every node. */
  release(messages: readonly LeasedMessage[], delayMs: number): Promise<void>
  /** Resolves when a message in flight is removed. */
  ended(lease: MessageLease): Promise<void>
  find(id: string): MessageLease | undefined
  all(): MessageLease[]
  readonly size: number
  /** Messages of the bulk lane among them. */
  readonly bulk: number
  readonly bytes: number
  /** Ends every call in progress; nothing more is written. */
  abort(): void
  stop(): void
}

interface InFlightOptions {
  engine: Engine
  log: Log
  metrics: Metrics
  leaseMs: number
  now(): number
}

function createInFlight({ engine, log, metrics, leaseMs, now }: InFlightOptions): InFlight {
  const signals = createLeaseSignals()
  const callbacks = new Map<MessageLease, (() => void)[]>()
  let bytes = 0
  let bulk = 0
  const leases = createLeases<MessageLease>({
    leaseMs,
    now,
    log,
    renew: (due, until) => messageQueue.renew(engine, due, until),
    // All messages of a claim expire together. A call for a single message that another node took goes on.
    onExpired: ({ lease }) => signals.abort(lease),
  })
  metrics.inFlight.from(() => leases.size)

  const count = ({ row }: MessageLease, by: 1 | -1) => {
    bytes += by * row.input.length
    if (row.lane === lanes.bulk) bulk += by
  }
  const forget = (lease: MessageLease) => {
    signals.release(lease.lease)
    count(lease, -1)
  }
  const remove = (lease: MessageLease) => {
    // A message whose lease expired may be in flight again, under a new one.
    if (leases.drop(lease)) forget(lease)
    for (const callback of callbacks.get(lease) ?? []) callback()
    callbacks.delete(lease)
  }

  return {
    remove,
    find: leases.find,
    all: leases.all,
    stop: leases.stop,
    get size() {
      return leases.size
    },
    get bulk() {
      return bulk
    },
    get bytes() {
      return bytes
    },
    add(claimed, until) {
      const leased = leasedMessage(claimed, until, signals.of(claimed.message.lease))
      const before = leases.hold(leased.lease)
      if (before) forget(before)
      count(leased.lease, 1)
      return leased
    },
    async release(messages, delayMs) {
      try {
        if (messages.length > 0) await messageQueue.release(engine, messages.map(leaseOf), now() + delayMs)
      } catch (error) {
        log[failureLevel(error)](
          { event: 'messages.not_released', err: error, messages: messages.length },
          'leases could not be released; they expire',
        )
      }
      for (const { lease } of messages) remove(lease)
    },
    ended: (lease) =>
      new Promise((resolve) => {
        callbacks.set(lease, [...(callbacks.get(lease) ?? []), resolve])
      }),
    abort() {
      for (const lease of leases.all()) lease.lose()
      signals.abortAll()
    },
  }
}

/** One signal for all messages under one lease: the transport watches each signal once. */
function createLeaseSignals() {
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
