/** Poison messages: suspected after repeated worker crashes, isolated in ever smaller groups, and dead-lettered. */
import type { Log } from '../base/log.ts'
import { CLAIMS_SUSPECT } from '../database/tables/messages/live-messages.ts'
import { statusOf } from './deliver/progress.ts'
import type { StoredDelivery } from './delivery.ts'
import { hasStalled, type LeasedMessage, type Settlement } from './leased-message.ts'

export interface SuspectedPoison {
  readonly size: number
  add(leased: LeasedMessage): void
  /** The next group to start; empty while others have just started. */
  next(idle: boolean): LeasedMessage[]
  /** Takes out the messages that have not started. */
  rest(): LeasedMessage[]
}

/** Deciding and rendering take milliseconds: a message that is still in progress by then waits for a provider. */
const GROUP_MS = 250
/** Group sizes by crashes in a group: most suspected messages were only in flight beside the poison one. */
const GROUPS = [50, 5] as const
/** With more claims, a message was in both groups and alone three times. */
const CLAIMS_MAX = CLAIMS_SUSPECT + GROUPS.length + 2

type Counted = Pick<LeasedMessage['message'], 'claims' | 'stalls'>

export const isSuspected = ({ message }: { message: Counted }) =>
  message.claims >= CLAIMS_SUSPECT || (message.stalls ?? 0) > 0
export const isPoison = ({ message }: { message: Counted }) => message.claims > CLAIMS_MAX || hasStalled(message)
/** By crashes; a message that blocked the process comes last, and alone. */
const rank = ({ claims, stalls }: Counted) => claims + (stalls ?? 0) * (CLAIMS_MAX + 1)

/** `startNext` is called when the group before has had its time. */
export function createSuspectedPoison(now: () => number, startNext: () => void): SuspectedPoison {
  const waiting: LeasedMessage[] = []
  let startedAt = 0
  let isPlanned = false
  const plan = (afterMs: number) => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      startNext()
    }, afterMs).unref()
  }
  const restartTimer = () => {
    startedAt = now()
    plan(GROUP_MS)
  }

  return {
    get size() {
      return waiting.length
    },
    add(leased) {
      if (waiting.push(leased) === 1) restartTimer()
    },
    next(idle) {
      if (waiting.length === 0) return []
      const leftMs = startedAt + GROUP_MS - now()
      if (!idle && leftMs > 0) {
        // A timer can be early by the clock, and no other call may follow.
        plan(leftMs)
        return []
      }
      // A group holds messages of equal rank: with those of more crashes it would be claimed once more for nothing.
      waiting.sort((a, b) => rank(a.message) - rank(b.message))
      const [first] = waiting
      const least = first ? rank(first.message) : 0
      const sizeMax = GROUPS[least - CLAIMS_SUSPECT] ?? 1
      const others = waiting.findIndex(({ message }) => rank(message) !== least)
      const group = waiting.splice(0, others < 0 ? sizeMax : Math.min(sizeMax, others))
      restartTimer()
      return group
    },
    rest: () => waiting.splice(0),
  }
}

/** The last state of a message whose processing keeps ending or blocking the process. */
export function deadLetterSettlement(
  { message }: LeasedMessage,
  deliveries: readonly StoredDelivery[],
  { log, now }: { log: Log; now(): number },
): Settlement {
  const { id, claims, stalls, stalled_in: activity } = message
  const error = hasStalled(message)
    ? `Dead-lettered: it blocked the process for seconds, ${stalls} times${activity ? `, the last time while ${activity}` : ''}`
    : `Dead-lettered after ${claims} attempts to process it without an outcome`
  log.error({ event: 'message.dead_lettered', message: id, claims, stalls, activity }, error)
  const isSent = deliveries.some(({ state }) => state === 'sent')
  const status = isSent ? statusOf('accepted', deliveries) : 'UNDELIVERABLE'
  return {
    state: { status, reason: 'FAILED', error, dueAt: null, keepLease: false },
    deliveries,
    events: [{ type: 'UNDELIVERABLE', ts: now(), channel: { id: '' }, reason: 'FAILED', error_message: error }],
  }
}
