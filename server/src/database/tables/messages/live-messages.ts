/** The hot path of messages: accept and claim. Many rows a statement, never one by one. */
import { jsonList } from '../../../base/json/json.ts'
import type { Engine, Statement } from '../../engine.ts'
import { guardPlan, rowsOf } from '../../query.ts'
import { TOKEN_MARK, type TokenCipher } from '../../token-cipher.ts'

/** A message as the pipeline works on it. */
export interface LiveMessage {
  id: string
  workspace_id: number
  lane: number
  lease: string
  claims: number
  cancel_requested: boolean
  status: string
  event: string
  recipient: string
  list_id: string | null
  notification_id: string | null
  mode: string
  /** Of a message of many: the request that holds what they share. */
  request_id: string | null
  enqueued: number
  first_due: number
  sent: number | null
  delivered: number | null
  /** How many times it was written; a write that was repeated finds a higher number. */
  flushes: number
  /** How often it held a process, and what that was doing. */
  stalls: number | null
  stalled_in: string | null
  /** JSON, parsed where it is read. */
  input: string
  pinned: string | null
  deliveries: string | null
}

export interface NewMessage extends MarkColumns {
  id: string
  workspace_id: number
  lane: number
  due_at: number
  lease: string | null
  claims: number
  status: string
  event: string
  recipient: string
  mode: string
  enqueued: number
  first_due: number
  idempotency_key?: string
  /** Raw JSON, spliced into the statement's parameter as it is. */
  input: string
  key?: { route: string; key: string; expires: number; status: number; reply: string }
}

/** Columns that only some messages have. */
export interface MarkColumns {
  tags?: readonly string[]
  trace_id?: string
  tenant_id?: string
  request_id?: string
  list_id?: string
  list_message_id?: string
  run_id?: string
  job_id?: string
}

export const NEW_COLUMNS = `id, workspace_id, lane, due_at, lease, claims, status, event, recipient, mode, enqueued, first_due,
  tags, trace_id, tenant_id, request_id, list_id, list_message_id, run_id, job_id, idempotency_key, input`
export const NEW_RECORD = `id text, workspace_id smallint, lane smallint, due_at bigint, lease text, claims smallint, status text,
  event text, recipient text, mode text, enqueued bigint, first_due bigint, tags text[], trace_id text, tenant_id text,
  request_id text, list_id text, list_message_id text, run_id text, job_id text, idempotency_key text, input text,
  key_route text, key_expires bigint, key_status smallint, key_reply text`

/**
 * No message has this id, live or final: the id is unique in each of their tables only. A subquery, so that the order of
 * the rows stays: the first of two with one id is inserted.
 */
export const isNew = (id: string) => `(select k.id from messages k where k.id = ${id} limit 1) is null`

const insertPlain = `insert into messages (${NEW_COLUMNS})
  select ${NEW_COLUMNS} from json_to_recordset($1::json) as r(${NEW_RECORD})`

// Keys first, sorted, so that two nodes with the same keys wait for each other in one order; only winners are inserted.
const insertKeyed = `with r as materialized (select * from json_to_recordset($1::json) as r(${NEW_RECORD})),
  won as (
    insert into idempotency_keys as k (workspace_id, route, key, expires, status, reply)
    select workspace_id, key_route, idempotency_key, key_expires, key_status, key_reply
    from r where key_route is not null order by 1, 2, 3
    on conflict (workspace_id, route, key) do update
      set expires = excluded.expires, status = excluded.status, reply = excluded.reply where k.expires <= $2
    returning workspace_id, route, key
  )
  insert into messages (${NEW_COLUMNS})
  select ${NEW_COLUMNS} from r
  where key_route is null or (workspace_id, key_route, idempotency_key) in (select workspace_id, route, key from won)
  returning id`

/** The ids that were inserted; a message whose idempotency key was taken is left out. */
export async function insertMessages(
  engine: Engine,
  messages: readonly NewMessage[],
  now: number,
): Promise<ReadonlySet<string> | 'all'> {
  if (!messages.some(({ key }) => key)) {
    await engine.run({ text: insertPlain, values: [jsonList(messages.map(recordOf))], name: 'insert-messages' })
    return 'all'
  }
  const { rows } = await engine.run<{ id: string }>(keyedInsert(messages, now))
  return new Set(rows.map(({ id }) => id))
}

/** A message whose idempotency key was taken is left out. */
function keyedInsert(messages: readonly NewMessage[], now: number): Statement {
  const values = [jsonList(messages.map(recordOf)), now]
  return { text: insertKeyed, values, name: 'insert-keyed-messages' }
}

/** The JSON of a record of `NEW_RECORD`. */
export function recordOf({ input, key, ...columns }: NewMessage): string {
  const keyed = key && {
    key_route: key.route,
    key_expires: key.expires,
    key_status: key.status,
    key_reply: key.reply,
    idempotency_key: key.key,
  }
  return `${JSON.stringify(keyed ? { ...columns, ...keyed } : columns).slice(0, -1)},"input":${input}}`
}

const LIVE_COLUMNS = `m.id, m.workspace_id, m.lane, m.lease, m.claims, m.cancel_requested, m.status, m.event, m.recipient,
  m.list_id, m.notification_id, m.mode, m.request_id, m.enqueued, m.first_due, m.sent, m.delivered, m.flushes, m.stalls, m.stalled_in,
  m.input, m.pinned, m.deliveries`

/**
 * Claims without an outcome that make a message a suspect: it may be what killed its workers. Claims count no further;
 * from here on only `countClaims` does, so that no message is dead-lettered for a crash it was no part of.
 */
export const CLAIMS_SUSPECT = 5

const lanePick = (lane: number, limit: string) =>
  `lane${lane} as materialized (
    select id from messages where lane = ${lane} and due_at <= $1 order by due_at limit ${limit} for update skip locked)`

const claim = `with ${lanePick(0, '$4')}, ${lanePick(1, '$5')}, ${lanePick(2, '$6')},
  picked as (select id from lane0 union all select id from lane1 union all select id from lane2)
  update messages m set lease = $2, due_at = $3, claims = greatest(m.claims, least(m.claims + 1, ${CLAIMS_SUSPECT})) from picked
  where m.id = picked.id and m.due_at is not null returning ${LIVE_COLUMNS}`

/** Leases up to `shares` messages per lane that are due, among them those whose lease ran out. */
export async function claimMessages(
  engine: Engine,
  options: { now: number; until: number; lease: string; shares: readonly [number, number, number] },
): Promise<LiveMessage[]> {
  const { now, until, lease, shares } = options
  const claiming = { text: claim, values: [now, lease, until, ...shares], name: 'claim-messages' }
  const [, result] = await engine.batch([guardPlan, claiming])
  return rowsOf<LiveMessage>(result).map((row) => readableMessage(engine.tokens, row.workspace_id, row))
}

/** The texts of a message as they were before they were stored. */
export function readableMessage<Row extends { input: string; pinned: string | null }>(
  tokens: TokenCipher,
  workspaceId: number,
  row: Row,
): Row {
  const { input, pinned } = row
  if (!input.includes(TOKEN_MARK) && !pinned?.includes(TOKEN_MARK)) return row
  return {
    ...row,
    input: tokens.decryptText(workspaceId, input),
    pinned: pinned && tokens.decryptText(workspaceId, pinned),
  }
}

/** When the earliest live message of any lane comes due; undefined when there is none. */
export async function nextDue(engine: Engine): Promise<number | undefined> {
  const earliest = {
    text: `select least(${[0, 1, 2]
      .map(
        (lane) => `(select due_at from messages where lane = ${lane} and due_at is not null order by due_at limit 1)`,
      )
      .join(', ')}) as due`,
    values: [],
    name: 'next-due',
  }
  const [, result] = await engine.batch([guardPlan, earliest])
  return rowsOf<{ due: number | null }>(result)[0]?.due ?? undefined
}
