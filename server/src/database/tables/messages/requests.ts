/** Requests for many messages: inserted, expanded in steps, read by their messages. */
import { jsonList } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { type DeadLetter, defineQueue, dueRows, earliestRow, type LeasedRow } from '../../leased-queue.ts'
import {
  columnList,
  expectRows,
  firstRow,
  guardPlan,
  query,
  type Row,
  recordset,
  rows,
  rowsOf,
  statement,
  typesAs,
  typesOf,
} from '../../query.ts'
import { acceptedCounts } from './counts.ts'
import { isNew, type NewMessage, newColumns, newMessages, recordOf } from './live-messages.ts'

/** A bulk job has no due time before its run. */
export type NewRequest = Row<
  'requests',
  'id' | 'workspace_id' | 'mode' | 'lane' | 'due_at' | 'created' | 'input' | 'targets'
> & {
  kind: 'send' | 'list' | 'bulk' | 'replay'
  status: 'CREATED' | 'PROCESSING'
  /** How many messages a replay was confirmed for. */
  received?: number
  /** Event or template, for lists; null for content of its own. */
  event?: string | null
  /** `key/<name>`, `operator`; null for an automation. */
  source?: string | null
  not_before?: number | null
}

export function requestInsert(request: NewRequest): Statement {
  return statement(query.insertInto('requests').values(request))
}

const CLAIMED = [
  ...(['workspace_id', 'kind', 'mode', 'lane', 'created', 'archived', 'input', 'targets', 'progress'] as const),
  ...(['received', 'enqueued', 'stopped', 'stopped_by'] as const),
]

/** A leased request. */
export type LiveRequest = LeasedRow & Row<'requests', (typeof CLAIMED)[number]>

/** The lane of a stopped request is above every bound. A canceled one is due until none of its messages is left. */
const mayStep = (laneMax: string) => `(lane <= ${laneMax} or stopped = 'canceled')`

/** The queue of requests: the one that waits longest in a lane up to `laneMax`, a step at a time. */
export const requestQueue = defineQueue<LiveRequest, { laneMax: number }>({
  name: 'request',
  deadLettered: 'request.dead_lettered',
  table: 'requests',
  columns: columnList(CLAIMED, 't'),
  due: `due as materialized (${dueRows('requests', { where: mayStep(':laneMax'), limit: '1' })})`,
  bounds: ({ laneMax }) => ({ laneMax }),
  earliest: (condition) => earliestRow('requests', condition('due_at'), `stopped is distinct from 'paused'`),
  // Claimed alone in any case, so that many tries delay no other request: with the longer leases they last five hours.
  poison: { suspectedAfter: 7 },
  released: { where: `t.status = 'ERROR'`, set: `status = 'PROCESSING', error = null` },
  backsOff: true,
  readable: (tokens, row) => {
    const text = (encrypted: string) => tokens.decryptText(row.workspace_id, encrypted)
    return { ...row, input: text(row.input), targets: text(row.targets) }
  },
})

/** Ends a request that no worker can continue; its messages so far are delivered. */
export async function deadLetterRequest(engine: Engine, letter: DeadLetter): Promise<void> {
  const text = `update requests set status = 'ERROR', error = $3, due_at = null, lease = null where id = $1 and lease = $2`
  const { id, lease, error } = letter
  await engine.batch([guardPlan, requestQueue.deadLetterInsert(letter), { text, values: [id, lease, error] }])
}

/**
 * Ends a request that has not ended: it makes no more messages. Those of a paused one are canceled. A step that a worker
 * has started is not written any more: its lease is gone.
 */
export const requestCancel = (
  workspaceId: number,
  kind: NewRequest['kind'],
  id: string,
  { by, now }: { by: string; now: number },
): Statement =>
  expectRows({
    text: `update requests set status = 'CANCELED', lease = null,
        due_at = case stopped when 'paused' then $4::bigint end,
        stopped = case stopped when 'paused' then 'canceled' end,
        stopped_by = case stopped when 'paused' then $5 end, stopped_at = case stopped when 'paused' then $4::bigint end
      where workspace_id = $1 and id = $2 and kind = $3 and status in ('CREATED', 'PROCESSING')`,
    values: [workspaceId, id, kind, now, by],
  })

/** A message of a request. `replay_of`: the message that it replays. */
export type RequestMessage = NewMessage & { replay_of?: string }

export interface RequestStep {
  request: { id: string; lease: string; kind?: string }
  messages: readonly RequestMessage[]
  failures: number
  /** JSON text. */
  progress: string
  /** When the next step is due; null after the last one. Ignored while the lease is kept. */
  dueAt: number | null
  keepLease: boolean
  status: 'PROCESSING' | 'COMPLETED' | 'ERROR'
  error?: string
}

/** Which messages the inserted ones replay. */
const links = `l as (
    insert into replayed_messages (replayed_as, workspace_id, message_id)
    select i.id, i.workspace_id, o.replay_of
    from i join ${recordset('$3', 'o', {
      ...typesOf('messages', ['id']),
      ...typesAs('replayed_messages', { replay_of: 'message_id' }),
    })} on o.id = i.id
  ),`

// Under the lock of the request row, and only while the lease holds; existing messages are not counted.
const stepWith = (
  ctes: string,
) => `with q as materialized (select id, archived from requests where id = $1 and lease = $2 for update),
  i as (
    insert into messages (${newColumns()}, archived)
    select ${newColumns('r')}, q.archived from ${newMessages('$3', 'r')}, q
    where ${isNew('r.id')}
    on conflict do nothing returning id, workspace_id, enqueued
  ),
  ${ctes} c as (${acceptedCounts('i')})
  update requests u set progress = $4, enqueued = u.enqueued + (select count(*) from i), failures = u.failures + $5,
    due_at = case when $9 then u.due_at else $6 end, lease = case when $9 then u.lease end, claims = 0, status = $7,
    error = $8
  from q where u.id = q.id returning (select coalesce(json_agg(id), '[]') from i) as inserted`

const step = stepWith('')
const replayStep = stepWith(links)

/** Messages and progress in one commit. Returns the ids of the new messages; undefined when the lease was lost. */
export async function takeStep(engine: Engine, made: RequestStep): Promise<string[] | undefined> {
  const { request, messages, failures, progress, dueAt, keepLease, status, error } = made
  const json = jsonList(messages.map(recordOf))
  const values = [request.id, request.lease, json, progress, failures, dueAt, status, error ?? null, keepLease]
  const [text, name] = request.kind === 'replay' ? [replayStep, 'take-replay-step'] : [step, 'take-step']
  const [, taken] = await engine.batch([guardPlan, { text, values, name }])
  return rowsOf<{ inserted: string[] }>(taken)[0]?.inserted
}

/** Messages of a lane that no worker has and that are due before `before`, counted up to `atMost`; `due`: those that are due now. */
export async function countWaiting(
  engine: Engine,
  { lane, now, before, atMost }: { lane: number; now: number; before: number; atMost: number },
): Promise<{ due: number; all: number }> {
  const { rows } = await engine.run<{ due: number; all: number }>({
    text: `select count(*) filter (where due_at <= $2)::integer as due, count(*)::integer as "all" from (
        select due_at from messages_live where lane = $1 and due_at < $3 and (lease is null or due_at <= $2) limit $4) m`,
    values: [lane, now, before, atMost],
    name: 'count-waiting-of-lane',
  })
  return rows[0] ?? { due: 0, all: 0 }
}

/** The shared inputs of the requests, as JSON texts. */
export async function requestInputs(engine: Reader, ids: readonly string[]): Promise<{ id: string; input: string }[]> {
  const selection = query.selectFrom('requests').select(['id', 'workspace_id', 'input'])
  const requests = await rows(engine, selection.where('id', 'in', [...ids]))
  return requests.map(({ id, workspace_id, input }) => ({
    id,
    input: engine.tokens.decryptText(workspace_id, input),
  }))
}

const SUMMARY = [
  ...(['id', 'kind', 'mode', 'status', 'event', 'created', 'source', 'not_before', 'archived'] as const),
  ...(['received', 'enqueued', 'failures', 'stopped', 'stopped_by', 'stopped_at', 'error'] as const),
]

export type RequestSummaryRow = Row<'requests', (typeof SUMMARY)[number]>

export function findRequest(engine: Reader, workspaceId: number, id: string) {
  const selection = query.selectFrom('requests').select(SUMMARY)
  return firstRow(engine, selection.where('workspace_id', '=', workspaceId).where('id', '=', id))
}

/** As callers see it: a paused request has the status that it goes on with in its row. */
const SHOWN_STATUS = `case when stopped = 'paused' then 'PAUSED' else status end`

export interface RequestFilter {
  statuses?: readonly string[] | undefined
  kinds?: readonly string[] | undefined
  cursor?: string | undefined
}

/** Newest first. */
export async function listRequests(
  engine: Reader,
  workspaceId: number,
  { statuses, kinds, cursor }: RequestFilter,
  limit: number,
): Promise<Page<RequestSummaryRow>> {
  const before = cursor === undefined ? null : decodeCursor(cursor, ['timedId'])[0]
  // A condition that the partial index has: pauses are few among many requests.
  const isPaused = statuses?.length === 1 && statuses[0] === 'PAUSED'
  const text = `select ${columnList(SUMMARY)} from requests
    where workspace_id = $1 and ($2::text is null or id < $2)${isPaused ? ` and stopped = 'paused'` : ''}
      and ($3::json is null or ${SHOWN_STATUS} in (select json_array_elements_text($3::json)))
      and ($4::json is null or kind in (select json_array_elements_text($4::json)))
    order by id desc limit $5`
  const among = (words: readonly string[] | undefined) => (words ? JSON.stringify(words) : null)
  const values = [workspaceId, before, among(statuses), among(kinds), limit + 1]
  const { rows: summaries } = await engine.run<RequestSummaryRow>({ text, values })
  return pageOf(summaries, limit, ({ id }) => [id])
}
