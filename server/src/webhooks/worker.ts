/** Delivers events to webhooks. Every webhook has its own slots, so that one that hangs does not delay the others. */

import type { Log } from '../base/log.ts'
import { SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { findMessages, type MessageRowWithDeliveries } from '../database/tables/messages/messages.ts'
import {
  claimDeliveries,
  type DeliveryRecord,
  type LiveDelivery,
  recordDeliveries,
} from '../database/tables/webhooks/webhook-deliveries.ts'
import { groupCommit } from '../queue/group-commit.ts'
import { leaseNames } from '../queue/lease.ts'
import type { Pause } from '../queue/pause.ts'
import { IDLE_MS, startWorker } from '../queue/poll-loop.ts'
import { type AttemptOptions, attempt, TIMEOUT_MS } from './attempt.ts'
import { recordOf } from './outcome.ts'

export interface WebhooksOptions extends AttemptOptions {
  engine: Engine
  log: Log
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
const PACE_MS = 10
/** With the pipeline's grace period a stop takes less than 30 s. */
const GRACE_MS = 3 * SECOND

interface Result {
  record: DeliveryRecord
  gone?: { workspace_id: number; id: string }
}

export function startWebhooks(options: WebhooksOptions): Webhooks {
  const { engine, clock, log } = options
  const inFlight = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const newLease = leaseNames()
  const commit = groupCommit<Result, void>({
    itemsMax: 500,
    bytesMax: 1_048_576,
    bytesOf: ({ record }) => record.error?.length ?? 0,
    paceMs: () => PACE_MS,
    async flush(results) {
      const gone = results.flatMap((result) => result.gone ?? [])
      const records = results.map(({ record }) => record)
      await recordDeliveries(engine, records, gone, clock.now())
      for (const { id } of gone)
        log.warn({ event: 'webhook.disabled', webhook: id }, 'webhook disabled: it answered 410')
      return results.map(() => undefined)
    },
  })

  const count = (webhook: string, by: number) => {
    const left = (inFlight.get(webhook) ?? 0) + by
    if (left > 0) inFlight.set(webhook, left)
    else inFlight.delete(webhook)
  }

  const deliver = async (delivery: LiveDelivery, lease: string, message: MessageRowWithDeliveries | undefined) => {
    const { id, webhook_id, workspace_id, attempts, created } = delivery
    count(webhook_id, 1)
    const outcome = await attempt(delivery, message, stopping.signal, options).finally(() => count(webhook_id, -1))
    const record = recordOf({ id, lease, attempts, created }, outcome, clock.now(), Math.random())
    const gone = outcome.kind === 'failed' && outcome.gone
    await commit.add({ record, ...(gone && { gone: { workspace_id, id: webhook_id } }) })
    worker.wake()
  }

  const worker = startWorker({
    name: 'webhooks',
    log,
    pause: options.pause,
    async poll() {
      const now = clock.now()
      const lease = newLease()
      const busy = [...inFlight].map(([webhook_id, used]) => ({ webhook_id, room: SLOTS - used }))
      const claimed = await claimDeliveries(engine, { now, until: now + LEASE_MS, lease, busy, room: SLOTS })
      if (claimed.length === 0) return IDLE_MS
      const messages = await messagesOf(engine, claimed)
      for (const delivery of claimed) {
        const done = deliver(delivery, lease, messages.get(delivery.message_id ?? ''))
          .catch((error: unknown) => logUnrecorded(log, delivery, error))
          .finally(() => running.delete(done))
        running.add(done)
      }
      return BUSY_MS
    },
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
