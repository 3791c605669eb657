/** Delivers events to webhooks. Every webhook has its own slots, so that one that hangs does not delay the others. */
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import type { DeadLetter } from '../database/leased-queue.ts'
import { findMessages, type MessageRowWithDeliveries } from '../database/tables/messages/messages.ts'
import {
  type DeliveryRecord,
  type LiveDelivery,
  recordDeliveries,
  webhookDeliveryQueue,
} from '../database/tables/webhooks/webhooks.ts'
import type { Pause } from '../queue/delivery-pause.ts'
import { groupCommit } from '../queue/group-commit.ts'
import { createIsolationSlot, ISOLATION_MS } from '../queue/poison.ts'
import { createQueuePoll, startWorker } from '../queue/poll.ts'
import { attemptWebhook, deliveryRecord, TIMEOUT_MS, type WebhookAttemptOptions } from './attempt.ts'

export interface WebhooksOptions extends WebhookAttemptOptions {
  engine: Engine
  log: Log
  metrics: Pick<Metrics, 'webhookCalls'>
  /** Webhooks are not called during the pause. */
  pause?: Pause
}

export interface Webhooks {
  wake(): void
  /** Waits briefly for attempts in flight; aborted ones are delivered later. */
  stop(): Promise<void>
}

/** A webhook that answers in 50 ms receives 320 events a second from each node. */
const SLOTS = 16
/** An attempt and its record; the deliveries of a dead worker are claimed after it. */
const LEASE_MS = TIMEOUT_MS + 20 * SECOND
/** The pause between polls under load: concurrent deliveries share a claim. */
const BUSY_MS = 20
/** Concurrent results share a commit; no caller waits for it. */
const COMMIT_INTERVAL_MS = 10
/** With the pipeline's grace period a stop takes less than 30 s. */
const GRACE_MS = 3 * SECOND

/** As the metrics name them: those of attempts of messages, where they are the same. */
const CALL_OUTCOMES = { delivered: 'delivered', again: 'retry', failed: 'failed' } as const

interface Result {
  record: DeliveryRecord
  gone?: { workspace_id: number; id: string }
  letter?: DeadLetter
}

export function startWebhooks(options: WebhooksOptions): Webhooks {
  const { engine, clock, log, metrics, pause } = options
  const inFlight = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const isolation = createIsolationSlot<LiveDelivery>(webhookDeliveryQueue)
  const commit = commitOf(options)

  const count = (webhook: string, by: number) => {
    const left = (inFlight.get(webhook) ?? 0) + by
    if (left > 0) inFlight.set(webhook, left)
    else inFlight.delete(webhook)
  }

  /** The next suspected delivery may start. */
  const clear = (delivery: LiveDelivery) => {
    if (isolation.clear(delivery)) worker.wake()
  }

  const deliver = async (delivery: LiveDelivery, message: MessageRowWithDeliveries | undefined) => {
    const { id, lease, webhook_id, workspace_id, attempts, created } = delivery
    count(webhook_id, 1)
    if (isolation.take(delivery)) setTimeout(clear, ISOLATION_MS, delivery).unref()
    const outcome = await attemptWebhook(delivery, message, stopping.signal, options).finally(() => {
      count(webhook_id, -1)
      clear(delivery)
    })
    if (outcome.kind !== 'aborted') metrics.webhookCalls.inc({ outcome: CALL_OUTCOMES[outcome.kind] })
    const record = deliveryRecord({ id, lease, attempts, created }, outcome, clock.now(), Math.random())
    const gone = outcome.kind === 'failed' && outcome.gone
    await commit.add({ record, ...(gone && { gone: { workspace_id, id: webhook_id } }) })
    worker.wake()
  }

  const worker = startWorker({
    name: 'webhooks',
    log,
    pause,
    poll: createQueuePoll({
      ...{ engine, log, now: () => clock.now(), queue: webhookDeliveryQueue, leaseMs: LEASE_MS },
      claim(take) {
        const busy = [...inFlight].map(([webhook_id, used]) => ({ webhook_id, room: SLOTS - used }))
        return take({ busy, room: SLOTS, suspected: isolation.isFree })
      },
      async start(claimed) {
        const messages = await messagesOf(engine, claimed)
        for (const delivery of claimed) {
          const done = deliver(delivery, messages.get(delivery.message_id ?? ''))
            .catch((error: unknown) => logUnrecorded(log, delivery, error))
            .finally(() => running.delete(done))
          running.add(done)
        }
      },
      deadLetter: ({ id, lease, attempts }, letter) =>
        commit.add({ record: { id, lease, attempts, due_at: null, delivered: null, error: letter.error }, letter }),
      sleepMs: (claimed) => (claimed.length > 0 ? BUSY_MS : undefined),
    }),
  })

  return {
    wake: worker.wake,
    async stop() {
      await worker.stop()
      const timer = setTimeout(() => stopping.abort(), GRACE_MS)
      await Promise.all(running)
      clearTimeout(timer)
    },
  }
}

const commitOf = ({ engine, clock, log }: WebhooksOptions) =>
  groupCommit<Result, void>({
    itemsMax: 500,
    bytesMax: 1_048_576,
    bytesOf: ({ record }) => record.error?.length ?? 0,
    intervalMs: () => COMMIT_INTERVAL_MS,
    async flush(results) {
      const gone = results.flatMap((result) => result.gone ?? [])
      const letters = results.flatMap((result) => result.letter ?? [])
      const records = results.map(({ record }) => record)
      await recordDeliveries(engine, records, gone, clock.now(), letters)
      for (const { id } of gone)
        log.warn({ event: 'webhook.disabled', webhook: id }, 'webhook disabled: it answered 410')
      return results.map(() => undefined)
    },
  })

/** The delivery is repeated when its lease expires. */
function logUnrecorded(log: Log, { webhook_id: webhook }: LiveDelivery, error: unknown): void {
  log[failureLevel(error)](
    { event: 'webhook.result_not_recorded', err: error, webhook },
    'the result of a webhook delivery could not be recorded',
  )
}

async function messagesOf(engine: Engine, claimed: readonly LiveDelivery[]) {
  const keys = claimed.flatMap(({ workspace_id, message_id }) => (message_id ? [{ workspace_id, message_id }] : []))
  const rows = keys.length > 0 ? await findMessages(engine, keys) : []
  return new Map(rows.map((row) => [row.id, row]))
}
