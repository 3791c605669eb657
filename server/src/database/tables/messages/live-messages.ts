/** The hot path of messages: accept and claim. Many rows a statement, never one by one. */

import { jsonList } from '../../../base/json/json.ts'
import type { Engine, Statement } from '../../engine.ts'
import { defineQueue, dueRows, earliestRow } from '../../leased-queue.ts'
import { columnList, recordset, typesOf } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { TOKEN_MARK, type TokenCipher } from '../../token-cipher.ts'
import { acceptedCounts } from './counts.ts'

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
  /** The request with the shared data, for a message of many. */
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

const columns = [
  ...(['id', 'workspace_id', 'lane', 'due_at', 'lease', 'claims', 'status', 'event', 'recipient', 'mode'] as const),
  ...(['enqueued', 'first_due', 'tags', 'trace_id', 'tenant_id', 'request_id', 'list_id', 'list_message_id'] as const),
  ...(['run_id', 'job_id', 'idempotency_key', 'input'] as const),
]

/** The columns of a new message, of the rows of this name. */
export const newColumns = (of?: string): string => columnList(columns, of)

const keyTypes = columnTypes.idempotency_keys
const newRecord = {
  ...typesOf('messages', columns),
  ...{ key_route: keyTypes.route, key_expires: keyTypes.expires },
  ...{ key_status: keyTypes.status, key_reply: keyTypes.reply },
}

/** JSON texts of `recordOf` as rows, with fields of their own. */
export const newMessages = (json: string, name: string, own: Readonly<Record<string, string>> = {}): string =>
  recordset(json, name, { ...own, ...newRecord })

/**
 * No message has this id, live or final: the id is unique in each of their tables only. A subquery, so that the order of
 * the rows stays: the first of two with one id is inserted.
 */
export const isNew = (id: string) => `(select k.id from messages k where k.id = ${id} limit 1) is null`

const insertPlain = `with i as (
    insert into messages (${newColumns()})
    select ${newColumns()} from ${newMessages('$1', 'r')}
    returning workspace_id, enqueued
  )
  ${acceptedCounts('i')}`

// Keys first, sorted, so that two nodes with the same keys wait for each other in one order; only winners are inserted.
const insertKeyed = `with r as materialized (select * from ${newMessages('$1', 'r')}),
  won as (
    insert into idempotency_keys as k (workspace_id, route, key, expires, status, reply)
    select workspace_id, key_route, idempotency_key, key_expires, key_status, key_reply
    from r where key_route is not null order by 1, 2, 3
    on conflict (workspace_id, route, key) do update
      set expires = excluded.expires, status = excluded.status, reply = excluded.reply where k.expires <= $2
    returning workspace_id, route, key
  ),
  i as (
    insert into messages (${newColumns()})
    select ${newColumns()} from r
    where key_route is null or (workspace_id, key_route, idempotency_key) in (select workspace_id, route, key from won)
    returning id, workspace_id, enqueued
  ),
  c as (${acceptedCounts('i')})
  select id from i`

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

/** The JSON of a record of `newMessages`. */
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

const lane = (lane: number) =>
  `lane${lane} as materialized (
    ${dueRows('messages', { columns: 'id', where: `lane = ${lane}`, limit: `:lane${lane}` })})`

/**
 * The queue of messages: up to `shares` of each lane. Claims count up to the fifth; then only starts do, in groups, so
 * that no message is dead-lettered because crashed workers had claimed it.
 */
export const messageQueue = defineQueue<LiveMessage, { shares: readonly [number, number, number] }>({
  name: 'message',
  deadLettered: 'message.dead_lettered',
  table: 'messages',
  columns: `t.workspace_id, t.lane, t.cancel_requested, t.status, t.event, t.recipient, t.list_id, t.notification_id,
    t.mode, t.request_id, t.enqueued, t.first_due, t.sent, t.delivered, t.flushes, t.stalls, t.stalled_in, t.input,
    t.pinned, t.deliveries`,
  // Lanes share a claim, so that many bulk messages leave room for urgent ones.
  due: `${lane(0)}, ${lane(1)}, ${lane(2)},
    due as (select id from lane0 union all select id from lane1 union all select id from lane2)`,
  bounds: ({ shares: [lane0, lane1, lane2] }) => ({ lane0, lane1, lane2 }),
  earliest: (condition) =>
    `least(${[0, 1, 2].map((lane) => earliestRow('messages', condition('due_at'), `lane = ${lane}`)).join(', ')})`,
  // Most suspected messages were only in flight beside the poison one: large groups find that out sooner.
  poison: { suspectedAfter: 4, groups: [50, 5] },
  hasLivePartition: true,
  readable: (tokens, row) => readableMessage(tokens, row.workspace_id, row),
})

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
