/** Requests that are paused or canceled, and the messages of theirs that have not ended. */

import { MINUTE, SECOND } from '../../../base/time/duration.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { byKey, expectRows, guardPlan, type Row, recordset, rowsOf, typesOf } from '../../query.ts'
import { LANES } from './lanes.ts'

/** How a request is stopped. */
export type Stop = 'paused' | 'canceled'

export interface StoppedRequest {
  id: string
  stopped: Stop
  /** `key/<name>`, `operator`. */
  by: string
}

/** The keys of a request. */
interface RequestKey {
  workspaceId: number
  id: string
}

/** Added to the lane while a request is stopped: nodes of the version before, which know no stop, do not claim it. */
const STOPPED_LANE = 10

/**
 * Stops a request. A step that a worker has started is not written any more: its lease is gone. Affects no row where the
 * request is stopped in this way, or canceled.
 */
export function requestStop({ workspaceId, id }: RequestKey, stopped: Stop, by: string, now: number): Statement {
  const text = `update requests set stopped = $3, stopped_by = $4, stopped_at = $5, lease = null, claims = 0,
      lane = case when stopped is null then lane + ${STOPPED_LANE} else lane end,
      status = case $3 when 'canceled' then 'CANCELED' else status end,
      due_at = case when $3 = 'canceled' or lease is not null then $5 else due_at end
    where workspace_id = $1 and id = $2 and stopped is distinct from $3 and stopped is distinct from 'canceled'`
  return expectRows({ text, values: [workspaceId, id, stopped, by, now] })
}

/** Affects no row where the request is not paused. */
export const requestResume = ({ workspaceId, id }: RequestKey): Statement =>
  expectRows({
    text: `update requests set stopped = null, stopped_by = null, stopped_at = null, lane = lane - ${STOPPED_LANE}
      where workspace_id = $1 and id = $2 and stopped = 'paused'`,
    values: [workspaceId, id],
  })

/** Those of the requests that are stopped. */
export async function stoppedAmong(engine: Reader, ids: readonly string[]): Promise<StoppedRequest[]> {
  const text = `select q.id, q.stopped, q.stopped_by from json_array_elements_text($1::json) as r(id)
    join requests q on ${byKey('q.id', 'r.id')} where q.stopped is not null`
  const [, result] = await engine.batch([guardPlan, { text, values: [JSON.stringify(ids)], name: 'stopped-among' }])
  return rowsOf<{ id: string; stopped: Stop; stopped_by: string | null }>(result).map(
    ({ id, stopped, stopped_by: by }) => ({ id, stopped, by: by ?? '' }),
  )
}

/** Whether any of its messages has not ended. */
export async function hasLiveMessages(engine: Reader, { workspaceId, id }: RequestKey): Promise<boolean> {
  const text = `select exists (select from messages_live
    where workspace_id = $1 and request_id = $2) as live`
  const [, result] = await engine.batch([guardPlan, { text, values: [workspaceId, id], name: 'live-of-request' }])
  return rowsOf<{ live: boolean }>(result)[0]?.live ?? false
}

/** Leases are renewed to at most so much later; a longer one is found when it is nearer to its end. */
const LEASE_MAX_MS = 2 * MINUTE
const LEASED_MAX = 1_000

/** Those under a lease are due within minutes, whatever number of messages waits. */
const leasedBetween = (from: string, to: string) =>
  `lane in (${LANES.join(', ')}) and due_at between ${from} and ${to} and lease is not null`

/** Messages of it that nodes decide or deliver, up to a thousand. */
export async function countLeased(engine: Reader, { workspaceId, id }: RequestKey, now: number): Promise<number> {
  const text = `with soon as materialized (
      select workspace_id, request_id from messages_live where ${leasedBetween('$3', '$4')})
    select count(*)::integer as leased from (
      select from soon where workspace_id = $1 and request_id = $2 limit ${LEASED_MAX}) m`
  const values = [workspaceId, id, now, now + LEASE_MAX_MS]
  const [, result] = await engine.batch([guardPlan, { text, values, name: 'leased-of-request' }])
  return rowsOf<{ leased: number }>(result)[0]?.leased ?? 0
}

/** Whether a node decides or delivers a message of any environment. */
export async function areMessagesLeased(engine: Reader, now: number): Promise<boolean> {
  const text = `select exists (select from messages_live where ${leasedBetween('$1', '$2')}) as leased`
  const values = [now, now + LEASE_MAX_MS]
  const [, result] = await engine.batch([guardPlan, { text, values, name: 'messages-leased' }])
  return rowsOf<{ leased: boolean }>(result)[0]?.leased ?? false
}

/** The longest lease that can be configured, and the time between two heartbeats. */
const LEASE_END_MS = 11 * MINUTE
/** Messages that were due then, and wait, are read for so long at most. */
const ABANDONED_TIMEOUT_MS = SECOND / 2

/**
 * Messages that each of the dead nodes left, and that no other node has claimed since, up to a thousand: its
 * leases ended soon after.
 */
export async function countAbandoned(
  engine: Reader,
  nodes: readonly { id: string; seen: number }[],
): Promise<ReadonlyMap<string, number>> {
  if (nodes.length === 0) return new Map()
  const text = `select n.id, (select count(*)::integer from (
      select from messages_live where ${leasedBetween('n.seen', `n.seen + ${LEASE_END_MS}`)} and starts_with(lease, n.id || '-')
      limit ${LEASED_MAX}) m) as count from ${recordset('$1', 'n', typesOf('nodes', ['id', 'seen']))}`
  const values = [JSON.stringify(nodes.map(({ id, seen }) => ({ id, seen })))]
  const [, , result] = await engine.batch([
    guardPlan,
    { text: `set local statement_timeout = ${ABANDONED_TIMEOUT_MS}` },
    { text, values, name: 'messages-abandoned' },
  ])
  return new Map(rowsOf<{ id: string; count: number }>(result).map(({ id, count }) => [id, count]))
}

/** Messages that wait, newest first: those that workers claim last. */
export async function waitingOf(
  engine: Reader,
  { workspaceId, id }: RequestKey,
  now: number,
  limit: number,
): Promise<string[]> {
  const text = `select id from messages_live
    where workspace_id = $1 and request_id = $2 and sent is null and (lease is null or due_at < $3)
    order by id desc limit $4`
  const [, result] = await engine.batch([
    guardPlan,
    { text, values: [workspaceId, id, now, limit], name: 'waiting-of-request' },
  ])
  return rowsOf<{ id: string }>(result).map(({ id: messageId }) => messageId)
}

/**
 * Puts off the due messages of a paused request that no worker has, so that none has to claim and leave them: for once to
 * twice the time.
 */
export async function putOffPaused(
  engine: Engine,
  { workspaceId, id }: RequestKey,
  { now, ms }: { now: number; ms: number },
): Promise<void> {
  const text = `update messages_live set due_at = $3 + ((1 + random()) * $4)::bigint
    where workspace_id = $1 and request_id = $2 and due_at <= $3 and lease is null
      and status in ('ENQUEUED', 'ROUTED')`
  await engine.batch([guardPlan, { text, values: [workspaceId, id, now, ms], name: 'put-off-paused' }])
}

/** Makes messages due that workers left because of the pause of their request: until then they have no time of their own. */
export async function wakePaused(engine: Engine, { workspaceId, id }: RequestKey, now: number): Promise<void> {
  const text = `update messages_live set due_at = $3,
      first_due = case when pinned is null then greatest(first_due, $3) else first_due end
    where workspace_id = $1 and request_id = $2 and due_at > $3 and lease is null
      and status in ('ENQUEUED', 'ROUTED')`
  await engine.batch([guardPlan, { text, values: [workspaceId, id, now], name: 'wake-paused' }])
}

/** Makes messages of a canceled request due that one channel has sent, while another one waits: a worker ends them. */
export async function wakeSent(engine: Engine, { workspaceId, id }: RequestKey, now: number): Promise<void> {
  const text = `update messages_live set due_at = $3
    where workspace_id = $1 and request_id = $2 and due_at > $3 and lease is null
      and sent is not null`
  await engine.batch([guardPlan, { text, values: [workspaceId, id, now], name: 'wake-sent' }])
}

/** The end of a step of a canceled request: due again, or null when none of its messages is left. */
export async function stepOfCanceled(
  engine: Engine,
  { id, lease }: Pick<Row<'requests', 'id'>, 'id'> & { lease: string },
  dueAt: number | null,
): Promise<void> {
  await engine.run({
    text: `update requests set due_at = $3, lease = null, claims = 0 where id = $1 and lease = $2`,
    values: [id, lease, dueAt],
    name: 'step-of-canceled',
  })
}

/** Its messages by status, counted up to the limit. */
export async function statusesOfRequest(
  engine: Reader,
  { workspaceId, id }: RequestKey,
  limit: number,
): Promise<{ status: string; count: number }[]> {
  const text = `select status, count(*)::integer as count from (
      select status from messages where workspace_id = $1 and request_id = $2 order by id limit $3) m
    group by status order by count desc, status`
  const [, result] = await engine.batch([
    guardPlan,
    { text, values: [workspaceId, id, limit], name: 'statuses-of-request' },
  ])
  return rowsOf(result)
}

/** Requests that wait for their time, and those that are paused; each counted up to a thousand. */
export async function countWaitingRequests(
  engine: Reader,
  workspaceId: number,
  now: number,
): Promise<{ scheduled: number; paused: number }> {
  const text = `select
      (select count(*)::integer from (select from requests where due_at > $2 and not_before > $2 and workspace_id = $1
        and stopped is null limit 1000) s) as scheduled,
      (select count(*)::integer from (select from requests where workspace_id = $1 and stopped = 'paused' limit 1000) p) as paused`
  const { rows: counted } = await engine.run<{ scheduled: number; paused: number }>({
    text,
    values: [workspaceId, now],
  })
  return counted[0] ?? { scheduled: 0, paused: 0 }
}
