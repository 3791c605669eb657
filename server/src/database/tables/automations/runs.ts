/** Runs and their steps as they are read, listed, recorded, canceled and deleted; newest first, by id. */
import type { Selectable } from 'kysely'
import { timedIdFloor } from '../../../base/ids.ts'
import { jsonList, storableJson } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { byKey, expectRows, firstRow, guardPlan, query, type Row, recordset, rows, typesOf } from '../../query.ts'
import { columnTypes, type Schema } from '../../schema.generated.ts'
import { acceptedCounts } from '../messages/counts.ts'
import { isNew, type NewMessage, newColumns, newMessages, recordOf } from '../messages/live-messages.ts'
import { LIST_SOURCE, readableRun } from './live-runs.ts'

const short = ['id', 'status', 'source', 'template_id', 'created', 'updated', 'error'] as const

export type ShortRun = Selectable<Pick<Schema['runs'], (typeof short)[number]>>
export type RunRow = NonNullable<Awaited<ReturnType<typeof findRun>>>

export async function findRun(engine: Reader, workspaceId: number, id: string) {
  const selection = query
    .selectFrom('runs')
    .select([...short, 'mode', 'due_at', 'depth', 'cancelation_token', 'automation', 'start', 'state'])
  const row = await firstRow(engine, selection.where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && readableRun(engine.tokens, workspaceId, row)
}

export interface RunFilter {
  status?: string
  templateId?: string
  /** Started by this run. */
  parentId?: string
  /** Milliseconds since the epoch: started then or later, and started before. */
  from?: number
  before?: number
  cursor?: string
}

export async function listRuns(
  engine: Reader,
  workspaceId: number,
  { status, templateId, parentId, from, before, cursor }: RunFilter,
  limit: number,
): Promise<Page<ShortRun>> {
  let selection = query.selectFrom('runs').select(short).where('workspace_id', '=', workspaceId)
  if (status !== undefined) selection = selection.where('status', '=', status)
  if (templateId !== undefined) selection = selection.where('template_id', '=', templateId)
  if (parentId !== undefined) selection = selection.where('parent_id', '=', parentId)
  // By id, so that older partitions are not read.
  if (from !== undefined) selection = selection.where('id', '>=', timedIdFloor(from))
  if (before !== undefined) selection = selection.where('id', '<', timedIdFloor(before))
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** The newest run of each template. */
export async function latestRuns(
  engine: Reader,
  workspaceId: number,
  templateIds: readonly string[],
): Promise<ReadonlyMap<string, ShortRun>> {
  if (templateIds.length === 0) return new Map()
  const { rows: latest } = await engine.run<ShortRun>({
    text: `select r.* from unnest($2::text[]) as t (id) cross join lateral (
        select ${short.join(', ')} from runs
        where workspace_id = $1 and template_id = t.id collate "C" order by id desc limit 1) r`,
    values: [workspaceId, templateIds],
  })
  return new Map(latest.map((row) => [row.template_id ?? '', row]))
}

export interface ProgressCounts {
  counted: number
  runs: { status: string; count: number }[]
  steps: { position: number; status: string; count: number }[]
}

/** Counts the newest runs of a template in a time, and their steps, in one snapshot. */
export async function countProgress(
  engine: Reader,
  workspaceId: number,
  { templateId, from, before }: { templateId: string; from: number; before: number | undefined },
  limit: number,
): Promise<ProgressCounts> {
  const { rows: counts } = await engine.run<{ position: number | null; status: string; count: number }>({
    text: `with chosen as materialized (
        select id, status from runs
        where workspace_id = $1 and template_id = $2 and id >= $3 and ($4::text is null or id < $4::text collate "C")
        order by id desc limit $5)
      select null::integer as position, status, count(*)::integer as count from chosen group by status
      union all
      select position, status, count(*)::integer from run_steps
        where run_id in (select id from chosen) and run_id >= $3 group by position, status
      order by 1, 2`,
    values: [workspaceId, templateId, timedIdFloor(from), before === undefined ? null : timedIdFloor(before), limit],
  })
  const runs = counts.flatMap(({ position, status, count }) => (position === null ? [{ status, count }] : []))
  const steps = counts.flatMap(({ position, status, count }) =>
    position === null ? [] : [{ position, status, count }],
  )
  return { counted: runs.reduce((sum, { count }) => sum + count, 0), runs, steps }
}

/** Deletes a bounded slice of ended runs with their steps, in weeks that a later run keeps. */
export async function dropRuns(engine: Engine, before: number, limit: number): Promise<number> {
  const text = `with old as materialized (select id from runs where id < $1 and due_at is null and updated < $3 limit $2),
      s as (delete from run_steps where run_id in (select id from old))
    delete from runs where id in (select id from old)`
  const [, deleted] = await engine.batch([guardPlan, { text, values: [timedIdFloor(before), limit, before] }])
  return deleted?.affected ?? 0
}

/** A stored step of a run. */
export type RunStepRow = Selectable<Schema['run_steps']>

/** The started steps in their order; an automation bounds how many. */
export function runSteps(engine: Reader, workspaceId: number, runId: string): Promise<RunStepRow[]> {
  const selection = query.selectFrom('run_steps').selectAll().where('workspace_id', '=', workspaceId)
  return rows(engine, selection.where('run_id', '=', runId).orderBy('position'))
}

// From here on nothing that a worker finds out about a canceled run is written.
const OVER = `status = 'CANCELED', due_at = null, lease = null`

/** The current step of a canceled run is canceled too. */
const STEP_OVER = `update run_steps s set status = 'CANCELED', updated = $1`

/** The run $2, $3 and the runs of its lists, if in progress. */
const WITH_LISTS = `ids as materialized (
    select id from runs where workspace_id = $2 and id = $3 and due_at is not null
    union all select id from runs
      where workspace_id = $2 and lane = 2 and source[1] = '${LIST_SOURCE}' || $3 and due_at is not null)`

const lockLists = `with ${WITH_LISTS} select $1::bigint from runs where id in (select id from ids) order by id for update`

/** With the runs of its lists, which go on when it has ended. False when all of them are over, or there is none. */
export function cancelRun(workspaceId: number, id: string, now: number): Statement[] {
  const text = `with ${WITH_LISTS}, steps as (
      ${STEP_OVER} where run_id in (select id from ids) and status in ('WAITING', 'PROCESSING'))
    update runs set ${OVER}, updated = $1 where id in (select id from ids)`
  const values = [now, workspaceId, id]
  return [guardPlan, { text: lockLists, values }, expectRows({ text, values })]
}

/**
 * Cancels every other run in progress with the token, in one statement: afterwards no worker can commit a step of them.
 * The result of the canceling step has their number.
 */
export const tokenCancellation = (
  { workspaceId, mode, token }: { workspaceId: number; mode: string; token: string },
  by: { runId: string; position: number },
  now: number,
): Statement => ({
  text: `with c as (
      update runs set ${OVER}, updated = $1
      where workspace_id = $2 and cancelation_token = $3 and id <> $4 and mode = $5 and due_at is not null returning id),
    counted as (
      update run_steps set result = (result::jsonb || jsonb_build_object('canceled', (select count(*) from c)))::text
      where run_id = $4 and position = $6)
    ${STEP_OVER} from c where s.run_id = c.id and s.status in ('WAITING', 'PROCESSING')`,
  values: [now, workspaceId, token, by.runId, mode, by.position],
  name: 'cancel-runs-by-token',
})

/** Locks the runs in one order before a cancellation: two runs that cancel each other wait instead of deadlocking. */
export const tokenLock = (workspaceId: number, mode: string, token: string, runId: string): Statement => ({
  text: `with held as materialized (
      select id from runs where workspace_id = $1 and cancelation_token = $2 and mode = $4 and due_at is not null
      union select $3)
    select 1 from runs where id in (select id from held) order by id for update`,
  values: [workspaceId, token, runId, mode],
  name: 'lock-runs-by-token',
})

const WRITTEN = ['id', 'lease', 'due_at', 'status', 'state', 'error', 'updated'] as const

/**
 * The run after the step, recorded in one commit with the step and its messages under the lease of the run. `due_at`:
 * when it can be claimed again; null if it has ended. Ignored while it continues.
 */
interface RunRecord extends Row<'runs', Exclude<(typeof WRITTEN)[number], 'lease'>> {
  /** The lease of the worker; a run with another lease is not written. */
  lease: string
  /** The same while the run continues; null if it waits or has ended. */
  next_lease: string | null
}

export interface RunChange {
  run: RunRecord
  /** Message ids are added to those of earlier pages of the step. */
  step: RunStepRow
  messages: readonly NewMessage[]
  /** The change is written only with this verdict. */
  verdict?: string
}

/** Message ids stored with a step; all messages have the run id. */
const MESSAGE_IDS_MAX = 100

// The step and the messages come with their run, so that nothing is joined but the run itself: without hash joins,
// which the guard of the plan forbids, every other join would look at each pair of rows.
const RECORD = {
  ...typesOf('runs', WRITTEN),
  ...typesOf('run_steps', ['position', 'workspace_id', 'action', 'started', 'result', 'reason', 'message_ids']),
  next_lease: columnTypes.runs.lease,
  step_status: columnTypes.run_steps.status,
  ended: columnTypes.run_steps.updated,
  verdict: 'text',
  messages: 'json',
}

const STEP = 'run_id, position, workspace_id, action, status, started, updated, result, reason, message_ids'

/**
 * `decides` are common table expressions that end with `v`, one row of a verdict and a time: only writes for this
 * verdict are made, and the run is due at that time; `returned` is a column of `v` that comes back. No row comes back
 * when nothing was written.
 */
export const recordText = (decides?: string, returned?: string) => {
  const meant = decides ? 'where verdict = (select verdict from v)' : ''
  const due = decides ? 'coalesce((select due_at from v), r.due_at)' : 'r.due_at'
  // While a run continues, due_at stays as renewals set it: no index is written.
  const kept = `case when r.next_lease is null then ${due} else t.due_at end`
  // The current claim stays counted; earlier claims are reset, because the run did not crash this worker.
  const claims = 'case when r.next_lease is null or t.claims > 1 then 0 else t.claims end'
  return `with ${decides ? `${decides},` : ''}
  r as materialized (select * from ${recordset('$1', 'r', RECORD)} ${meant}),
  u as (
    update runs t set lease = r.next_lease, due_at = ${kept}, claims = ${claims}, status = r.status, state = r.state,
      error = r.error, updated = r.updated
    from r where ${byKey('t.id', 'r.id')} and t.lease = r.lease
    returning r.*
  ),
  m as (
    insert into messages (${newColumns()})
    select ${newColumns('n')} from u, ${newMessages('u.messages', 'n')}
    where ${isNew('n.id')}
    on conflict do nothing returning workspace_id, enqueued
  ),
  c as (${acceptedCounts('m')})
  insert into run_steps as s (${STEP})
  select id, position, workspace_id, action, step_status, started, ended, result, reason, message_ids from u
  on conflict (run_id, position) do update set status = excluded.status, updated = excluded.updated,
    result = excluded.result, reason = excluded.reason,
    message_ids = (coalesce(s.message_ids, '{}') || coalesce(excluded.message_ids, '{}'))[:${MESSAGE_IDS_MAX}]
  returning run_id${decides ? ', (select verdict from v)' : ''}${returned ? `, (select ${returned} from v)` : ''}`
}

const record = recordText()

/** The only parameter of the statement. Data that a run fetched can hold characters that PostgreSQL rejects. */
export const recordValue = (changes: readonly RunChange[]): string =>
  storableJson(jsonList([...changes].sort((a, b) => (a.run.id < b.run.id ? -1 : 1)).map(jsonOf)))

function jsonOf({ run, step, messages, verdict }: RunChange): string {
  const { position, workspace_id, action, status, started, updated, result, reason, message_ids } = step
  const place = { position, workspace_id, action, started, result, message_ids }
  const columns = Object.assign({ verdict, step_status: status, ended: updated, reason }, place, run)
  return `${JSON.stringify(columns).slice(0, -1)},"messages":${jsonList(messages.map(recordOf))}}`
}

/** Returns the ids of the written runs; the others had lost their lease, and nothing of them is stored. */
export async function recordRuns(engine: Engine, changes: readonly RunChange[]): Promise<ReadonlySet<string>> {
  const [, result] = await engine.batch([
    guardPlan,
    { text: record, values: [recordValue(changes)], name: 'record-runs' },
  ])
  return new Set((result?.rows ?? []).map((row) => String(row.run_id)))
}

/** A statement of a batch: with the writes after it all or nothing. It must touch: a run whose lease was lost writes none. */
export const recordStatement = (change: RunChange): Statement =>
  expectRows({ text: record, values: [recordValue([change])], name: 'record-runs' })
