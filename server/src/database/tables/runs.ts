/** Runs as jobs: started, claimed, renewed, given back, cancelled. Many rows a statement, never one by one. */
import type { Commit, Engine, Statement } from '../engine.ts'
import { committed, mustTouch } from '../query.ts'
import { guardPlan, inLockOrder } from './live-messages.ts'

export interface NewRun {
  id: string
  workspace_id: number
  mode: string
  due_at: number
  /** Leased to the process that starts it, which goes on with it at once; null: whoever claims it. */
  lease: string | null
  cancelation_token: string | null
  template_id: string | null
  source: readonly string[]
  depth: number
  root: string
  created: number
  /** JSON texts. */
  automation: string
  start: string
  /** How often it was claimed; 1 where it is inserted leased. */
  claims?: number
}

const COLUMNS =
  'id, workspace_id, mode, due_at, lease, cancelation_token, template_id, source, depth, root, created, automation, start'

const insert = `insert into runs (${COLUMNS}, claims, status, updated)
  select ${COLUMNS}, coalesce(claims, 0), 'PROCESSING', created from json_to_recordset($1::json) as r(id text, workspace_id smallint,
    mode text, due_at bigint, lease text, cancelation_token text, template_id text, source text[], depth smallint,
    root text, created bigint, automation text, start text, claims smallint)
  on conflict (id) do nothing`

/** A run that is there already is left alone: starting it twice starts it once. */
export const runsInsert = (runs: readonly NewRun[]): Statement => ({
  text: insert,
  values: [JSON.stringify(runs)],
  name: 'insert-runs',
})

/** A run as it is worked on. */
export interface LiveRun extends Omit<NewRun, 'due_at' | 'lease' | 'claims'> {
  lease: string
  claims: number
  /** JSON text; null before its first step. */
  state: string | null
}

const LIVE = [...COLUMNS.split(', ').filter((column) => column !== 'due_at'), 'claims', 'state']
  .map((column) => `t.${column}`)
  .join(', ')

/** Six: three quarters of a minute become 48 minutes. */
const DOUBLINGS_MAX = 6

const claim = `with picked as materialized (
    select id from runs where due_at <= $1 order by due_at limit $4 for update skip locked)
  update runs t set lease = $2, due_at = $1 + $3::bigint * (1 << least(t.claims, ${DOUBLINGS_MAX})),
    claims = least(t.claims + 1, 1000)
  from picked where t.id = picked.id returning ${LIVE}`

/**
 * Leases the runs that have waited longest. Each claim without an outcome doubles the lease: what ends its worker is
 * tried again, ever more seldom, and never given up.
 */
export async function claimRuns(
  engine: Engine,
  { now, leaseMs, lease, limit }: { now: number; leaseMs: number; lease: string; limit: number },
): Promise<LiveRun[]> {
  const [, result] = await engine.batch(
    [guardPlan, { text: claim, values: [now, lease, leaseMs, limit], name: 'claim-runs' }],
    'claim',
  )
  return (result?.rows ?? []) as unknown as LiveRun[]
}

/** When the next run comes due; undefined when there is none. */
export async function nextRunDue(engine: Engine): Promise<number | undefined> {
  const { rows } = await engine.run<{ due: number | null }>(
    { text: 'select min(due_at) as due from runs where due_at is not null', values: [], name: 'next-run-due' },
    'claim',
  )
  return rows[0]?.due ?? undefined
}

const HELD = 'json_to_recordset($1::json) as r(id text, lease text)'
const heldOf = (held: readonly { id: string; lease: string }[]) =>
  JSON.stringify(inLockOrder(held).map(({ id, lease }) => ({ id, lease })))

/** The ids whose lease was prolonged; the others belong to somebody else by now, or were cancelled. */
export async function renewRuns(
  engine: Engine,
  held: readonly { id: string; lease: string }[],
  until: number,
): Promise<ReadonlySet<string>> {
  const text = `update runs t set due_at = $2 from ${HELD} where t.id = r.id and t.lease = r.lease returning t.id`
  const [, result] = await engine.batch(
    [guardPlan, { text, values: [heldOf(held), until], name: 'renew-runs' }],
    'record',
  )
  return new Set((result?.rows ?? []).map((row) => String(row.id)))
}

/** Gives back what was leased and not ended: due at once, and not counted as a claim. */
export async function releaseRuns(
  engine: Engine,
  held: readonly { id: string; lease: string }[],
  now: number,
): Promise<void> {
  const text = `update runs t set lease = null, due_at = $2, claims = greatest(t.claims - 1, 0) from ${HELD}
    where t.id = r.id and t.lease = r.lease`
  await engine.batch([guardPlan, { text, values: [heldOf(held), now], name: 'release-runs' }], 'record')
}

/** Only where the owner of every lease is known to be dead; what may have ended it several times keeps its lease. */
export async function voidRunLeases(engine: Engine, now: number): Promise<void> {
  await engine.run(
    {
      text: 'update runs set lease = null, due_at = $1 where due_at is not null and lease is not null and claims < 3',
      values: [now],
    },
    'claim',
  )
}

const OVER = `status = 'CANCELED', due_at = null, lease = null`

/** The step that a cancelled run was at ends with it. */
const STEP_OVER = `update run_steps s set status = 'CANCELED', updated = $1`

/** False when it is over already, or there is none. */
export function cancelRun(commit: Commit, workspaceId: number, id: string, now: number): Promise<boolean> {
  const run = `update runs set ${OVER}, updated = $1 where workspace_id = $2 and id = $3 and due_at is not null`
  const step = `${STEP_OVER} where workspace_id = $2 and run_id = $3 and status in ('WAITING', 'PROCESSING')`
  const values = [now, workspaceId, id]
  return committed(commit, [mustTouch({ text: run, values }), { text: step, values }])
}

/**
 * Every run in progress that holds the token, but for the one that asks, in one statement: whatever a worker finds out
 * about them afterwards is not written.
 */
export const tokenCancellation = (workspaceId: number, token: string, except: string, now: number): Statement => ({
  text: `with c as (
      update runs set ${OVER}, updated = $1
      where workspace_id = $2 and cancelation_token = $3 and id <> $4 and due_at is not null returning id)
    ${STEP_OVER} from c where s.run_id = c.id and s.status in ('WAITING', 'PROCESSING')`,
  values: [now, workspaceId, token, except],
  name: 'cancel-runs-by-token',
})

/** Ends with a mistake what nobody can go on with. */
export async function putAwayRun(
  engine: Engine,
  { id, lease }: { id: string; lease: string },
  error: string,
  now: number,
): Promise<void> {
  const text = `update runs set status = 'ERROR', error = $3, due_at = null, lease = null, updated = $4
    where id = $1 and lease = $2`
  await engine.run({ text, values: [id, lease, error, now] }, 'record')
}

/** Behind the statement that starts it: nobody works on what could not be begun. */
export const failRun = (id: string, error: string, now: number): Statement => ({
  text: `update runs set status = 'ERROR', error = $2, due_at = null, updated = $3 where id = $1`,
  values: [id, error, now],
})

/** Locks in one order, before a cancellation, the runs it is about: two that cancel each other wait instead of deadlocking. */
export const tokenLock = (workspaceId: number, token: string, own: string): Statement => ({
  text: `with held as materialized (
      select id from runs where workspace_id = $1 and cancelation_token = $2 and due_at is not null
      union select $3)
    select 1 from runs where id in (select id from held) order by id for update`,
  values: [workspaceId, token, own],
  name: 'lock-runs-by-token',
})
