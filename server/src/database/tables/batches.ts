/** What runs put together: one open batch a key, whose first run waits for it; an item is in exactly one batch. */
import { type Engine, Overtaken, type Statement } from '../engine.ts'
import { mustTouch } from '../query.ts'
import { guardPlan } from './live-messages.ts'
import { type RunChange, recordText, recordValue } from './run-records.ts'

export interface Collecting {
  /** Of a batch that is opened. */
  id: string
  workspaceId: number
  mode: string
  /** A digest. */
  key: string
  waitMs: number
  maxWaitMs: number
  maxItems: number
  /** JSON text. */
  item: string
  now: number
}

// A batch whose run is over (it was cancelled) is taken over with its items by the next run that adds to it. What comes
// between the end of a batch and its closing goes along with it. Whoever fills it wakes its run; a run that is being
// worked on finds it full itself.
const collect = recordText(`held as materialized (select 1 from runs where id = $2 and lease = $3),
  b as (
    insert into batches as b (id, workspace_id, mode, key, run_id, is_open, items, items_max, closes, closes_max)
    select $4::text, $5::smallint, $6::text, $7::text, $2::text, $10::integer > 1, 1, $10::integer,
      least($11::bigint + $8::bigint, $11::bigint + $9::bigint), $11::bigint + $9::bigint
    from held
    on conflict (workspace_id, mode, key) where is_open do update set
      items = b.items + 1,
      is_open = b.items + 1 < b.items_max,
      closes = case when b.closes <= $11 then b.closes else least($11 + $8::bigint, b.closes_max) end,
      id = case when exists (select 1 from runs o where o.id = b.run_id and o.due_at is not null) then b.id else excluded.id end,
      run_id = case when exists (select 1 from runs o where o.id = b.run_id and o.due_at is not null) then b.run_id else excluded.run_id end
    returning id, run_id, items, is_open, closes
  ),
  i as (insert into batch_items (batch_id, position, workspace_id, run_id, item) select id, items, $5, $2, $12 from b),
  o as (
    update runs t set due_at = case when t.lease is null then $11 else t.due_at end
    from b where not b.is_open and t.id = b.run_id and b.id <> $4 and t.due_at is not null
  ),
  v as (
    select case when id = $4 then 'opened' else 'added' end as verdict,
      case when id <> $4 then null when is_open then closes else $11 end as due_at
    from b
  )`)

/** Which of the two changes was written; lost: the lease was, and nothing is added. */
export async function collectItem(
  engine: Engine,
  { id, workspaceId, mode, key, waitMs, maxWaitMs, maxItems, item, now }: Collecting,
  { opened, added }: { opened: RunChange; added: RunChange },
): Promise<'opened' | 'added' | 'lost'> {
  const own = opened.run
  const record = recordValue([
    { ...opened, verdict: 'opened' },
    { ...added, verdict: 'added' },
  ])
  const values = [record, own.id, own.lease, id, workspaceId, mode, key, waitMs, maxWaitMs, maxItems, now, item]
  try {
    const write = mustTouch({ text: collect, values, name: 'collect-item' })
    const [, result] = await engine.batch([guardPlan, write], 'record')
    return result?.rows[0]?.verdict === 'opened' ? 'opened' : 'added'
  } catch (error) {
    if (error instanceof Overtaken) return 'lost'
    throw error
  }
}

const hold = recordText(`b as materialized (select is_open, closes from batches where id = $2 for update),
  v as (select 'held' as verdict, coalesce((select case when is_open then closes end from b), $3::bigint) as due_at)`)

/** The run waits until its batch closes; one that is full or gone is closed at once. */
export const holding = (change: RunChange, batchId: string, now: number): Statement =>
  mustTouch({
    text: hold,
    values: [recordValue([{ ...change, verdict: 'held' }]), batchId, now],
    name: 'hold-batch',
  })

/** Touches nothing when something was added since it was read, or it is not to be closed yet. */
export const closing = (batchId: string, items: number, now: number): Statement =>
  mustTouch({
    text: 'delete from batches where id = $1 and items = $2 and (closes <= $3 or not is_open)',
    values: [batchId, items, now],
    name: 'close-batch',
  })

export interface BatchRow {
  items: number
  closes: number
  is_open: boolean
}

export async function findBatch(engine: Engine, id: string): Promise<BatchRow | undefined> {
  const text = 'select items, closes, is_open from batches where id = $1'
  return (await engine.run<BatchRow>({ text, values: [id], name: 'find-batch' })).rows[0]
}

/** JSON texts, in order, from this position on. */
export async function batchItems(engine: Engine, id: string, from: number, limit: number): Promise<string[]> {
  const { rows } = await engine.run<{ item: string }>({
    text: 'select item from batch_items where batch_id = $1 and position >= $2 order by position limit $3',
    values: [id, from, limit],
    name: 'batch-items',
  })
  return rows.map(({ item }) => item)
}

/** A bounded slice of what no run waits for and none took over in time; the count says whether there may be more. */
export async function dropBatches(engine: Engine, before: number, limit: number): Promise<number> {
  const { affected } = await engine.run(
    {
      text: `delete from batches where id in (
        select id from batches b where closes_max < $1
          and not exists (select 1 from runs r where r.id = b.run_id and r.due_at is not null)
        limit $2)`,
      values: [before, limit],
    },
    'maintenance',
  )
  return affected
}
