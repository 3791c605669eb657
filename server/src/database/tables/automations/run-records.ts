/** Records a step in one commit under the lease of the run: the step, the new state, and the messages. */
import { jsonList, storableJson } from '../../../base/json/json.ts'
import type { Engine, Statement } from '../../engine.ts'
import { expectRows, guardPlan } from '../../query.ts'
import { isNew, NEW_COLUMNS, NEW_RECORD, type NewMessage, recordOf } from '../messages/live-messages.ts'
import type { RunStepRow } from './runs.ts'

/** The run after the step. */
export interface RunRecord {
  id: string
  /** The lease of the worker; a run with another lease is not written. */
  lease: string
  /** The same while the run continues; null if it waits or has ended. */
  next_lease: string | null
  /** When it can be claimed again; null if it has ended. Ignored while it continues. */
  due_at: number | null
  status: string
  /** JSON text. */
  state: string | null
  error: string | null
  updated: number
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
const RECORD = `id text, lease text, next_lease text, due_at bigint, status text, state text, error text,
  updated bigint, verdict text, position integer, workspace_id smallint, action text, step_status text, started bigint,
  ended bigint, result text, reason text, message_ids text[], messages json`

const STEP = 'run_id, position, workspace_id, action, status, started, updated, result, reason, message_ids'

/**
 * `decides` are common table expressions that end with `v`, one row of a verdict and a moment: only what is meant for
 * this verdict is written, and the moment is when the run comes due; `told` is a column of `v` that comes back. No row comes back when nothing was written.
 */
export const recordText = (decides?: string, told?: string) => {
  const meant = decides ? 'where verdict = (select verdict from v)' : ''
  const due = decides ? 'coalesce((select due_at from v), r.due_at)' : 'r.due_at'
  // While a run continues, due_at stays as renewals set it: no index is written.
  const kept = `case when r.next_lease is null then ${due} else t.due_at end`
  // The current claim stays counted; earlier claims are reset, because the run did not crash this worker.
  const claims = 'case when r.next_lease is null or t.claims > 1 then 0 else t.claims end'
  return `with ${decides ? `${decides},` : ''}
  r as materialized (select * from json_to_recordset($1::json) as r(${RECORD}) ${meant}),
  u as (
    update runs t set lease = r.next_lease, due_at = ${kept}, claims = ${claims}, status = r.status, state = r.state,
      error = r.error, updated = r.updated
    from r where t.id = r.id and t.lease = r.lease
    returning r.*
  ),
  m as (
    insert into messages (${NEW_COLUMNS})
    select ${NEW_COLUMNS.replaceAll(/\w+/g, 'm.$&')} from u, json_to_recordset(u.messages) as m(${NEW_RECORD})
    where ${isNew('m.id')}
    on conflict do nothing
  )
  insert into run_steps as s (${STEP})
  select id, position, workspace_id, action, step_status, started, ended, result, reason, message_ids from u
  on conflict (run_id, position) do update set status = excluded.status, updated = excluded.updated,
    result = excluded.result, reason = excluded.reason,
    message_ids = (coalesce(s.message_ids, '{}') || coalesce(excluded.message_ids, '{}'))[:${MESSAGE_IDS_MAX}]
  returning run_id${decides ? ', (select verdict from v)' : ''}${told ? `, (select ${told} from v)` : ''}`
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
