/** Cancelling: a 200 means that no provider call for the message can start any more. */
import type { Metrics } from '../base/metrics.ts'
import type { Engine } from '../database/engine.ts'
import { cancelUnleased, requestCancel, standing } from '../database/tables/messages/cancellations.ts'
import { ended } from './leased-message.ts'
import type { Runner } from './runner.ts'
import type { Canceled } from './send.ts'

/** Where nodes hear that a message they may be working on is to be stopped. */
export const CANCEL_CHANNEL = 'cancel'

/** How long a node that leases the message is given to answer. */
const ANSWER_MS = 1_000
const LOOK_MS = 50

export interface CancelOptions {
  engine: Engine
  runner: Runner
  metrics: Metrics
  now(): number
}

export async function cancel(workspaceId: number, id: string, options: CancelOptions): Promise<Canceled> {
  const { engine, runner } = options
  if (await cancelHere(workspaceId, id, options)) return 'canceled'
  const found = await standing(engine, workspaceId, id)
  if (!found) return 'missing'
  if (found.status === 'CANCELED') return 'canceled'
  if (found.due_at === null || found.sent !== null) return 'too_late'
  if (runner.find(id)) return stopHere(runner, engine, workspaceId, id)

  await requestCancel(engine, workspaceId, id, true)
  await engine.notify(CANCEL_CHANNEL, id)
  for (let waited = 0; waited < ANSWER_MS; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    if (await cancelHere(workspaceId, id, options)) return 'canceled'
    const later = await standing(engine, workspaceId, id)
    if (later?.status === 'CANCELED') return 'canceled'
    if (!later || later.due_at === null) return 'too_late'
  }
  await requestCancel(engine, workspaceId, id, false)
  return 'too_late'
}

/** True when nobody was working on it, and nobody will. */
async function cancelHere(workspaceId: number, id: string, { engine, metrics, now }: CancelOptions): Promise<boolean> {
  const canceled = await cancelUnleased(engine, workspaceId, id, now())
  if (canceled) metrics.finished.inc({ status: 'CANCELED' })
  return canceled
}

/** The message is in the hands of this process: it stops unless a provider is being called. */
async function stopHere(runner: Runner, engine: Engine, workspaceId: number, id: string): Promise<Canceled> {
  const leased = runner.find(id)
  if (!leased || leased.calling > 0) return 'too_late'
  leased.canceled = true
  await ended(leased)
  const found = await standing(engine, workspaceId, id)
  return found?.status === 'CANCELED' ? 'canceled' : 'too_late'
}
