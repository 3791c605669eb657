/** The messages in flight in this process: their leases, which are renewed, returned or given up, and their size. */
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { lanes } from '../database/tables/messages/lanes.ts'
import { messageQueue } from '../database/tables/messages/live-messages.ts'
import type { Pause } from '../queue/delivery-pause.ts'
import { createLeases } from '../queue/lease.ts'
import { type ClaimedMessage, type LeasedMessage, leasedMessage, type MessageLease } from './leased-message.ts'

export interface InFlight {
  /** A message leased until then. */
  add(claimed: ClaimedMessage, until: number): LeasedMessage
  /** The message has ended: its lease is not renewed any more. */
  remove(lease: MessageLease): void
  /** Returns leases of messages that did not start: due after this time, for every node. */
  release(messages: readonly LeasedMessage[], delayMs: number): Promise<void>
  /** Resolves when the message is removed. */
  ended(lease: MessageLease): Promise<void>
  find(id: string): MessageLease | undefined
  all(): MessageLease[]
  readonly size: number
  /** How many more messages of the bulk lane may be in flight now. */
  readonly bulkRoom: number
  readonly bytes: number
  /** Ends every call in progress; nothing more is written. */
  abort(): void
  stop(): void
}

export interface InFlightOptions {
  engine: Engine
  log: Log
  metrics: Pick<Metrics, 'inFlight'>
  leaseMs: number
  /** No provider call starts during the pause. */
  pause?: Pick<Pause, 'since'> | undefined
  now(): number
}

/** An eighth of the slots of one integration: a single send meanwhile finds event loop, database and provider free. */
const BULK_BESIDE_MAX = 128
/** Three quarters, while no other lane has work: the first single send finds a slot, and the bound is low from then on. */
const BULK_ALONE_MAX = 768
/** The other lanes have work while a message of theirs has started within this time. */
const OTHERS_MS = SECOND

export function createInFlight({ engine, log, metrics, leaseMs, pause, now }: InFlightOptions): InFlight {
  const signals = createLeaseSignals()
  const callbacks = new Map<MessageLease, (() => void)[]>()
  let bytes = 0
  let bulk = 0
  let othersAt = Number.NEGATIVE_INFINITY
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
    get bulkRoom() {
      const isAlone = now() - othersAt >= OTHERS_MS
      return Math.max(0, (isAlone ? BULK_ALONE_MAX : BULK_BESIDE_MAX) - bulk)
    },
    get bytes() {
      return bytes
    },
    add(claimed, until) {
      const leased = leasedMessage(claimed, { until, signal: signals.of(claimed.message.lease), pause })
      const before = leases.add(leased.lease)
      if (before) forget(before)
      if (claimed.message.lane !== lanes.bulk) othersAt = now()
      count(leased.lease, 1)
      return leased
    },
    async release(messages, delayMs) {
      const released = messages.map(({ lease }) => lease)
      try {
        if (released.length > 0) await messageQueue.release(engine, released, now() + delayMs)
      } catch (error) {
        log[failureLevel(error)](
          { event: 'messages.not_released', err: error, messages: released.length },
          'leases could not be released; they expire',
        )
      }
      for (const lease of released) remove(lease)
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
