/** Requests for many messages: inserted, expanded in steps, read by their messages. */
import { jsonList } from '../../../base/json/json.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { firstRow, guardPlan, query, rows, rowsOf, statement } from '../../query.ts'
import { isNew, NEW_COLUMNS, NEW_RECORD, type NewMessage, recordOf } from './live-messages.ts'

export interface NewRequest {
  id: string
  workspace_id: number
  kind: 'send' | 'list' | 'bulk'
  mode: string
  lane: number
  /** Null for a bulk job before its run. */
  due_at: number | null
  status: 'CREATED' | 'PROCESSING'
  created: number
  /** JSON texts. */
  input: string
  targets: string
}

export function requestInsert(request: NewRequest): Statement {
  return statement(query.insertInto('requests').values(request))
}

/** A leased request. */
export interface LiveRequest {
  id: string
  workspace_id: number
  kind: string
  mode: string
  lane: number
  lease: string
  claims: number
  created: number
  archived: boolean
  input: string
  targets: string
  progress: string | null
}

const LIVE =
  'q.id, q.workspace_id, q.kind, q.mode, q.lane, q.lease, q.claims, q.created, q.archived, q.input, q.targets, q.progress'

/** Six: a minute becomes an hour. */
const DOUBLINGS_MAX = 6

const claim = `with picked as materialized (
    select id from requests where due_at <= $1 and lane <= $4 order by due_at limit 1
    for update skip locked)
  update requests q set lease = $2, due_at = $1 + $3::bigint * (1 << least(q.claims, ${DOUBLINGS_MAX})),
    claims = least(q.claims + 1, 1000) from picked where q.id = picked.id returning ${LIVE}`

/** Leases the oldest due request of a lane up to `laneMax`. Each claim without an outcome doubles the lease. */
export async function claimRequest(
  engine: Engine,
  { now, leaseMs, lease, laneMax }: { now: number; leaseMs: number; lease: string; laneMax: number },
): Promise<LiveRequest | undefined> {
  const { rows } = await engine.run<LiveRequest>({
    text: claim,
    values: [now, lease, leaseMs, laneMax],
    name: 'claim-request',
  })
  const [row] = rows
  if (!row) return undefined
  const readable = (text: string) => engine.tokens.decryptText(row.workspace_id, text)
  return { ...row, input: readable(row.input), targets: readable(row.targets) }
}

export interface Step {
  request: { id: string; lease: string }
  messages: readonly NewMessage[]
  failures: number
  /** JSON text. */
  progress: string
  /** When the next step is due; null after the last one. Ignored while the lease is kept. */
  dueAt: number | null
  keepLease: boolean
  status: 'PROCESSING' | 'COMPLETED' | 'ERROR'
  error?: string
}

// Under the lock of the request row, and only while the lease holds; existing messages are not counted.
const step = `with q as materialized (select id, archived from requests where id = $1 and lease = $2 for update),
  i as (
    insert into messages (${NEW_COLUMNS}, archived)
    select ${NEW_COLUMNS.replaceAll(/\w+/g, 'r.$&')}, q.archived from json_to_recordset($3::json) as r(${NEW_RECORD}), q
    where ${isNew('r.id')}
    on conflict do nothing returning id
  )
  update requests u set progress = $4, enqueued = u.enqueued + (select count(*) from i), failures = u.failures + $5,
    due_at = case when $9 then u.due_at else $6 end, lease = case when $9 then u.lease end, claims = 0, status = $7,
    error = $8
  from q where u.id = q.id returning (select count(*)::int from i) as inserted`

/** Messages and progress in one commit. Returns the number of new messages; undefined when the lease was lost. */
export async function takeStep(engine: Engine, made: Step): Promise<number | undefined> {
  const { request, messages, failures, progress, dueAt, keepLease, status, error } = made
  const json = jsonList(messages.map(recordOf))
  const values = [request.id, request.lease, json, progress, failures, dueAt, status, error ?? null, keepLease]
  const [, taken] = await engine.batch([guardPlan, { text: step, values, name: 'take-step' }])
  return rowsOf<{ inserted: number }>(taken)[0]?.inserted
}

/** The number of messages of a lane that are due before `before`, counted up to `atMost`. */
export async function countLive(engine: Engine, lane: number, before: number, atMost: number): Promise<number> {
  const { rows } = await engine.run<{ live: number }>({
    text: `select count(*)::integer as live from (
        select from messages where lane = $1 and due_at < $2 limit $3) m`,
    values: [lane, before, atMost],
    name: 'count-live',
  })
  return rows[0]?.live ?? 0
}

/** When the next request is due; undefined without one. */
export async function nextRequestDue(engine: Engine): Promise<number | undefined> {
  const { rows } = await engine.run<{ due: number | null }>({
    text: 'select min(due_at) as due from requests where due_at is not null',
    values: [],
    name: 'next-request-due',
  })
  return rows[0]?.due ?? undefined
}

/** The shared inputs of the requests, as JSON texts. */
export async function requestInputs(engine: Reader, ids: readonly string[]): Promise<{ id: string; input: string }[]> {
  const found = query.selectFrom('requests').select(['id', 'workspace_id', 'input'])
  const requests = await rows(engine, found.where('id', 'in', [...ids]))
  return requests.map(({ id, workspace_id, input }) => ({
    id,
    input: engine.tokens.decryptText(workspace_id, input),
  }))
}

const record = [
  'id',
  'kind',
  'status',
  'created',
  'archived',
  'received',
  'enqueued',
  'failures',
  'error',
  'input',
  'progress',
] as const

export function findRequest(engine: Reader, workspaceId: number, id: string) {
  const found = query.selectFrom('requests').select(record)
  return firstRow(engine, found.where('workspace_id', '=', workspaceId).where('id', '=', id))
}

/** Only where the owner of every lease is known to be dead. Suspected poison rows keep their lease. */
export async function voidRequestLeases(engine: Engine, now: number): Promise<void> {
  await engine.run({
    text: 'update requests set lease = null, due_at = $1 where due_at is not null and lease is not null and claims < 3',
    values: [now],
  })
}
