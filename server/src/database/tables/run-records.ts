/** What a step came to, in one commit under the run's lease: the step, the run's new state, the messages it sends. */
import { storableJson } from '../../base/json-bounds.ts'
import type { Engine, Statement } from '../engine.ts'
import { mustTouch } from '../query.ts'
import { guardPlan, inLockOrder, NEW_COLUMNS, NEW_RECORD, type NewMessage, recordOf } from './live-messages.ts'

/** The run afterwards. */
export interface RunRecord {
  id: string
  /** The lease the step was taken under; a run leased otherwise is left alone. */
  lease: string
  /** The same while the run is gone on with, until `due_at`; null when it waits or is over. */
  next_lease: string | null
  /** When it may be claimed again; null when it is over. */
  due_at: number | null
  status: string
  /** JSON text. */
  state: string | null
  error: string | null
  updated: number
}

export interface StepRecord {
  run_id: string
  position: number
  workspace_id: number
  action: string
  status: string
  started: number
  updated: number
  /** JSON text. */
  result: string | null
  error: string | null
  /** Added to those of an earlier part of the step. */
  message_ids: readonly string[] | null
}

export interface RunChange {
  run: RunRecord
  step: StepRecord
  messages: readonly NewMessage[]
  /** Written only when it is decided so. */
  verdict?: string
}

const STEP = 'run_id, position, workspace_id, action, status, started, updated, result, error, message_ids'

/** Message ids of one step that are kept with it; all of them carry the run's id. */
const MESSAGE_IDS_MAX = 100

/**
 * `decides` are common table expressions that end with `v`, one row of a verdict and a moment: only what is meant for
 * this verdict is written, and the moment is when the run comes due. No row comes back when nothing was written.
 */
export const recordText = (decides?: string) => {
  const meant = decides ? 'and verdict = (select verdict from v)' : ''
  const due = decides ? 'coalesce((select due_at from v), r.due_at)' : 'r.due_at'
  return `with ${decides ? `${decides},` : ''}
  r as materialized (
    select * from json_to_recordset($1::json) as r(id text, lease text, next_lease text, due_at bigint, status text,
      state text, error text, updated bigint, verdict text)
    where true ${meant}
  ),
  u as (
    update runs t set lease = r.next_lease, due_at = ${due}, claims = 0, status = r.status, state = r.state,
      error = r.error, updated = r.updated
    from r where t.id = r.id and t.lease = r.lease
    returning t.id
  ),
  m as (
    insert into messages (${NEW_COLUMNS})
    select ${NEW_COLUMNS} from json_to_recordset($3::json) as m(${NEW_RECORD}) where run_id in (select id from u)
    on conflict (id) do nothing
  )
  insert into run_steps as s (${STEP})
  select ${STEP} from json_to_recordset($2::json) as n(run_id text, position integer, workspace_id smallint,
    action text, status text, started bigint, updated bigint, result text, error text, message_ids text[], verdict text)
  where run_id in (select id from u) ${meant}
  on conflict (run_id, position) do update set status = excluded.status, updated = excluded.updated,
    result = excluded.result, error = excluded.error,
    message_ids = (coalesce(s.message_ids, '{}') || coalesce(excluded.message_ids, '{}'))[:${MESSAGE_IDS_MAX}]
  returning run_id${decides ? ', (select verdict from v)' : ''}`
}

const record = recordText()

/** What a run read from elsewhere is not checked at any door. */
const json = (rows: readonly unknown[]) => storableJson(JSON.stringify(rows))

export function recordValues(changes: readonly RunChange[]): string[] {
  const runs = changes.map(({ run, verdict }) => ({ ...run, ...(verdict !== undefined && { verdict }) }))
  const steps = changes.map(({ step, verdict }) => ({ ...step, ...(verdict !== undefined && { verdict }) }))
  const messages = changes.flatMap(({ messages }) => messages)
  return [json(inLockOrder(runs)), json(steps), storableJson(`[${messages.map(recordOf).join(',')}]`)]
}

/** The ids of the runs that were written; the others had lost their lease, and nothing of theirs is stored. */
export async function recordRuns(engine: Engine, changes: readonly RunChange[]): Promise<ReadonlySet<string>> {
  const [, result] = await engine.batch(
    [guardPlan, { text: record, values: recordValues(changes), name: 'record-runs' }],
    'record',
  )
  return new Set((result?.rows ?? []).map((row) => String(row.run_id)))
}

/** A statement of a batch: with the writes after it all or nothing. It must touch: a run whose lease was lost writes none. */
export const recordStatement = (change: RunChange): Statement =>
  mustTouch({ text: record, values: recordValues([change]), name: 'record-runs' })
