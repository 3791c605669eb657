/** Runs as leased rows: inserted, claimed in fair shares, dead-lettered; many rows in a statement. */

import type { Engine, Statement } from '../../engine.ts'
import { type DeadLetter, defineQueue, dueRows, earliestRow, type Lease, type LeasedRow } from '../../leased-queue.ts'
import { columnList, guardPlan, type Row, recordset, typesOf } from '../../query.ts'
import { TOKEN_MARK, type TokenCipher } from '../../token-cipher.ts'

/** Prefix of the `source` of a run for a subscriber, before the id of the run that sends to the list. */
export const LIST_SOURCE = 'send-list/'

const COLUMNS = [
  ...(['id', 'workspace_id', 'mode', 'lane', 'due_at', 'lease', 'cancelation_token', 'template_id'] as const),
  ...(['source', 'depth', 'root', 'parent_id', 'created', 'automation', 'start'] as const),
]

/** `lease`: of the process that starts it at once; null: it waits for a claim. `parent_id`: the run that started it. */
export interface NewRun extends Row<'runs', Exclude<(typeof COLUMNS)[number], 'due_at' | 'source'>> {
  due_at: number
  source: readonly string[]
  /** How often it was claimed; 1 where it is inserted leased. */
  claims?: number
}

const insert = `insert into runs (${columnList(COLUMNS)}, claims, status, updated)
  select ${columnList(COLUMNS)}, coalesce(claims, 0), 'PROCESSING', created
  from ${recordset('$1', 'r', typesOf('runs', [...COLUMNS, 'claims']))}
  on conflict (id) do nothing`

/** A run that exists already is unchanged: a second start has no effect. */
export const runsInsert = (runs: readonly NewRun[]): Statement => ({
  text: insert,
  values: [JSON.stringify(runs)],
  name: 'insert-runs',
})

/** A claimed run. */
export interface LiveRun extends Omit<NewRun, 'due_at' | 'lease' | 'claims' | 'parent_id'>, LeasedRow {
  /** JSON text; null before its first step. */
  state: string | null
}

/** The size of a run in memory, without reading its texts. */
const BYTES = 'octet_length(automation) + octet_length(start) + coalesce(octet_length(state), 0)'

/** With more claims a run is suspected: it may have crashed its workers. */
const SUSPECTED_AFTER = 2

const shareRows = recordset(':shares', 'h', { ...typesOf('workspaces', ['id']), of1: 'bigint', of2: 'bigint' })

// The index is read for each workspace, and workspaces take turns: many due runs of one do not delay those of another.
// Each workspace has a limit of its own, and one whose limit is zero costs nothing.
const shares = `shares as materialized (
    select w.id, coalesce(h.of1, :share1::bigint) as of1, coalesce(h.of2, :share2::bigint) as of2
    from workspaces w left join ${shareRows} on h.id = w.id)`

const lane = (lane: 1 | 2) =>
  `lane${lane} as materialized (
    select id, bytes, place, row_number() over (partition by root order by place) as nth from (
      select id, root, bytes, row_number() over (order by turn, due_at) as place from (
        select d.id, d.root, d.due_at, ${BYTES} as bytes, row_number() over (partition by w.id order by d.due_at) as turn
        from shares w, lateral (${dueRows('runs', {
          columns: 'id, root, due_at, automation, start, state',
          where: `lane = ${lane} and workspace_id = w.id and claims < ${SUSPECTED_AFTER}
            and root <> all(array(select json_array_elements_text(:exceptRoots::json)))`,
          limit: `least(:limit${lane}::bigint, w.of${lane})`,
        })}) d) t) p
    where place <= :limit${lane}::bigint)`

/** Numbers of runs: in the ordinary lane, and in the lane of lists. */
export type ByLane = readonly [number, number]

export interface RunBounds {
  limits: ByLane
  /** The limits of each workspace; `share` applies to those not named. */
  shares: readonly { workspaceId: number; limits: ByLane }[]
  share: ByLane
  /** The run that exceeds it is still claimed. */
  bytesMax: number
  /** No run of these roots is claimed, and at most `rootMax` of any other in the ordinary lane. */
  exceptRoots: readonly string[]
  rootMax: number
}

/** The queue of runs: those that have waited longest, of each workspace in turn. */
export const runQueue = defineQueue<LiveRun, RunBounds>({
  name: 'run',
  deadLettered: 'run.dead_lettered',
  table: 'runs',
  columns: `${COLUMNS.filter((column) => !['id', 'due_at', 'lease', 'parent_id'].includes(column))
    .map((column) => `t.${column}`)
    .join(', ')}, t.state`,
  due: `${shares}, ${lane(1)}, ${lane(2)}, due as (
    select id from (
      select id, bytes, sum(bytes) over (order by lane, place) as sum
      from (select *, 1 as lane from lane1 where nth <= :rootMax union all select *, 2 from lane2) b) s
    where sum - bytes < :bytesMax::bigint)`,
  // A crash can leave hundreds of them, which may hang: they must not stand before the other runs of their workspace.
  suspected: dueRows('runs', { columns: 'id', where: `claims >= ${SUSPECTED_AFTER}`, limit: ':suspectedMax' }),
  bounds: ({ limits, shares, share, bytesMax, exceptRoots, rootMax }) => ({
    ...{ limit1: limits[0], limit2: limits[1], share1: share[0], share2: share[1], bytesMax, rootMax },
    shares: JSON.stringify(shares.map(({ workspaceId: id, limits: [of1, of2] }) => ({ id, of1, of2 }))),
    exceptRoots: JSON.stringify(exceptRoots),
  }),
  earliest: (condition) => `(select min(d.due_at) from workspaces w, (values (1), (2)) l(lane),
    lateral ${earliestRow('runs', condition('due_at'), 'lane = l.lane and workspace_id = w.id')} d)`,
  poison: { suspectedAfter: SUSPECTED_AFTER },
  released: {
    // An erased run has no steps.
    where: `t.status = 'ERROR' and t.automation <> '{"steps":[]}'`,
    set: `status = 'PROCESSING', error = null, updated = :now`,
    writes: `steps as (
      update run_steps s set status = 'PROCESSING', reason = null, updated = :now::bigint
      from released where s.run_id = released.id and s.status = 'ERROR')`,
  },
  readable: (tokens, row) => readableRun(tokens, row.workspace_id, row),
})

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

interface EndedRun {
  step: { position: number; action: string; started: number }
  error: string
  now: number
}

/** Ends a run that no worker can continue, with the error at its current step. `letter`: the server gives it up. */
export async function endRun(
  engine: Engine,
  { id, lease }: Lease,
  { step, error, now }: EndedRun,
  letter?: DeadLetter,
): Promise<void> {
  const text = `with u as (
      update runs set status = 'ERROR', error = $3, due_at = null, lease = null, updated = $4
      where id = $1 and lease = $2 returning id, workspace_id)
    insert into run_steps (run_id, position, workspace_id, action, status, started, updated, reason)
    select id, $5::integer, workspace_id, $6, 'ERROR', $7::bigint, $4, $3 from u
    on conflict (run_id, position) do update set status = 'ERROR', updated = $4, reason = $3`
  const { position, action, started } = step
  const isOwn = 'run_id = $1 and exists (select 1 from runs where id = $1 and lease = $2)'
  // The key is free for the next batch. A run that is given up needs its items once it is released.
  const drop = letter ? `update batches set is_open = false where ${isOwn}` : `delete from batches where ${isOwn}`
  const values = [id, lease, error, now, position, action, started]
  await engine.batch([
    ...(letter ? [guardPlan, runQueue.deadLetterInsert(letter)] : []),
    { text: drop, values: [id, lease] },
    { text, values },
  ])
}

/** Follows the statement that inserts it: a run that could not start is stored as failed. */
export const failRun = (id: string, error: string, now: number): Statement => ({
  text: `update runs set status = 'ERROR', error = $2, due_at = null, updated = $3 where id = $1`,
  values: [id, error, now],
})
