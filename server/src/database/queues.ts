/** The queues of leased rows: leases voided at a start, which have a due row, in one statement, and the backlog of messages. */

import { SECOND } from '../base/time/duration.ts'
import type { Engine, Reader, Result, Statement } from './engine.ts'
import { type DueCondition, earliestRow } from './leased-queue.ts'
import { guardPlan, named, rowsOf } from './query.ts'
import { runQueue } from './tables/automations/live-runs.ts'
import { digestQueue } from './tables/digests/digests.ts'
import { erasureQueue } from './tables/erasure/erasures.ts'
import { LANES } from './tables/messages/lanes.ts'
import { messageQueue } from './tables/messages/live-messages.ts'
import { receiptQueue } from './tables/messages/receipts.ts'
import { requestQueue } from './tables/messages/requests.ts'
import { webhookDeliveryQueue } from './tables/webhooks/webhooks.ts'

/** The queues of leased rows. */
export const leasedQueues = [
  messageQueue,
  requestQueue,
  runQueue,
  digestQueue,
  erasureQueue,
  webhookDeliveryQueue,
  receiptQueue,
]

/** Only where the owner of every lease is known to be dead. Returns the number of messages that were leased. */
export async function voidEveryLease(engine: Engine, now: number): Promise<number> {
  let messages = 0
  for (const queue of leasedQueues) {
    const voided = await queue.voidLeases(engine, now)
    if (queue === messageQueue) messages = voided
  }
  return messages
}

const isLive: DueCondition = (column) => `${column} is not null`

/** The first due time of each queue that meets the condition: the first entry of the index of its claim. */
const firstDueTimes = (condition: DueCondition, ofMessages = condition) => ({
  messages: messageQueue.earliest(ofMessages),
  'fan-out': requestQueue.earliest(condition),
  runs: runQueue.earliest(condition),
  schedules: earliestRow('automation_triggers', condition('due_at')),
  digests: digestQueue.earliest(condition),
  erasure: erasureQueue.earliest(condition),
  webhooks: webhookDeliveryQueue.earliest(condition),
  receipts: receiptQueue.earliest(condition),
  tickets: earliestRow('tickets', condition('due_at')),
  copies: earliestRow('deferred_copies', condition('due_at')),
  'update-members': `case when exists (select from audience_changes) then 0
    else ${earliestRow('audiences', condition('due_at'))} end`,
})

type DueTimes = ReturnType<typeof firstDueTimes>
export type QueueName = keyof DueTimes

const selectOf = (times: DueTimes) =>
  `select ${Object.entries(times)
    .map(([name, time]) => `${time} as "${name}"`)
    .join(',\n')}`

/** Behind `guardPlan`; `queuesDue` reads its row. */
export const queuesDueSelect: Statement = { text: selectOf(firstDueTimes(isLive)), values: [], name: 'first-due' }

const dueSelect = named<'now' | 'messagesFrom'>(
  'due-queues',
  selectOf(
    firstDueTimes(
      (column) => `${column} <= :now`,
      (column) => `${column} between :messagesFrom and :now`,
    ),
  ),
)

/** When the first row of a queue is due; null without a row. */
export interface QueueDue {
  queue: QueueName
  due: number | null
}

export const queuesDue = (result: Result | undefined): QueueDue[] =>
  Object.entries(rowsOf<Record<QueueName, number | null>>(result)[0] ?? {}).map(([queue, due]) => ({
    queue: queue as QueueName,
    due,
  }))

/** The first due time of each queue, in one statement. */
export async function firstDue(engine: Reader): Promise<QueueDue[]> {
  const [, result] = await engine.batch([guardPlan, queuesDueSelect])
  return queuesDue(result)
}

/** Queues with a row that is due; of messages, one that is due since then. */
export async function dueQueues(engine: Reader, now: number, messagesFrom: number): Promise<QueueName[]> {
  const [, result] = await engine.batch([guardPlan, dueSelect({ now, messagesFrom })])
  return queuesDue(result).flatMap(({ queue, due }) => (due === null ? [] : [queue]))
}

/** Clocks of nodes differ, and a commit takes its time. */
const LATE_MS = 10 * SECOND
/** A message that is seen even later, or was due before it was accepted, waits for as long at most. */
const ALL_EVERY_MS = 30 * SECOND

/**
 * Queues with a row that is due, look by look. While no message was due, the next look begins where the last one ended:
 * entries of messages that have ended stay in the index for as long as any session holds a snapshot, such as `pg_dump`,
 * and a look from the beginning passes all of them. While messages are due, each look begins there.
 */
export function createDueLook(engine: Reader, now: () => number): () => Promise<QueueName[]> {
  let from = 0
  let allAt = 0
  return async () => {
    const time = now()
    const isForAll = from === 0 || Math.abs(time - allAt) >= ALL_EVERY_MS
    const due = await dueQueues(engine, time, isForAll ? 0 : from)
    if (isForAll) allAt = time
    from = due.includes('messages') ? 0 : time - LATE_MS
    return due
  }
}

export interface LaneBacklog {
  lane: number
  /** Due later, or leased. */
  waiting: number
  /** Due and not leased. */
  overdue: number
  /** The earliest due time; null without due messages. */
  oldest: number | null
}

/** Counted exactly up to here, some 10 ms; beyond it the planner's estimate suffices. */
const COUNTED_MAX = 100_000

/** How the due times of a figure compare to the time of the read. */
const DUE = { waiting: '>', overdue: '<=' } as const

const counted = (lane: number, figure: keyof typeof DUE) =>
  `(select count(*)::int from (select from messages_live where lane = ${lane} and due_at ${DUE[figure]} $1 limit ${COUNTED_MAX}) m)`

const backlogText = LANES.map(
  (lane) => `select ${lane} as lane, ${counted(lane, 'waiting')} as waiting, ${counted(lane, 'overdue')} as overdue,
    (select due_at from messages_live where lane = ${lane} and due_at <= $1 order by due_at limit 1) as oldest`,
).join(' union all ')

/** A bitmap is made of every entry before the first row is counted: PostgreSQL 15 prefers it, and the bound bounds nothing. */
export const inIndexOrder: Statement = { text: 'set local enable_bitmapscan = off' }

/** Behind `guardPlan` and `inIndexOrder`; its rows go through `estimateLarge`. */
export const backlogSelect = (now: number): Statement => ({ text: backlogText, values: [now], name: 'read-backlog' })

export async function readBacklog(engine: Reader, now: number): Promise<LaneBacklog[]> {
  const [, , result] = await engine.batch([guardPlan, inIndexOrder, backlogSelect(now)])
  return await estimateLarge(engine, rowsOf<LaneBacklog>(result), now)
}

/** Replaces counts that stopped at their bound by estimates of the planner, on one connection. */
export async function estimateLarge(
  engine: Reader,
  backlogs: readonly LaneBacklog[],
  now: number,
  options?: { timeoutMs: number },
): Promise<LaneBacklog[]> {
  const figures = (['waiting', 'overdue'] as const).flatMap((figure) =>
    backlogs.filter((backlog) => backlog[figure] >= COUNTED_MAX).map(({ lane }) => ({ figure, lane })),
  )
  if (figures.length === 0) return [...backlogs]
  const plans = await engine.batch(
    figures.map(({ figure, lane }) => ({
      text: `explain (format json) select from messages_live where lane = ${lane} and due_at ${DUE[figure]} ${now}`,
      values: [],
    })),
    options,
  )
  const estimated = (backlog: LaneBacklog, of: 'waiting' | 'overdue') => {
    const at = figures.findIndex(({ figure, lane }) => figure === of && lane === backlog.lane)
    const [row] = rowsOf<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(plans[at])
    return Math.max(backlog[of], row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0)
  }
  return backlogs.map((backlog) => ({
    ...backlog,
    waiting: estimated(backlog, 'waiting'),
    overdue: estimated(backlog, 'overdue'),
  }))
}
