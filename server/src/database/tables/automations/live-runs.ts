/** Runs as leased rows: inserted, claimed, renewed, released, dead-lettered; many rows in a statement. */
import type { Engine, Statement } from '../../engine.ts'
import { guardPlan, inLockOrder, rowsOf } from '../../query.ts'
import { TOKEN_MARK, type TokenCipher } from '../../token-cipher.ts'

/** Prefix of the `source` of a run for a subscriber, before the id of the run that sends to the list. */
export const LIST_SOURCE = 'send-list/'

export interface NewRun {
  id: string
  workspace_id: number
  mode: string
  lane: number
  due_at: number
  /** The lease of the process that starts it at once; null: it waits for a claim. */
  lease: string | null
  cancelation_token: string | null
  template_id: string | null
  source: readonly string[]
  depth: number
  root: string
  /** The run that started it. */
  parent_id: string | null
  created: number
  /** JSON texts. */
  automation: string
  start: string
  /** How often it was claimed; 1 where it is inserted leased. */
  claims?: number
}

const COLUMNS =
  'id, workspace_id, mode, lane, due_at, lease, cancelation_token, template_id, source, depth, root, parent_id, created, automation, start'

const insert = `insert into runs (${COLUMNS}, claims, status, updated)
  select ${COLUMNS}, coalesce(claims, 0), 'PROCESSING', created from json_to_recordset($1::json) as r(id text, workspace_id smallint,
    mode text, lane smallint, due_at bigint, lease text, cancelation_token text, template_id text, source text[], depth smallint,
    root text, parent_id text, created bigint, automation text, start text, claims smallint)
  on conflict (id) do nothing`

/** A run that exists already is unchanged: a second start has no effect. */
export const runsInsert = (runs: readonly NewRun[]): Statement => ({
  text: insert,
  values: [JSON.stringify(runs)],
  name: 'insert-runs',
})

/** A claimed run. */
export interface LiveRun extends Omit<NewRun, 'due_at' | 'lease' | 'claims' | 'parent_id'> {
  lease: string
  claims: number
  /** JSON text; null before its first step. */
  state: string | null
}

const LIVE = [
  ...COLUMNS.split(', ').filter((column) => column !== 'due_at' && column !== 'parent_id'),
  'claims',
  'state',
]
  .map((column) => `t.${column}`)
  .join(', ')

/** The size of a run in memory, without reading its texts. */
const BYTES = 'octet_length(automation) + octet_length(start) + coalesce(octet_length(state), 0)'

/**
 * Claims without an outcome that make a run a suspected poison run: it may have crashed its workers. From here on it is
 * claimed alone, and only those claims count, so that no run is dead-lettered for the crash of another.
 */
export const CLAIMS_SUSPECT = 2

// The index is read for each workspace, and workspaces take turns: many due runs of one do not delay those of another.
// Each workspace has a limit of its own, and one whose limit is zero costs nothing.
const shares = `shares as materialized (
    select w.id, coalesce(h.of1, $11::bigint) as of1, coalesce(h.of2, $12::bigint) as of2
    from workspaces w left join json_to_recordset($10::json) as h(id smallint, of1 bigint, of2 bigint) on h.id = w.id)`

const lanePick = (lane: 1 | 2, limit: string) =>
  `lane${lane} as materialized (
    select id, bytes, place, row_number() over (partition by root order by place) as nth from (
      select id, root, bytes, row_number() over (order by turn, due_at) as place from (
        select d.id, d.root, d.due_at, ${BYTES} as bytes, row_number() over (partition by w.id order by d.due_at) as turn
        from shares w, lateral (
          select id, root, due_at, automation, start, state from runs
          where lane = ${lane} and workspace_id = w.id and due_at <= $1 and claims < ${CLAIMS_SUSPECT}
            and root <> all(array(select json_array_elements_text($7::json)))
          order by due_at limit least(${limit}::bigint, w.of${lane}) for update skip locked) d) t) p
    where place <= ${limit}::bigint)`

const claim = `with ${shares}, ${lanePick(1, '$4')}, ${lanePick(2, '$5')},
  lone as materialized (
    select id from runs where due_at <= $1 and claims >= ${CLAIMS_SUSPECT} order by due_at limit $8 for update skip locked),
  picked as (
    select id from (
      select id, bytes, sum(bytes) over (order by lane, place) as sum
      from (select *, 1 as lane from lane1 where nth <= $9 union all select *, 2 from lane2) b) s
    where sum - bytes < $6::bigint
    union all select id from lone)
  update runs t set lease = $2, due_at = $3, claims = t.claims + 1 from picked where t.id = picked.id returning ${LIVE}`

/** Numbers of runs: in the ordinary lane, and in the lane of lists. */
export type ByLane = readonly [number, number]

export interface Claiming {
  now: number
  until: number
  lease: string
  limits: ByLane
  /** The limits of each workspace; `share` applies to those not named. */
  shares: readonly { workspaceId: number; limits: ByLane }[]
  share: ByLane
  /** The run that exceeds it is still claimed. */
  bytesMax: number
  /** No run of these roots is claimed, and at most `rootMax` of any other in the ordinary lane. */
  exceptRoots: readonly string[]
  rootMax: number
  /** Claims one suspected poison run too. */
  suspect: boolean
}

/** Claims the runs that have waited longest, of each workspace in turn. */
export async function claimRuns(engine: Engine, options: Claiming): Promise<LiveRun[]> {
  const { now, until, lease, limits, shares, share, bytesMax, exceptRoots, rootMax, suspect } = options
  const named = shares.map(({ workspaceId: id, limits: [of1, of2] }) => ({ id, of1, of2 }))
  const bounds = [...limits, bytesMax, JSON.stringify(exceptRoots), suspect ? 1 : 0, rootMax]
  const values = [now, lease, until, ...bounds, JSON.stringify(named), ...share]
  const [, result] = await engine.batch([guardPlan, { text: claim, values, name: 'claim-runs' }])
  return rowsOf<LiveRun>(result).map((row) => readableRun(engine.tokens, row.workspace_id, row))
}

/** Decrypts the texts of a run. */
export function readableRun<Row extends Pick<LiveRun, 'automation' | 'start' | 'state'>>(
  tokens: TokenCipher,
  workspaceId: number,
  row: Row,
): Row {
  const { automation, start, state } = row
  if (![automation, start, state].some((text) => text?.includes(TOKEN_MARK))) return row
  return {
    ...row,
    automation: tokens.decryptText(workspaceId, automation),
    start: tokens.decryptText(workspaceId, start),
    state: state && tokens.decryptText(workspaceId, state),
  }
}

/** When the next run after this time is due; undefined if there is none. */
export async function nextRunDue(engine: Engine, after: number): Promise<number | undefined> {
  const text = `select min(due) as due from workspaces w, (values (1), (2)) l(lane),
    lateral (select min(due_at) as due from runs where lane = l.lane and workspace_id = w.id and due_at > $1) d`
  const { rows } = await engine.run<{ due: number | null }>({ text, values: [after], name: 'next-run-due' })
  return rows[0]?.due ?? undefined
}

const HELD = 'json_to_recordset($1::json) as r(id text, lease text)'
const heldOf = (held: readonly { id: string; lease: string }[]) =>
  JSON.stringify(inLockOrder(held).map(({ id, lease }) => ({ id, lease })))

/** The ids whose lease was renewed; the others have another lease by now, or were canceled. */
export async function renewRuns(
  engine: Engine,
  held: readonly { id: string; lease: string }[],
  until: number,
): Promise<ReadonlySet<string>> {
  const text = `update runs t set due_at = $2 from ${HELD} where t.id = r.id and t.lease = r.lease returning t.id`
  const [, result] = await engine.batch([guardPlan, { text, values: [heldOf(held), until], name: 'renew-runs' }])
  return new Set((result?.rows ?? []).map((row) => String(row.id)))
}

/** Releases leased runs: due at this time, without counting the claim. */
export async function releaseRuns(
  engine: Engine,
  held: readonly { id: string; lease: string }[],
  now: number,
): Promise<void> {
  const text = `update runs t set lease = null, due_at = $2, claims = greatest(t.claims - 1, 0) from ${HELD}
    where t.id = r.id and t.lease = r.lease`
  await engine.batch([guardPlan, { text, values: [heldOf(held), now], name: 'release-runs' }])
}

/** Only where the owner of every lease is known to be dead; what may have ended it several times keeps its lease. */
export async function voidRunLeases(engine: Engine, now: number): Promise<void> {
  await engine.run({
    text: 'update runs set lease = null, due_at = $1 where due_at is not null and lease is not null and claims < 3',
    values: [now],
  })
}

/** Ends a run that no worker can continue, with the error at its current step. */
export async function deadLetterRun(
  engine: Engine,
  { id, lease }: { id: string; lease: string },
  step: { position: number; action: string; started: number },
  error: string,
  now: number,
): Promise<void> {
  const text = `with u as (
      update runs set status = 'ERROR', error = $3, due_at = null, lease = null, updated = $4
      where id = $1 and lease = $2 returning id, workspace_id)
    insert into run_steps (run_id, position, workspace_id, action, status, started, updated, reason)
    select id, $5::integer, workspace_id, $6, 'ERROR', $7::bigint, $4, $3 from u
    on conflict (run_id, position) do update set status = 'ERROR', updated = $4, reason = $3`
  const { position, action, started } = step
  const drop = `delete from batches where run_id = $1 and exists (select 1 from runs where id = $1 and lease = $2)`
  const values = [id, lease, error, now, position, action, started]
  await engine.batch([
    { text: drop, values: [id, lease] },
    { text, values },
  ])
}

/** Follows the statement that inserts it: a run that could not start is stored as failed. */
export const failRun = (id: string, error: string, now: number): Statement => ({
  text: `update runs set status = 'ERROR', error = $2, due_at = null, updated = $3 where id = $1`,
  values: [id, error, now],
})
