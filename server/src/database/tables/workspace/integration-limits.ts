/** State of integrations that all nodes share: circuit breakers that are not closed, and calls taken from limits. */
import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Engine, Reader } from '../../engine.ts'
import { countAffected, query, rows, statement } from '../../query.ts'
import type { Schema } from '../../schema.generated.ts'
import { repairMark } from '../messages/held-messages.ts'

/** Its version is that of the integration when it opened. */
export type BreakerRow = Selectable<Schema['integration_breakers']>

const breakers = query
  .selectFrom('integration_breakers as b')
  .innerJoin('integrations as i', (join) =>
    join
      .onRef('i.workspace_id', '=', 'b.workspace_id')
      .onRef('i.id', '=', 'b.integration_id')
      // A change of the integration has closed it.
      .onRef('i.version', '=', 'b.version'),
  )
  .select(['b.workspace_id', 'b.integration_id', 'b.version', 'b.since', 'b.reason', 'b.error', 'b.waits'])
  .select(['b.probe_at', 'b.probing', 'b.good', 'b.revision'])

/** Far more than can be of use; the others count as closed. */
const BREAKERS_MAX = 10_000

/** With the names of its integration, which a node that has not called it does not know. */
export type NamedBreakerRow = BreakerRow & { title: string; provider: string }

/** The breakers of every workspace. */
export const openBreakers = (engine: Reader): Promise<NamedBreakerRow[]> =>
  rows(engine, breakers.select(['i.title', 'i.provider']).limit(BREAKERS_MAX))

const insert = `insert into integration_breakers
    (workspace_id, integration_id, version, since, reason, error, waits, probe_at, probing, good, revision)
  select workspace_id, id, version, $4::bigint, $5, $6, $7::integer, $8::bigint, $9::boolean, $10::integer, $11::integer
  from integrations where workspace_id = $1 and id = $2 and version = $3
  on conflict (workspace_id, integration_id) do update set version = excluded.version, since = excluded.since,
    reason = excluded.reason, error = excluded.error, waits = excluded.waits, probe_at = excluded.probe_at,
    probing = excluded.probing, good = excluded.good, revision = excluded.revision
  where integration_breakers.version < excluded.version`

/** False when it is open already, or when the integration was changed since. Replaces that of an earlier version. */
export async function insertBreaker(engine: Engine, row: BreakerRow): Promise<boolean> {
  const { since, reason, error, waits, probe_at, probing, good, revision } = row
  const key = [row.workspace_id, row.integration_id, row.version]
  const values = [...key, since, reason, error, waits, probe_at, probing, good, revision]
  return (await engine.run({ text: insert, values })).affected === 1
}

// Good probes have shown that the integration is repaired: messages that wait for it are released.
const remove = `with gone as (
    delete from integration_breakers where workspace_id = $1 and integration_id = $2 and version = $3 and revision = $4
    returning workspace_id, integration_id
  )
  update integrations i set release_held = $5::bigint, release_due = $6::bigint, release_after = null, release_pass = 0
  from gone g where i.workspace_id = g.workspace_id and i.id = g.integration_id`

/** Writes the next revision, or deletes the row of a closed one. False when another node changed it first. */
export async function changeBreaker(
  engine: Engine,
  { workspace_id, integration_id, version, revision }: BreakerRow,
  change: Omit<BreakerRow, 'workspace_id' | 'integration_id' | 'version' | 'revision'> | undefined,
  now: number,
): Promise<boolean> {
  const update = query.updateTable('integration_breakers').set({ ...change, revision: revision + 1 })
  const isSeen = ({ and }: ExpressionBuilder<Schema, 'integration_breakers'>) =>
    and({ workspace_id, integration_id, version, revision })
  if (change) return (await countAffected(engine, update.where(isSeen))) === 1
  const { release_held, release_due } = repairMark(now)
  const values = [workspace_id, integration_id, version, revision, release_held, release_due]
  return (await engine.run({ text: remove, values })).affected === 1
}

/** False when it is closed. */
export async function deleteBreaker(engine: Engine, workspaceId: number, id: string): Promise<boolean> {
  const version = query.selectFrom('integrations').select('version').where('workspace_id', '=', workspaceId)
  const deletion = query
    .deleteFrom('integration_breakers')
    .where('workspace_id', '=', workspaceId)
    .where('integration_id', '=', id)
    .where('version', '=', version.where('id', '=', id))
  return (await countAffected(engine, deletion)) > 0
}

/** A request for calls of one integration. */
export interface CallRequest {
  workspaceId: number
  integrationId: string
  calls: number
  /** Between two calls, in microseconds; 0 without a limit per second. */
  intervalUs: number
  /** Calls that start later than this are not given. */
  withinUs: number
  perDay: number | null
  /** Days since the Unix epoch. */
  day: number
}

export interface GivenCalls {
  given: number
  /** Until the first of them may start; the others follow at the interval. */
  start_in_us: number
  /** The calls of the day, with these. */
  used: number
}

// The clock of the database spaces the calls of all nodes, whatever their own clocks show.
const take = `with clock as materialized (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now),
  seen as materialized (
    select now, greatest(next_at, now) as start, case when day = $7 then used else 0 end as used
    from integration_usage, clock where workspace_id = $1 and integration_id = $2 for update of integration_usage
  ),
  given as materialized (
    select start, used, greatest(0, least($3::bigint, (now + $5::bigint - start) / nullif($4::bigint, 0) + 1,
      $6::integer - used)) as calls
    from seen where start <= now + $5 or $4 = 0
  ),
  taken as (
    update integration_usage u set next_at = start + calls * $4, day = $7, used = given.used + calls
    from given where u.workspace_id = $1 and u.integration_id = $2 and calls > 0
  )
  select coalesce(given.calls, 0)::integer as given, (seen.start - seen.now)::bigint as start_in_us,
    (seen.used + coalesce(given.calls, 0))::integer as used
  from seen left join given on true`

/** Takes as many calls as the limits leave. One row for each integration, locked for one statement. */
export async function takeCalls(engine: Engine, request: CallRequest): Promise<GivenCalls> {
  const { workspaceId, integrationId, calls, intervalUs, withinUs, perDay, day } = request
  const values = [workspaceId, integrationId, calls, intervalUs, withinUs, perDay, day]
  const row = (await engine.run<GivenCalls>({ text: take, values, name: 'take-calls' })).rows[0]
  if (row) return row
  const first = query
    .insertInto('integration_usage')
    .values({ workspace_id: workspaceId, integration_id: integrationId, next_at: 0, day, used: 0 })
    .onConflict((conflict) => conflict.doNothing())
  const [, result] = await engine.batch([statement(first), { text: take, values }])
  return (result?.rows[0] as GivenCalls | undefined) ?? { given: 0, start_in_us: 0, used: 0 }
}

/** The state that the API shows of an integration beside its row. */
export interface LimitState {
  breaker?: BreakerRow
  usedOn?: { day: number; used: number }
}

export async function limitStates(
  engine: Reader,
  workspaceId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LimitState>> {
  if (ids.length === 0) return new Map()
  const usage = query
    .selectFrom('integration_usage')
    .select(['integration_id', 'day', 'used'])
    .where('workspace_id', '=', workspaceId)
    .where('integration_id', 'in', [...ids])
  const open = breakers.where('b.workspace_id', '=', workspaceId).where('b.integration_id', 'in', [...ids])
  const [usageRows, breakerRows] = await Promise.all([rows(engine, usage), rows(engine, open)])
  return new Map(
    ids.map((id): [string, LimitState] => {
      const breaker = breakerRows.find(({ integration_id }) => integration_id === id)
      const used = usageRows.find(({ integration_id }) => integration_id === id)
      return [id, { ...(breaker && { breaker }), ...(used && { usedOn: { day: used.day, used: used.used } }) }]
    }),
  )
}

/** A class of advisory locks of its own: each node that delivers holds one, as long as its connection lives. */
export const NODE_LOCKS = 7_305_026

/** The nodes that deliver, by the number each of them chose. */
export async function deliveringNodes(engine: Reader): Promise<number[]> {
  const { rows } = await engine.run<{ node: number }>({
    text: `select objid::bigint as node from pg_locks
      where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database()) order by objid`,
    values: [NODE_LOCKS],
  })
  return rows.map(({ node }) => node)
}
