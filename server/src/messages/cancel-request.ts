/** Cancels the messages of a canceled request in steps, which are the same after a crash. */
import { failpoint } from '../base/failpoint.ts'
import type { Metrics } from '../base/metrics.ts'
import { SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { cancelUnleased } from '../database/tables/messages/cancellations.ts'
import { hasLiveMessages, stepOfCanceled, waitingOf, wakeSent } from '../database/tables/messages/stopped-requests.ts'

export interface CancelStepOptions {
  engine: Engine
  metrics: Pick<Metrics, 'finished'>
  now(): number
}

/** One commit of some 20 ms. */
const BATCH_MAX = 250

/** Messages that no node has leased: the others end by themselves. Returns how many were canceled. */
export async function cancelSome(
  { workspaceId, id, by: source }: { workspaceId: number; id: string; by: string },
  { engine, metrics, now }: CancelStepOptions,
): Promise<number> {
  const time = now()
  const ids = await waitingOf(engine, { workspaceId, id }, time, BATCH_MAX)
  const canceled = await cancelUnleased(engine, { workspaceId, ids, source }, time)
  if (canceled.length > 0) metrics.finished.inc({ status: 'CANCELED' }, canceled.length)
  failpoint('after-cancel-batch')
  return canceled.length
}

/** Messages in delivery end with their attempt, at most a minute later. */
const AGAIN_MS = SECOND / 2

/** A step of a canceled request under its lease: the same after a crash, until none of its messages is left. */
export async function cancelStep(
  { workspace_id: workspaceId, id, lease, stopped_by: by }: LeasedRequest,
  options: CancelStepOptions,
): Promise<void> {
  const { engine, now } = options
  const canceled = await cancelSome({ workspaceId, id, by: by ?? '' }, options)
  // Those that were sent by one channel, and wait for another one.
  if (canceled === 0) await wakeSent(engine, { workspaceId, id }, now())
  const isLive = await hasLiveMessages(engine, { workspaceId, id })
  await stepOfCanceled(engine, { id, lease }, !isLive ? null : canceled > 0 ? now() : now() + AGAIN_MS)
}

interface LeasedRequest {
  workspace_id: number
  id: string
  lease: string
  stopped_by: string | null
}
