/** Runs leased messages, in batches that share their facts, suspected poison messages last, and keeps their leases while they run. */
import { during } from '../base/activity.ts'
import { inParts } from '../base/budget.ts'
import { failpoint } from '../base/failpoint.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { messageQueue } from '../database/tables/messages/live-messages.ts'
import type { StoppedRequest } from '../database/tables/messages/stopped-requests.ts'
import { createInFlight, type InFlight, type InFlightOptions } from './in-flight.ts'
import type { CallInProgress, Cancellation, ClaimedMessage, LeasedMessage, LoadedMessage } from './leased-message.ts'
import type { Loader } from './load/load.ts'
import {
  createSuspectedMessages,
  deadLetterSettlement,
  isPoisonMessage,
  isSuspectedMessage,
} from './poison-messages.ts'
import { type ProcessOptions, processMessage } from './process-message.ts'
import type { Recorder } from './record/record.ts'

export interface Runner {
  /** Takes over messages that are leased to this process until then. */
  start(claimed: readonly ClaimedMessage[], until: number): void
  /** Messages in flight. */
  readonly size: number
  /** How many more messages it may start now: none during a pause, and on a node that only accepts. */
  readonly room: number
  /** How many of them may be of the bulk lane. */
  readonly bulkRoom: number
  has(id: string): boolean
  /** The calls of a message in flight that have not ended. */
  callsOf(id: string): readonly CallInProgress[]
  /** Resolves when the message has ended here. False, and nothing happens, while its provider is called. */
  cancel(id: string, cancellation: Cancellation): Promise<boolean>
  /** Applies to its messages in flight: none of them calls a provider any more, unless the request goes on (without `stopped`). */
  stopRequest(id: string, stop: Partial<Pick<StoppedRequest, 'stopped' | 'by'>>): void
  /** The message has blocked the process this many times. */
  countStalls(id: string, stalls: number): void
  /** Ends what is in progress, releases what has not started. Resolves within `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export interface RunnerOptions extends InFlightOptions {
  loader: Pick<Loader, 'loadLeased'>
  recorder: Recorder
  processing: ProcessOptions
  /** False on a node that only accepts. */
  works: boolean
}

/** As many as there are delivery slots: few enough to start soon. */
const MESSAGES_MAX = 2_048

const BYTES_MAX = 64 * 1_048_576

const BATCH_MAX = 200

/** Before messages whose facts could not be read are claimed again. */
const RECLAIM_MS = 1_000

export function createRunner(options: RunnerOptions): Runner {
  const { recorder, pause } = options
  const inFlight = createInFlight(options)
  const batches = createBatches(options, inFlight)
  let stopping = false

  return {
    get size() {
      return inFlight.size
    },
    get room() {
      if (!options.works || pause?.since !== undefined || stopping || inFlight.bytes >= BYTES_MAX) return 0
      return Math.max(0, MESSAGES_MAX - inFlight.size)
    },
    get bulkRoom() {
      return Math.min(this.room, inFlight.bulkRoom)
    },
    has: (id) => inFlight.find(id) !== undefined,
    callsOf: (id) => inFlight.find(id)?.calls ?? [],
    async cancel(id, cancellation) {
      const lease = inFlight.find(id)
      if (!lease || lease.isCalling) return false
      lease.cancel(cancellation)
      await inFlight.ended(lease)
      return true
    },
    stopRequest(id, stop) {
      for (const lease of inFlight.all()) if (lease.row.request_id === id) lease.stopWithRequest(stop)
    },
    countStalls(id, stalls) {
      inFlight.find(id)?.countStalls(stalls)
    },
    start(claimed, until) {
      for (const message of claimed) {
        const add = () => inFlight.add(message, until)
        // The input of a message that was just accepted needs no parsing.
        batches.add(message.input ? add() : during('message', message.message.id, 'reading what was stored of it', add))
      }
      // A step of a request may be committed after the stop.
      if (stopping) void inFlight.release(batches.stop(), 0)
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

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}

interface Batches {
  add(leased: LeasedMessage): void
  /** Starts none any more. Returns those that have not started. */
  stop(): LeasedMessage[]
}

function createBatches(options: RunnerOptions, inFlight: InFlight): Batches {
  const { loader, processing, engine, log, now } = options
  let waiting: LeasedMessage[] = []
  let active = 0
  let scheduled = false
  let stopped = false

  /** In the next turn of the event loop, so that messages of one turn share their facts. */
  const schedule = () => {
    if (scheduled || stopped) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (stopped) return
      while (waiting.length > 0) void run(waiting.splice(0, BATCH_MAX))
      // After all others: each crash would count another claim of those that wait.
      const group = suspected.next(active === 0)
      if (group.length > 0) void run(group)
    })
  }
  const suspected = createSuspectedMessages(now, schedule)

  const run = async (batch: readonly LeasedMessage[]): Promise<void> => {
    active += batch.length
    try {
      const counted = batch.filter(isSuspectedMessage)
      // Before they start, so that the next worker knows which messages a crash was with.
      if (counted.length > 0) await countStarts(engine, counted)
      // A single send that comes meanwhile waits for a part of the batch.
      await inParts(await loader.loadLeased(batch), (loaded) => void runOne(loaded))
    } catch (error) {
      // Mostly because there is no database: the messages are claimed again.
      log[failureLevel(error)](
        { event: 'messages.not_loaded', err: error, messages: batch.length },
        'facts could not be loaded',
      )
      await inFlight.release(batch, RECLAIM_MS)
      for (const leased of batch) end(leased)
    }
  }

  const runOne = async (loaded: LoadedMessage): Promise<void> => {
    const { leased } = loaded
    try {
      if (!leased.lease.isLost) await processMessage(loaded, processing)
    } catch (error) {
      const { id } = leased.message
      log.error({ event: 'message.not_processed', err: error, message: id }, 'a message could not be processed')
    }
    end(leased)
  }

  const end = ({ lease }: LeasedMessage) => {
    active -= 1
    inFlight.remove(lease)
    if (active === 0 && suspected.size > 0) schedule()
  }

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

const countStarts = (engine: Engine, messages: readonly LeasedMessage[]): Promise<void> =>
  messageQueue.countStarts(
    engine,
    messages.map(({ lease }) => lease),
  )

async function deadLetter(leased: LeasedMessage, { recorder, log, now }: RunnerOptions): Promise<void> {
  const { state, deliveries, events } = deadLetterSettlement(leased, leased.deliveries, { log, now })
  try {
    await recorder.record(leased, state, { snapshot: leased.snapshot, deliveries, events })
  } catch (error) {
    log.error(
      { event: 'message.not_dead_lettered', err: error, message: leased.message.id },
      'a message could not be dead-lettered',
    )
  }
}
