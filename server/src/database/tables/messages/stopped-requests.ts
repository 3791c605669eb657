/** Requests that are paused or canceled, and the messages of theirs that have not ended. */
import type { Engine, Reader, Statement } from '../../engine.ts'
import { expectRows, guardPlan, query, type Row, rows, rowsOf, statement } from '../../query.ts'

/** How a request is stopped. */
export type Stop = 'paused' | 'canceled'

export interface StoppedRequest {
  id: string
  stopped: Stop
  /** `key/<name>`, `operator`. */
  by: string
}

interface RequestRow {
  workspaceId: number
  id: string
}

/**
 * Stops a request. A step that a worker has started is not written any more: its lease is gone. Affects no row where the
 * request is stopped in this way, or canceled.
 */
export function requestStop({ workspaceId, id }: RequestRow, stopped: Stop, by: string, now: number): Statement {
  const text = `update requests set stopped = $3, stopped_by = $4, stopped_at = $5, lease = null, claims = 0,
      status = case $3 when 'canceled' then 'CANCELED' else status end,
      due_at = case when $3 = 'canceled' or lease is not null then $5 else due_at end
    where workspace_id = $1 and id = $2 and stopped is distinct from $3 and stopped is distinct from 'canceled'`
  return expectRows({ text, values: [workspaceId, id, stopped, by, now] })
}

/** Affects no row where the request is not paused. */
export const requestResume = ({ workspaceId, id }: RequestRow): Statement =>
  expectRows(
    statement(
      query
        .updateTable('requests')
        .set({ stopped: null, stopped_by: null, stopped_at: null })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .where('stopped', '=', 'paused'),
    ),
  )

/** Those of the requests that are stopped. */
export async function stoppedAmong(engine: Reader, ids: readonly string[]): Promise<StoppedRequest[]> {
  const selection = query.selectFrom('requests').select(['id', 'stopped', 'stopped_by'])
  const stoppedRows = await rows(engine, selection.where('id', 'in', [...ids]).where('stopped', 'is not', null))
  return stoppedRows.map(({ id, stopped, stopped_by: by }) => ({ id, stopped: stopped as Stop, by: by ?? '' }))
}

export interface LiveOfRequest {
  /** Messages that have not ended, counted up to the limit. */
  live: number
  /** Those of them under a lease that has not expired: a node decides or delivers them. */
  leased: number
}

export async function countLiveOf(
  engine: Reader,
  { workspaceId, id }: RequestRow,
  now: number,
  limit: number,
): Promise<LiveOfRequest> {
  const { rows: counted } = await engine.run<LiveOfRequest>({
    text: `select count(*)::integer as live,
        (count(*) filter (where lease is not null and due_at >= $3))::integer as leased
      from (select lease, due_at from messages
        where workspace_id = $1 and request_id = $2 and due_at is not null limit $4) m`,
    values: [workspaceId, id, now, limit],
    name: 'count-live-of-request',
  })
  return counted[0] ?? { live: 0, leased: 0 }
}

/** Messages that wait, newest first: those that workers claim last. */
export async function waitingOf(
  engine: Reader,
  { workspaceId, id }: RequestRow,
  now: number,
  limit: number,
): Promise<string[]> {
  const text = `select id from messages
    where workspace_id = $1 and request_id = $2 and due_at is not null and sent is null and (lease is null or due_at < $3)
    order by id desc limit $4`
  const [, result] = await engine.batch([
    guardPlan,
    { text, values: [workspaceId, id, now, limit], name: 'waiting-of-request' },
  ])
  return rowsOf<{ id: string }>(result).map(({ id: messageId }) => messageId)
}

/**
 * Makes messages of the request due that a worker must look at again: those that it left because of a pause, and those
 * that were sent by one channel while another one waits. Messages with a time of their own wait for it.
 */
export async function wakeMessagesOf(engine: Engine, { workspaceId, id }: RequestRow, now: number): Promise<number> {
  const text = `update messages set due_at = $3,
      first_due = case when pinned is null then greatest(first_due, $3) else first_due end
    where workspace_id = $1 and request_id = $2 and due_at is not null and due_at > $3 and lease is null
      and first_due <= $3 and status <> 'HELD'`
  const [, result] = await engine.batch([guardPlan, { text, values: [workspaceId, id, now], name: 'wake-messages-of' }])
  return result?.affected ?? 0
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
  { workspaceId, id }: RequestRow,
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
