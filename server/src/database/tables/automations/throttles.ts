/** Throttles: a use is counted in the statement that records the step. */
import type { Engine, Statement } from '../../engine.ts'
import { countAffected, expectRows, query } from '../../query.ts'
import { type RunChange, recordText, recordValue } from './runs.ts'

export interface Passage {
  workspaceId: number
  mode: string
  /** A digest. */
  key: string
  max: number
  periodMs: number
  now: number
}

// The window begins with the first use. A full window is unchanged, and nothing is written.
const pass = recordText(`held as materialized (select 1 from runs where id = $2 and lease = $3),
  t as (
    insert into throttles as t (workspace_id, mode, key, uses, ends)
    select $4::smallint, $5::text, $6::text, 1, $8::bigint + $7::bigint from held where $9::integer > 0
    on conflict (workspace_id, mode, key) do update set
      uses = case when t.ends <= $8 then 1 else t.uses + 1 end,
      ends = case when t.ends <= $8 then excluded.ends else t.ends end
    where t.ends <= $8 or t.uses < $9
    returning uses
  ),
  v as (select 'allowed' as verdict, null::bigint as due_at from t)`)

/** A statement of a batch: it affects no row if the window is full, or the lease was lost. */
export function passage(allowed: RunChange, { workspaceId, mode, key, max, periodMs, now }: Passage): Statement {
  const { id, lease } = allowed.run
  const record = recordValue([{ ...allowed, verdict: 'allowed' }])
  const values = [record, id, lease, workspaceId, mode, key, periodMs, now, max]
  return expectRows({ text: pass, values, name: 'pass-throttle' })
}

/** Deletes a bounded slice of expired windows; a full count means that there can be more. */
export function dropThrottles(engine: Engine, now: number, limit: number): Promise<number> {
  const over = query.selectFrom('throttles').select(['workspace_id', 'mode', 'key']).where('ends', '<=', now)
  return countAffected(
    engine,
    query
      .deleteFrom('throttles')
      .where('ends', '<=', now)
      .where(({ eb, refTuple }) =>
        eb(
          refTuple('workspace_id', 'mode', 'key'),
          'in',
          over.orderBy('ends').limit(limit).$asTuple('workspace_id', 'mode', 'key'),
        ),
      ),
  )
}
