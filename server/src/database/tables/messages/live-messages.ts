/** The hot path of messages: accept and claim. Many rows a statement, never one by one. */
import { jsonList } from '../../../base/json/json.ts'
import type { Engine } from '../../engine.ts'
import { defineQueue, dueRows, earliestRow, type LeasedRow } from '../../leased-queue.ts'
import { columnList, named, type Row, recordset, typesOf } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { TOKEN_MARK, type TokenCipher } from '../../token-cipher.ts'
import { outboxInsertFrom } from '../webhooks/webhook-outbox.ts'
import { acceptedCounts, takenBackCounts } from './counts.ts'
import { LANES } from './lanes.ts'
import { byLiveId, messageById } from './live-partition.ts'

const MARKS = [
  ...(['tags', 'trace_id', 'tenant_id', 'request_id', 'list_id', 'list_message_id', 'run_id', 'job_id'] as const),
]
const columns = [
  ...(['id', 'workspace_id', 'lane', 'due_at', 'lease', 'claims', 'status', 'event', 'recipient', 'mode'] as const),
  ...(['enqueued', 'first_due'] as const),
  ...MARKS,
  ...(['addresses', 'idempotency_key', 'input'] as const),
]
const CLAIMED = [
  ...([
    'workspace_id',
    'lane',
    'cancel_requested',
    'cancel_source',
    'status',
    'event',
    'recipient',
    'list_id',
  ] as const),
  ...(['notification_id', 'mode', 'request_id', 'enqueued', 'first_due', 'sent', 'delivered', 'flushes'] as const),
  ...(['stalls', 'stalled_in', 'input', 'pinned', 'deliveries'] as const),
]

/**
 * A message as the pipeline works on it. `request_id`: the request with the shared data, for a message of many;
 * `flushes`: how many times it was written, so that a write that was repeated finds a higher number; `stalls`: how often
 * it held a process, and in what. Its JSON is parsed where it is read.
 */
export type LiveMessage = LeasedRow & Row<'messages', (typeof CLAIMED)[number]>

type AlwaysGiven = Exclude<
  (typeof columns)[number],
  (typeof MARKS)[number] | 'due_at' | 'addresses' | 'idempotency_key'
>

/** Its input is raw JSON, spliced into the statement's parameter as it is. */
export interface NewMessage extends Row<'messages', AlwaysGiven>, MarkColumns {
  due_at: number
  /** Digests; absent where the first record comes at once and writes them. */
  addresses?: readonly number[] | undefined
  idempotency_key?: string
  key?: { route: string; key: string; expires: number; status: number; reply: string }
}

/** Columns that only some messages have. */
export type MarkColumns = {
  [Column in (typeof MARKS)[number]]?: Readonly<NonNullable<Row<'messages', Column>[Column]>>
}

/** The columns of a new message, of the rows of this name. */
export const newColumns = (of?: string): string => columnList(columns, of)

const keyTypes = columnTypes.idempotency_keys
const newRecord = {
  ...typesOf('messages', columns),
  ...{ key_route: keyTypes.route, key_expires: keyTypes.expires },
  ...{ key_status: keyTypes.status, key_reply: keyTypes.reply },
}

/** JSON texts of `recordOf` as rows, with fields of their own. */
export const newMessages = (json: string, name: string, ownTypes: Readonly<Record<string, string>> = {}): string =>
  recordset(json, name, { ...ownTypes, ...newRecord })

/**
 * No message has this id, live or final: the id is unique in each of their tables only. A subquery, so that the order of
 * the rows stays: the first of two with one id is inserted.
 */
export const isNew = (id: string) => `(${messageById('m.id', id)}) is null`

const insertPlain = named<'messages'>(
  'insert-messages',
  `with i as (
    insert into messages (${newColumns()})
    select ${newColumns()} from ${newMessages(':messages', 'r')}
    returning workspace_id, enqueued
  )
  ${acceptedCounts('i')}`,
)

// Keys first, sorted, so that two nodes with the same keys wait for each other in one order; only winners are inserted.
const insertKeyed = named<'messages' | 'now'>(
  'insert-keyed-messages',
  `with r as materialized (select * from ${newMessages(':messages', 'r')}),
  won as (
    insert into idempotency_keys as k (workspace_id, route, key, expires, status, reply)
    select workspace_id, key_route, idempotency_key, key_expires, key_status, key_reply
    from r where key_route is not null order by 1, 2, 3
    on conflict (workspace_id, route, key) do update
      set expires = excluded.expires, status = excluded.status, reply = excluded.reply where k.expires <= :now
    returning workspace_id, route, key
  ),
  i as (
    insert into messages (${newColumns()})
    select ${newColumns()} from r
    where key_route is null or (workspace_id, key_route, idempotency_key) in (select workspace_id, route, key from won)
    returning id, workspace_id, enqueued
  ),
  c as (${acceptedCounts('i')})
  select id from i`,
)

/** The ids that were inserted; a message whose idempotency key was taken is left out. */
export async function insertMessages(
  engine: Engine,
  messages: readonly NewMessage[],
  now: number,
): Promise<ReadonlySet<string> | 'all'> {
  const records = jsonList(messages.map(recordOf))
  if (!messages.some(({ key }) => key)) {
    await engine.run(insertPlain({ messages: records }))
    return 'all'
  }
  const { rows } = await engine.run<{ id: string }>(insertKeyed({ messages: records, now }))
  return new Set(rows.map(({ id }) => id))
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
    ${dueRows('messages_live', { columns: 'id', where: `lane = ${lane}`, limit: `:lane${lane}` })})`

/**
 * The queue of messages: up to `shares` of each lane. Claims count up to the fifth; then only starts do, in groups, so
 * that no message is dead-lettered because crashed workers had claimed it.
 */
export const messageQueue = defineQueue<LiveMessage, { shares: readonly [number, number, number] }>({
  name: 'message',
  deadLettered: 'message.dead_lettered',
  table: 'messages',
  live: 'messages_live',
  byId: byLiveId,
  columns: columnList(CLAIMED, 't'),
  // Lanes share a claim, so that many bulk messages leave room for urgent ones.
  due: `${lane(0)}, ${lane(1)}, ${lane(2)},
    due as (select id from lane0 union all select id from lane1 union all select id from lane2)`,
  bounds: ({ shares: [lane0, lane1, lane2] }) => ({ lane0, lane1, lane2 }),
  earliest: (condition) =>
    `least(${LANES.map((lane) => earliestRow('messages_live', condition('due_at'), `lane = ${lane}`)).join(', ')})`,
  // Most suspected messages were only in flight beside the poison one: large groups find that out sooner.
  poison: { suspectedAfter: 4, groups: [50, 5] },
  released: {
    where: `t.status = 'UNDELIVERABLE' and t.reason = 'FAILED' and t.recipient !~ '^erased-[0-9a-f]{32}$'`,
    // Its deadline counts from here, and what it blocked was before.
    set: `status = case when t.deliveries is null then 'ENQUEUED' else 'ROUTED' end, error = null, reason = null,
      reason_code = null, stalls = null, stalled_in = null, first_due = :now, flushes = t.flushes + 1`,
    writes: `history_event as (
      insert into history (message_id, flush, workspace_id, events)
      select id, flushes, workspace_id, json_build_array(json_build_object(
        'type', 'RELEASED', 'ts', :now::bigint, 'cause', 'dead_letter', 'source', :source::text))
      from released),
    webhook_events as (${outboxInsertFrom(`(
      select :eventId::text as id, workspace_id, 'message:updated' as type, id as message_id, null::text as payload,
        :now::bigint as at
      from released) a`)}),
    counts as (${takenBackCounts('(select r.workspace_id, r.deliveries, l.created from released r, letter l) g', 'created')})`,
  },
  readable: (tokens, row) => readableMessage(tokens, row.workspace_id, row),
})

/** The texts of a message as they were before they were stored. */
export function readableMessage<Message extends Row<'messages', 'input' | 'pinned'>>(
  tokens: TokenCipher,
  workspaceId: number,
  row: Message,
): Message {
  const { input, pinned } = row
  if (!input.includes(TOKEN_MARK) && !pinned?.includes(TOKEN_MARK)) return row
  return {
    ...row,
    input: tokens.decryptText(workspaceId, input),
    pinned: pinned && tokens.decryptText(workspaceId, pinned),
  }
}
