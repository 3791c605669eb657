/** Every queue of leased rows: their leases are voided at a start, and one statement reads which of them have a due row. */
import type { Engine } from './engine.ts'
import { earliestRow } from './leased-queue.ts'
import { guardPlan, rowsOf } from './query.ts'
import { runQueue } from './tables/automations/live-runs.ts'
import { digestQueue } from './tables/digests/digests.ts'
import { erasureQueue } from './tables/erasure/erasures.ts'
import { messageQueue } from './tables/messages/live-messages.ts'
import { requestQueue } from './tables/messages/requests.ts'
import { webhookDeliveryQueue } from './tables/webhooks/webhook-deliveries.ts'

/** The queues of leased rows. */
export const leasedQueues = [messageQueue, requestQueue, runQueue, digestQueue, erasureQueue, webhookDeliveryQueue]

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
  'keep-members': `case when exists (select from audience_changes) then 0 else ${earliestRow('audiences', isLive)} end`,
}

export type QueueName = keyof typeof queues

const names = Object.keys(queues) as QueueName[]
const text = `select ${names.map((name) => `${queues[name]} as "${name}"`).join(',\n')}`

/** One statement, so that idle loops need not poll one by one. */
export async function dueQueues(engine: Engine, now: number): Promise<QueueName[]> {
  const [, result] = await engine.batch([guardPlan, { text, values: [], name: 'due-queues' }])
  const [due] = rowsOf<Record<QueueName, number | null>>(result)
  return names.filter((name) => (due?.[name] ?? Number.POSITIVE_INFINITY) <= now)
}
