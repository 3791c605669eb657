/** Tells webhooks what happened: every webhook has slots of its own, so that one that hangs keeps nobody else waiting. */

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
  /** Webhooks are not called while it lasts; absent: there is none. */
  pause?: Pause
}

export interface Webhooks {
  wake(): void
  /** Gives what is under way a moment; the rest is told again later. */
  stop(): Promise<void>
}

/** A webhook that answers in 50 ms hears of 320 changes a second from each node. */
const SLOTS = 16
/** An attempt and its record; a dead worker's deliveries are taken over after it. */
const LEASE_MS = TIMEOUT_MS + 20 * SECOND
/** While there is something to do: deliveries that come at the same time share a claim. */
const BUSY_MS = 20
/** Results that come at the same time share a commit; nobody waits for it. */
const PACE_MS = 10
/** With the pipeline's own grace a stop stays below 30 s. */
const GRACE_MS = 3 * SECOND

interface Result {
  record: DeliveryRecord
  gone?: { workspace_id: number; id: string }
}

export function startWebhooks(options: WebhooksOptions): Webhooks {
  const { engine, clock, log } = options
  const underWay = new Map<string, number>()
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
      for (const { id } of gone) log.warn({ webhook: id }, 'a webhook answered 410 and is switched off')
      return results.map(() => undefined)
    },
  })

  const count = (webhook: string, by: number) => {
    const left = (underWay.get(webhook) ?? 0) + by
    if (left > 0) underWay.set(webhook, left)
    else underWay.delete(webhook)
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
      const busy = [...underWay].map(([webhook_id, used]) => ({ webhook_id, room: SLOTS - used }))
      const claimed = await claimDeliveries(engine, { now, until: now + LEASE_MS, lease, busy, room: SLOTS })
      if (claimed.length === 0) return IDLE_MS
      const messages = await messagesOf(engine, claimed)
      for (const delivery of claimed) {
        const done = deliver(delivery, lease, messages.get(delivery.message_id ?? ''))
          .catch((error: unknown) => notWritten(log, delivery, error))
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

/** It is delivered once more when its lease has run out. */
function notWritten(log: Log, { webhook_id: webhook }: LiveDelivery, error: unknown): void {
  log[failureLevel(error)]({ err: error, webhook }, 'what a webhook answered could not be written')
}

async function messagesOf(engine: Engine, claimed: readonly LiveDelivery[]) {
  const asked = claimed.flatMap(({ workspace_id, message_id }) => (message_id ? [{ workspace_id, message_id }] : []))
  const rows = asked.length > 0 ? await findMessages(engine, asked) : []
  return new Map(rows.map((row) => [row.id, row]))
}
