/** Cancels messages: at once where no node has leased them, else by the node that has, unless it calls a provider. */
import { setTimeout as pause } from 'node:timers/promises'
import { failpoint } from '../base/failpoint.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Engine, Statement } from '../database/engine.ts'
import {
  type CanceledRows,
  cancelStates,
  cancelUnleased,
  requestCancel,
} from '../database/tables/messages/cancellations.ts'
import { cancelPayload, readCancelPayload } from './cancel-notification.ts'
import type { Runner } from './runner.ts'
import type { Canceled } from './send.ts'

export interface Cancellations {
  /** Resolves to `canceled` when no provider call for the message can start any more. */
  cancel(caller: CancelingCaller, messageId: string): Promise<Canceled>
  /**
   * The same for each of the messages; resolves with the number of those that are canceled by it. `audit` is stored with
   * the first of them, and before a node is requested to cancel any.
   */
  cancelMany(caller: CancelingCaller, messages: CanceledMessages, audit: Statement): Promise<number>
  /** This node cancels what others request. */
  listen(): Promise<void>
}

/** `name`: as the history names it: `key/<name>`, `operator`. */
export interface CancelingCaller {
  workspaceId: number
  name: string
}

export interface CanceledMessages {
  waiting: readonly string[]
  /** Those that a node works on. */
  leased: readonly string[]
}

export interface CancellationOptions {
  engine: Engine
  runner: Pick<Runner, 'has' | 'cancel'>
  metrics: Pick<Metrics, 'finished'>
  now(): number
}

/** Notifies nodes of messages that are to be canceled: one of them may have leased them. */
const CANCEL_CHANNEL = 'cancel'
/** A notification has 8,000 bytes, an id with its comma 36, the name of a key up to 1,024. */
const NAMED_MAX = 180
/** How long the node that leases a message may take. */
const ANSWER_MS = 1_000
const POLL_MS = 50
/** One commit of some 20 ms. */
const BATCH_MAX = 250

export function createCancellations(options: CancellationOptions): Cancellations {
  const { engine, runner } = options
  return {
    async cancel({ workspaceId, name: source }, id) {
      const message = { workspaceId, ids: [id], source }
      if ((await cancelRows(message, options)).length > 0) return 'canceled'
      const [row] = await cancelStates(engine, workspaceId, [id])
      if (!row) return 'missing'
      if (row.status === 'CANCELED') return 'canceled'
      if (row.due_at === null || row.sent !== null) return 'too_late'
      return (await cancelLeased(message, options)) > 0 ? 'canceled' : 'too_late'
    },
    async cancelMany({ workspaceId, name: source }, { waiting, leased }, audit) {
      let count = 0
      for (let from = 0; from < waiting.length; from += BATCH_MAX) {
        const batch = { workspaceId, ids: waiting.slice(from, from + BATCH_MAX), source }
        count += (await cancelRows(batch, options, count === 0 ? [audit] : [])).length
        failpoint('after-cancel-batch')
      }
      if (leased.length === 0) return count
      if (count === 0) await engine.run(audit)
      return count + (await cancelLeased({ workspaceId, ids: leased, source }, options))
    },
    listen: () =>
      engine.listen(CANCEL_CHANNEL, (payload) => {
        const { ids, source } = readCancelPayload(payload)
        for (const id of ids) void runner.cancel(id, { source })
      }),
  }
}

/** The ids of those that no node had leased, and none will. */
async function cancelRows(
  messages: CanceledRows,
  { engine, metrics, now }: CancellationOptions,
  also: readonly Statement[] = [],
): Promise<string[]> {
  const canceled = await cancelUnleased(engine, messages, now(), also)
  if (canceled.length > 0) metrics.finished.inc({ status: 'CANCELED' }, canceled.length)
  return canceled
}

/** Cancels what nodes have leased, as far as they call no provider; resolves with how many those are. */
async function cancelLeased(messages: CanceledRows, options: CancellationOptions): Promise<number> {
  const here = messages.ids.filter(options.runner.has)
  const others = new Set(messages.ids)
  for (const id of here) others.delete(id)
  const counts = await Promise.all([
    cancelInFlight({ ...messages, ids: here }, options),
    cancelElsewhere({ ...messages, ids: [...others] }, options),
  ])
  return counts[0] + counts[1]
}

async function cancelInFlight(
  { workspaceId, ids, source }: CanceledRows,
  { engine, runner }: CancellationOptions,
): Promise<number> {
  const ended = await Promise.all(ids.map((id) => runner.cancel(id, { source })))
  const states = await cancelStates(
    engine,
    workspaceId,
    ids.filter((_, index) => ended[index]),
  )
  return states.filter(({ status }) => status === 'CANCELED').length
}

async function cancelElsewhere(messages: CanceledRows, options: CancellationOptions): Promise<number> {
  const { workspaceId, ids, source } = messages
  if (ids.length === 0) return 0
  const { engine } = options
  await requestCancel(engine, messages, source)
  for (let from = 0; from < ids.length; from += NAMED_MAX)
    await engine.notify(CANCEL_CHANNEL, cancelPayload(ids.slice(from, from + NAMED_MAX), source))
  let canceled = 0
  let open = ids
  for (let waited = 0; waited < ANSWER_MS && open.length > 0; waited += POLL_MS) {
    await pause(POLL_MS)
    await cancelRows({ ...messages, ids: open }, options)
    const states = await cancelStates(engine, workspaceId, open)
    canceled += states.filter(({ status }) => status === 'CANCELED').length
    open = states.flatMap(({ id, due_at }) => (due_at === null ? [] : id))
  }
  if (open.length > 0) await requestCancel(engine, { workspaceId, ids: open }, null)
  return canceled
}
