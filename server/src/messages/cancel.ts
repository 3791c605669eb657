/** Cancels a message: a 200 means that no provider call for the message can start any more. */
import type { Metrics } from '../base/metrics.ts'
import type { Engine } from '../database/engine.ts'
import { cancelState, cancelUnleased, requestCancel } from '../database/tables/messages/messages.ts'
import type { Runner } from './runner.ts'
import type { Canceled } from './send.ts'

/** Notifies nodes of a message that is to be canceled: one of them may have leased it. */
export const CANCEL_CHANNEL = 'cancel'

/** How long the node that leases the message may take. */
const ANSWER_MS = 1_000
const POLL_MS = 50

export interface CancelOptions {
  engine: Engine
  runner: Runner
  metrics: Metrics
  now(): number
}

export async function cancel(workspaceId: number, id: string, options: CancelOptions): Promise<Canceled> {
  const { engine, runner } = options
  if (await cancelRow(workspaceId, id, options)) return 'canceled'
  const row = await cancelState(engine, workspaceId, id)
  if (!row) return 'missing'
  if (row.status === 'CANCELED') return 'canceled'
  if (row.due_at === null || row.sent !== null) return 'too_late'
  if (runner.has(id)) return cancelInFlight(runner, engine, workspaceId, id)

  await requestCancel(engine, workspaceId, id, true)
  await engine.notify(CANCEL_CHANNEL, id)
  for (let waited = 0; waited < ANSWER_MS; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    if (await cancelRow(workspaceId, id, options)) return 'canceled'
    const later = await cancelState(engine, workspaceId, id)
    if (later?.status === 'CANCELED') return 'canceled'
    if (!later || later.due_at === null) return 'too_late'
  }
  await requestCancel(engine, workspaceId, id, false)
  return 'too_late'
}

/** True when no node had leased it, and none will. */
async function cancelRow(workspaceId: number, id: string, { engine, metrics, now }: CancelOptions): Promise<boolean> {
  const canceled = await cancelUnleased(engine, workspaceId, id, now())
  if (canceled) metrics.finished.inc({ status: 'CANCELED' })
  return canceled
}

async function cancelInFlight(runner: Runner, engine: Engine, workspaceId: number, id: string): Promise<Canceled> {
  if (!(await runner.cancel(id))) return 'too_late'
  const row = await cancelState(engine, workspaceId, id)
  return row?.status === 'CANCELED' ? 'canceled' : 'too_late'
}
