/** Cancels messages: at once where no node has leased them, else by the node that has, unless it calls a provider. */
import { setTimeout as pause } from 'node:timers/promises'
import { failpoint } from '../base/failpoint.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Engine, Statement } from '../database/engine.ts'
import { cancelStates, cancelUnleased, requestCancel } from '../database/tables/messages/cancellations.ts'
import type { Runner } from './runner.ts'
import type { Canceled } from './send.ts'

export interface Cancellations {
  /** Resolves to `canceled` when no provider call for the message can start any more. */
  cancel(workspaceId: number, messageId: string): Promise<Canceled>
  /**
   * The same for each of the messages; resolves with the number of those that are canceled by it. `audit` is stored with
   * the first of them, and before a node is requested to cancel any.
   */
  cancelMany(workspaceId: number, messages: CanceledMessages, audit: Statement): Promise<number>
  /** This node cancels what others request. */
  listen(): Promise<void>
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

/** Notifies nodes of messages that are to be canceled, as ids with a comma between: one of them may have leased them. */
const CANCEL_CHANNEL = 'cancel'
/** A notification has 8,000 bytes. */
const NAMED_MAX = 200
/** How long the node that leases a message may take. */
const ANSWER_MS = 1_000
const POLL_MS = 50
/** One commit of some 20 ms. */
const BATCH_MAX = 250

export function createCancellations(options: CancellationOptions): Cancellations {
  const { engine, runner } = options
  return {
    async cancel(workspaceId, id) {
      if ((await cancelRows(workspaceId, [id], options)).length > 0) return 'canceled'
      const [row] = await cancelStates(engine, workspaceId, [id])
      if (!row) return 'missing'
      if (row.status === 'CANCELED') return 'canceled'
      if (row.due_at === null || row.sent !== null) return 'too_late'
      return (await cancelLeased(workspaceId, [id], options)) > 0 ? 'canceled' : 'too_late'
    },
    async cancelMany(workspaceId, { waiting, leased }, audit) {
      let count = 0
      for (let from = 0; from < waiting.length; from += BATCH_MAX) {
        const batch = waiting.slice(from, from + BATCH_MAX)
        count += (await cancelRows(workspaceId, batch, options, count === 0 ? [audit] : [])).length
        failpoint('after-cancel-batch')
      }
      if (leased.length === 0) return count
      if (count === 0) await engine.run(audit)
      return count + (await cancelLeased(workspaceId, leased, options))
    },
    listen: () =>
      engine.listen(CANCEL_CHANNEL, (ids) => {
        for (const id of ids.split(',')) void runner.cancel(id)
      }),
  }
}

/** The ids of those that no node had leased, and none will. */
async function cancelRows(
  workspaceId: number,
  ids: readonly string[],
  { engine, metrics, now }: CancellationOptions,
  also: readonly Statement[] = [],
): Promise<string[]> {
  const canceled = await cancelUnleased(engine, workspaceId, ids, now(), also)
  if (canceled.length > 0) metrics.finished.inc({ status: 'CANCELED' }, canceled.length)
  return canceled
}

/** Cancels what nodes have leased, as far as they call no provider; resolves with how many those are. */
async function cancelLeased(
  workspaceId: number,
  ids: readonly string[],
  options: CancellationOptions,
): Promise<number> {
  const here = ids.filter(options.runner.has)
  const others = new Set(ids)
  for (const id of here) others.delete(id)
  const counts = await Promise.all([
    cancelInFlight(workspaceId, here, options),
    cancelElsewhere(workspaceId, [...others], options),
  ])
  return counts[0] + counts[1]
}

async function cancelInFlight(
  workspaceId: number,
  ids: readonly string[],
  { engine, runner }: CancellationOptions,
): Promise<number> {
  const ended = await Promise.all(ids.map((id) => runner.cancel(id)))
  const states = await cancelStates(
    engine,
    workspaceId,
    ids.filter((_, index) => ended[index]),
  )
  return states.filter(({ status }) => status === 'CANCELED').length
}

async function cancelElsewhere(
  workspaceId: number,
  ids: readonly string[],
  options: CancellationOptions,
): Promise<number> {
  if (ids.length === 0) return 0
  const { engine } = options
  await requestCancel(engine, workspaceId, ids, true)
  for (let from = 0; from < ids.length; from += NAMED_MAX)
    await engine.notify(CANCEL_CHANNEL, ids.slice(from, from + NAMED_MAX).join(','))
  let canceled = 0
  let open = ids
  for (let waited = 0; waited < ANSWER_MS && open.length > 0; waited += POLL_MS) {
    await pause(POLL_MS)
    await cancelRows(workspaceId, open, options)
    const states = await cancelStates(engine, workspaceId, open)
    canceled += states.filter(({ status }) => status === 'CANCELED').length
    open = states.flatMap(({ id, due_at }) => (due_at === null ? [] : id))
  }
  if (open.length > 0) await requestCancel(engine, workspaceId, open, false)
  return canceled
}
