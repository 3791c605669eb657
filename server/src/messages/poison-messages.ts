/** Poison messages: those of the rule for all queues, and those that block the process. Their last state. */
import type { Log } from '../base/log.ts'
import type { DeadLetter } from '../database/leased-queue.ts'
import { messageQueue } from '../database/tables/messages/live-messages.ts'
import {
  claimsMax,
  createIsolation,
  deadLetterOf,
  type Isolation,
  isPoison,
  isSuspected,
  reportDeadLetter,
} from '../queue/poison.ts'
import { statusOf } from './deliver/settlement.ts'
import type { StoredDelivery } from './delivery.ts'
import { hasStalled, type LeasedMessage, type Settlement } from './leased-message.ts'

export const isSuspectedMessage = ({ message, lease }: LeasedMessage) =>
  isSuspected(messageQueue, message) || lease.stalls > 0
export const isPoisonMessage = ({ message, lease }: LeasedMessage) =>
  isPoison(messageQueue, message) || hasStalled(lease)

/** `startNext` is called when the group before has had its time. */
export function createSuspectedMessages(now: () => number, startNext: () => void): Isolation<LeasedMessage> {
  const { poison } = messageQueue
  // By crashes; a message that blocked the process comes last, and alone.
  const rank = ({ message, lease }: LeasedMessage) => message.claims + lease.stalls * (claimsMax(poison) + 1)
  return createIsolation({ poison, rank, now, startNext })
}

/** The last state of a message whose processing keeps ending or blocking the process. */
export function deadLetterSettlement(
  leased: LeasedMessage,
  deliveries: readonly StoredDelivery[],
  { log, now }: { log: Log; now(): number },
): Settlement {
  const deadLetter = hasStalled(leased.lease)
    ? reportStalled(leased, { log, now })
    : reportDeadLetter(messageQueue, leased.message, { log, now })
  const { error } = deadLetter
  const isSent = deliveries.some(({ state }) => state === 'sent')
  const status = isSent ? statusOf('accepted', deliveries) : 'UNDELIVERABLE'
  return {
    state: { status, reason: 'FAILED', error, dueAt: null, keepLease: false, deadLetter },
    deliveries,
    events: [{ type: 'UNDELIVERABLE', ts: now(), channel: { id: '' }, reason: 'FAILED', error_message: error }],
  }
}

function reportStalled(
  { message, lease: { stalls } }: LeasedMessage,
  { log, now }: { log: Log; now(): number },
): DeadLetter {
  const { id, stalled_in: activity } = message
  const last = activity ? `, the last time while ${activity}` : ''
  const error = `Dead-lettered: it blocked the process for seconds, ${stalls} times${last}`
  log.error({ event: 'message.dead_lettered', message: id, stalls, activity }, error)
  return deadLetterOf(message, error, stalls, now())
}
