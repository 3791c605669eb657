/** The queues of leased rows: leases voided at a start, which have a due row, in one statement, and the backlog of messages. */
import type { Engine, Reader, Statement } from './engine.ts'
import { earliestRow } from './leased-queue.ts'
import { guardPlan, rowsOf } from './query.ts'
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

const isLive = 'due_at is not null'

/** The first due time of each queue: the first entry of the index of its claim. */
const queues = {
  messages: messageQueue.earliest,
  'fan-out': requestQueue.earliest,
  runs: runQueue.earliest,
  schedules: earliestRow('automation_triggers', isLive),
  digests: digestQueue.earliest,
  erasure: erasureQueue.earliest,
  webhooks: webhookDeliveryQueue.earliest,
  receipts: receiptQueue.earliest,
  tickets: earliestRow('tickets', 'true'),
  copies: earliestRow('deferred_copies', 'true'),
  'update-members': `case when exists (select from audience_changes) then 0 else ${earliestRow('audiences', isLive)} end`,
}

export type QueueName = keyof typeof queues

const names = Object.keys(queues) as QueueName[]
const text = `select ${names.map((name) => `${queues[name]} as "${name}"`).join(',\n')}`

/** The first due time of each queue, in one statement; null without a row. */
export async function firstDue(engine: Reader): Promise<{ queue: QueueName; due: number | null }[]> {
  const [, result] = await engine.batch([guardPlan, { text, values: [], name: 'due-queues' }])
  const [due] = rowsOf<Record<QueueName, number | null>>(result)
  return names.map((queue) => ({ queue, due: due?.[queue] ?? null }))
}

export async function dueQueues(engine: Reader, now: number): Promise<QueueName[]> {
  return (await firstDue(engine)).filter(({ due }) => due !== null && due <= now).map(({ queue }) => queue)
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

const counted = (lane: number, due: string) =>
  `(select count(*)::int from (select from messages where lane = ${lane} and due_at ${due} $1 limit ${COUNTED_MAX}) m)`

const backlogText = LANES.map(
  (lane) => `select ${lane} as lane, ${counted(lane, '>')} as waiting, ${counted(lane, '<=')} as overdue,
    (select due_at from messages where lane = ${lane} and due_at <= $1 order by due_at limit 1) as oldest`,
).join(' union all ')

/** A bitmap is made of every entry before the first row is counted: PostgreSQL 15 prefers it, and the bound bounds nothing. */
const inIndexOrder: Statement = { text: 'set local enable_bitmapscan = off' }

export async function readBacklog(engine: Reader, now: number): Promise<LaneBacklog[]> {
  const count = { text: backlogText, values: [now], name: 'read-backlog' }
  const [, , result] = await engine.batch([guardPlan, inIndexOrder, count])
  const lanes = rowsOf<LaneBacklog>(result)
  return await Promise.all(
    lanes.map(async (lane) => ({
      ...lane,
      waiting: await estimated(engine, lane.waiting, lane.lane, `> ${now}`),
      overdue: await estimated(engine, lane.overdue, lane.lane, `<= ${now}`),
    })),
  )
}

async function estimated(engine: Reader, count: number, lane: number, due: string): Promise<number> {
  if (count < COUNTED_MAX) return count
  const { rows } = await engine.run<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>({
    text: `explain (format json) select from messages where lane = ${lane} and due_at ${due}`,
    values: [],
  })
  return Math.max(count, rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0)
}
