/** Batches of runs: one open batch a key, whose first run waits for it; an item is in exactly one batch. */
import { ConflictError, type Engine, type Statement } from '../../engine.ts'
import { byKey, expectRows, guardPlan } from '../../query.ts'
import { type RunChange, recordText, recordValue } from './runs.ts'

/** No statement takes as long. */
const UNSEEN_MS = 3_600_000

export interface Collecting {
  /** The id of a batch that is opened. */
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

// An overdue batch takes no more items: the next run opens another one.
const ending = `update batches set is_open = false
  where workspace_id = $1 and mode = $2 and key = $3 and is_open and closes <= $4`

const isOver = (run: string) => `exists (select 1 from runs o where o.id = ${run} and o.due_at is null)`

// A batch whose run was canceled is taken over by the next run that adds to it, without the item of the canceled one:
// an empty item holds its place and counts for nothing. `old` is locked first, so that both see the same owner. A run
// that started after this statement is not seen and thus not over. The run that fills a batch wakes the waiting one;
// one that is being worked on finds it full itself.
const collect = recordText(
  `held as materialized (select 1 from runs where id = $2 and lease = $3),
  old as materialized (
    select id, run_id from batches where workspace_id = $5 and mode = $6 and key = $7 and is_open for update
  ),
  gone as (
    update batch_items i set item = '' from old where i.batch_id = old.id and i.run_id = old.run_id and ${isOver('old.run_id')}
  ),
  b as (
    insert into batches as b (id, workspace_id, mode, key, run_id, is_open, items, items_max, closes, closes_max)
    select $4::text, $5::smallint, $6::text, $7::text, $2::text, $10::integer > 1, 1, $10::integer,
      least($11::bigint + $8::bigint, $11::bigint + $9::bigint), $11::bigint + $9::bigint
    from held, (select count(*) from old) locked
    on conflict (workspace_id, mode, key) where is_open do update set
      items = b.items + 1,
      items_max = b.items_max + ${isOver('b.run_id')}::integer,
      is_open = b.items + 1 < b.items_max + ${isOver('b.run_id')}::integer,
      closes = case when b.items + 1 < b.items_max + ${isOver('b.run_id')}::integer
        then least($11 + $8::bigint, b.closes_max) else $11 end,
      id = case when ${isOver('b.run_id')} then excluded.id else b.id end,
      run_id = case when ${isOver('b.run_id')} then excluded.run_id else b.run_id end
    returning id, run_id, items, is_open, closes
  ),
  i as (insert into batch_items (batch_id, position, workspace_id, run_id, item) select id, items, $5, $2, $12 from b),
  o as (
    update runs t set due_at = case when t.lease is null then $11 else t.due_at end
    from b where not b.is_open and ${byKey('t.id', 'b.run_id')} and b.id <> $4 and t.due_at is not null
  ),
  v as (
    select case when id = $4 then 'opened' else 'added' end as verdict,
      case when id <> $4 then null when is_open then closes else $11 end as due_at,
      not is_open as filled
    from b
  )`,
  'filled',
)

/** Resolves with the written change and whether the batch is full; `lost`: the lease was lost, and nothing is added. */
export async function collectItem(
  engine: Engine,
  { id, workspaceId, mode, key, waitMs, maxWaitMs, maxItems, item, now }: Collecting,
  { opened, added }: { opened: RunChange; added: RunChange },
): Promise<{ verdict: 'opened' | 'added'; filled: boolean } | 'lost'> {
  const run = opened.run
  const record = recordValue([
    { ...opened, verdict: 'opened' },
    { ...added, verdict: 'added' },
  ])
  const values = [record, run.id, run.lease, id, workspaceId, mode, key, waitMs, maxWaitMs, maxItems, now, item]
  try {
    const write = expectRows({ text: collect, values, name: 'collect-item' })
    const end = { text: ending, values: [workspaceId, mode, key, now], name: 'end-batch' }
    const [, , result] = await engine.batch([guardPlan, end, write])
    const { verdict, filled } = result?.rows[0] ?? {}
    return { verdict: verdict === 'opened' ? 'opened' : 'added', filled: filled === true }
  } catch (error) {
    if (error instanceof ConflictError) return 'lost'
    throw error
  }
}

const hold = recordText(`b as materialized (select is_open, closes from batches where id = $2 for update),
  v as (select 'held' as verdict, coalesce((select case when is_open then closes end from b), $3::bigint) as due_at)`)

/** The run waits until its batch closes; it continues at once if the batch is full or does not exist. */
export const batchHold = (change: RunChange, batchId: string, now: number): Statement =>
  expectRows({
    text: hold,
    values: [recordValue([{ ...change, verdict: 'held' }]), batchId, now],
    name: 'hold-batch',
  })

/** Affects no row if an item was added since the batch was read, or the batch must stay open. */
export const closing = (batchId: string, items: number, now: number): Statement =>
  expectRows({
    text: 'delete from batches where id = $1 and items = $2 and (closes <= $3 or not is_open)',
    values: [batchId, items, now],
    name: 'close-batch',
  })

/** Deletes the batch of a failed run: its key is free for the next batch. */
export const batchDrop = (batchId: string, runId: string): Statement => ({
  text: 'delete from batches where id = $1 and run_id = $2',
  values: [batchId, runId],
})

export interface BatchRow {
  /** Includes items of canceled runs, which were removed again. */
  items: number
  live_items: number
  closes: number
  is_open: boolean
}

export async function findBatch(engine: Engine, id: string): Promise<BatchRow | undefined> {
  const text = `select items, closes, is_open, (select count(*)::integer from batch_items where batch_id = id and item <> '') as live_items
    from batches where id = $1`
  return (await engine.run<BatchRow>({ text, values: [id], name: 'find-batch' })).rows[0]
}

/** JSON texts, in order, from this one on, counted from 1. */
export async function batchItems(engine: Engine, id: string, from: number, limit: number): Promise<string[]> {
  const { rows } = await engine.run<{ item: string }>({
    text: "select item from batch_items where batch_id = $1 and item <> '' order by position offset $2 limit $3",
    values: [id, from - 1, limit],
    name: 'batch-items',
  })
  return rows.map(({ item }) => item)
}

// The row of an owner that is not there may be too new to be seen; one that stays away was canceled long ago.
const handOn = `with o as materialized (
    select b.id, b.run_id, r.status from batches b left join runs r on r.id = b.run_id
    where b.closes <= $1 and ((r.id is not null and r.due_at is null) or (r.id is null and b.closes <= $2))
      and not exists (
        select from dead_letters d where d.kind = 'run' and d.subject_id = b.run_id and d.released is null)
    limit $3 for update of b skip locked
  ),
  h as materialized (
    select o.id, o.run_id, i.heir, (i.state ->> 'position')::integer as position, i.state #>> '{waiting,batchId}' as next
    from o, lateral (
      select r.id as heir, r.state::json as state from batch_items i join runs r on r.id = i.run_id
      where i.batch_id = o.id and i.run_id <> o.run_id and i.item <> '' and r.status = 'PROCESSED' and r.state is not null
      order by i.position limit 1
    ) i
    where o.status is distinct from 'ERROR'
  ),
  gone as (update batch_items i set item = '' from h where i.batch_id = h.id and i.run_id = h.run_id),
  b as (update batches b set id = h.next, run_id = h.heir, is_open = false from h where b.id = h.id),
  d as (delete from batches b using o where b.id = o.id and o.id not in (select id from h)),
  s as (
    update run_steps s set status = 'WAITING', updated = $1 from h where s.run_id = h.heir and s.position = h.position
  ),
  r as (update runs r set status = 'WAITING', due_at = $1, updated = $1 from h where r.id = h.heir)
  select heir from o left join h using (id)`

/**
 * A bounded slice of the batches that should have closed and whose run was canceled: the first of the other runs that
 * added to them goes on in its place. A batch without another run is dropped, and that of a run that was given up waits
 * for its release. `slice`: how many there were.
 */
export async function handOnBatches(
  engine: Engine,
  now: number,
  limit: number,
): Promise<{ slice: number; handedOn: number }> {
  const [, result] = await engine.batch([guardPlan, { text: handOn, values: [now, now - UNSEEN_MS, limit] }])
  const rows = result?.rows ?? []
  return { slice: rows.length, handedOn: rows.filter(({ heir }) => heir !== null).length }
}
