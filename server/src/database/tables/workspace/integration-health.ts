/** Calls of integrations in buckets of time: added by every node, merged by the hour, dropped after a month. */
import { DAY, HOUR, MINUTE } from '../../../base/time/duration.ts'
import type { Engine, Reader } from '../../engine.ts'
import { columnList, guardPlan, query, type Row, recordset, rows, typesOf } from '../../query.ts'

const COLUMNS = [
  ...(['workspace_id', 'integration_id', 'span', 'at', 'calls', 'latencies'] as const),
  ...(['error', 'error_class', 'error_at', 'success_at'] as const),
]

/** Counts by the number of a class; the error is the latest one that is due to the integration. Times in milliseconds. */
export type HealthBucket = Row<'integration_health', (typeof COLUMNS)[number]>

/** Sums of two arrays; a release with more classes has the longer one. */
const sumOf = (column: string) => `(select array_agg(coalesce(a, 0) + coalesce(b, 0) order by n)
    from unnest(h.${column}, excluded.${column}) with ordinality as u(a, b, n))`

const later = (column: string) =>
  `${column} = case when excluded.error_at >= coalesce(h.error_at, 0) then excluded.${column} else h.${column} end`

const added = `on conflict (workspace_id, integration_id, span, at) do update set
    calls = ${sumOf('calls')}, latencies = ${sumOf('latencies')},
    ${later('error')}, ${later('error_class')}, ${later('error_at')},
    success_at = greatest(h.success_at, excluded.success_at)`

// Counts of an integration that was deleted meanwhile are left out.
const add = `insert into integration_health as h (${columnList(COLUMNS)})
  select ${columnList(COLUMNS, 'r')}
  from ${recordset('$1', 'r', typesOf('integration_health', COLUMNS))}
  where exists (select from integrations i where i.workspace_id = r.workspace_id and i.id = r.integration_id)
  order by 1, 2, 3, 4 ${added}`

/** A commit that was taken for failed is counted twice. */
export async function addHealth(engine: Engine, buckets: readonly HealthBucket[]): Promise<void> {
  await engine.batch([guardPlan, { text: add, values: [JSON.stringify(buckets)], name: 'add-health' }])
}

/** Buckets are merged by the hour after this time. */
const MERGED_MS = DAY
/** Hours are dropped after this time. */
const KEPT_MS = 30 * DAY

const summed = (column: string) => `select workspace_id, integration_id, hour, array_agg(calls order by n) as ${column}
    from (
      select workspace_id, integration_id, hour, n, sum(value)::integer as calls
      from old, unnest(${column}) with ordinality as u(value, n) group by 1, 2, 3, 4) s
    group by 1, 2, 3`

const merge = `with old as (
    delete from integration_health where (workspace_id, integration_id, span, at) in (
      select workspace_id, integration_id, span, at from integration_health
      where span < ${HOUR} and at < $1::bigint order by at limit $2)
    returning *, at - at % ${HOUR} as hour
  ),
  c as (${summed('calls')}),
  l as (${summed('latencies')}),
  e as (
    select distinct on (workspace_id, integration_id, hour) workspace_id, integration_id, hour, error, error_class, error_at
    from old order by workspace_id, integration_id, hour, error_at desc nulls last
  ),
  s as (
    select workspace_id, integration_id, hour, max(success_at) as success_at from old group by 1, 2, 3
  ),
  i as (
    insert into integration_health as h (${columnList(COLUMNS)})
    select workspace_id, integration_id, ${HOUR}, hour, calls, latencies, error, error_class, error_at, success_at
    from c join l using (workspace_id, integration_id, hour) join e using (workspace_id, integration_id, hour)
      join s using (workspace_id, integration_id, hour)
    order by 1, 2, 3, 4 ${added}
  )
  select count(*)::integer as merged from old`

/** Merges buckets that are older than a day by the hour, up to `limit` of them; returns how many. */
export async function mergeHealth(engine: Engine, now: number, limit: number): Promise<number> {
  const before = now - MERGED_MS - ((now - MERGED_MS) % HOUR)
  const { rows } = await engine.run<{ merged: number }>({ text: merge, values: [before, limit] })
  return rows[0]?.merged ?? 0
}

/** Deletes hours that are older than a month, up to `limit` of them; returns how many. */
export async function dropHealth(engine: Engine, now: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `delete from integration_health where (workspace_id, integration_id, span, at) in (
        select workspace_id, integration_id, span, at from integration_health where at < $1 limit $2)`,
    values: [now - KEPT_MS, limit],
  })
  return affected
}

/** Those of the start of `from` and later, oldest first. */
export const healthSince = (engine: Reader, workspaceId: number, id: string, from: number) =>
  rows(
    engine,
    query
      .selectFrom('integration_health')
      .select(['span', 'at', 'calls', 'latencies', 'error', 'error_class', 'error_at', 'success_at'])
      .where('workspace_id', '=', workspaceId)
      .where('integration_id', '=', id)
      .where('at', '>=', from - (from % (5 * MINUTE)))
      .orderBy('at'),
  )

/** The same for every integration of a workspace, with its id. */
export const workspaceHealthSince = (engine: Reader, workspaceId: number, from: number) =>
  rows(
    engine,
    query
      .selectFrom('integration_health')
      .select(['integration_id', 'span', 'at', 'calls', 'latencies', 'error', 'error_class', 'error_at', 'success_at'])
      .where('workspace_id', '=', workspaceId)
      .where('at', '>=', from - (from % (5 * MINUTE)))
      .orderBy('at'),
  )
