/** Receipts: rows that wait until they are applied to their messages, and the write that applies them. */
import { jsonList, storableJson } from '../../../base/json/json.ts'
import { MINUTE, SECOND } from '../../../base/time/duration.ts'
import type { Engine, Statement } from '../../engine.ts'
import {
  type DeadLetter,
  defineQueue,
  dueRows,
  earliestRow,
  type Lease,
  type LeasedRow,
  leaseRows,
} from '../../leased-queue.ts'
import { byKey, columnList, guardPlan, inLockOrder, type Row, recordset, rowsOf, typesOf } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { type RecordedSuppression, recordedSuppressionsInsert } from '../suppressions/suppressions.ts'
import { outboxInsertFrom } from '../webhooks/webhook-outbox.ts'
import { byLiveId, messageById } from './live-partition.ts'

const CLAIMED = ['workspace_id', 'message_id', 'n', 'receipt', 'created'] as const

export type ReceiptRow = LeasedRow & Row<'receipts', (typeof CLAIMED)[number]>

export const receiptQueue = defineQueue<ReceiptRow, { limit: number }>({
  name: 'receipt',
  deadLettered: 'receipt.dead_lettered',
  table: 'receipts',
  columns: columnList(CLAIMED, 't'),
  due: `due as materialized (${dueRows('receipts', { limit: ':limit' })})`,
  bounds: ({ limit }) => ({ limit }),
  earliest: (condition) => earliestRow('receipts', condition('due_at')),
  poison: { suspectedAfter: 2 },
  released: { where: 'true' },
})

/** `due_at`: when it is applied at the earliest. */
const NEW = ['id', 'workspace_id', 'message_id', 'n', 'receipt', 'due_at'] as const

export type NewReceipt = Row<'receipts', (typeof NEW)[number]>

/** For the parameters with the receipts and the time: of a statement with more, where the condition holds. */
export const receiptsInsertText = (receipts: string, now: string, condition = 'true') =>
  `insert into receipts (${columnList(NEW)}, created)
    select ${columnList(NEW)}, ${now}::bigint from ${recordset(receipts, 'r', typesOf('receipts', NEW))}
    where ${condition}
    on conflict do nothing`

export const receiptsText = (receipts: readonly NewReceipt[]) => storableJson(JSON.stringify(receipts))

/** Only for messages that exist in the workspace, or will soon: an unknown one is dropped when its time is over. */
export const receiptsInsert = (receipts: readonly NewReceipt[], now: number): Statement => ({
  text: receiptsInsertText('$1', '$2'),
  values: [receiptsText(receipts), now],
  name: 'insert-receipts',
})

/**
 * The same for uses of our own links. None of a person who is erased, or is being erased: a link of an old mail must not
 * say anything about them.
 */
export const usesInsert = (uses: readonly NewReceipt[], now: number): Statement => ({
  text: receiptsInsertText(
    '$1',
    '$2',
    `(${messageById(ofErased('m'), 'r.message_id', '(m.workspace_id = r.workspace_id) is true')}) is not true`,
  ),
  values: [receiptsText(uses), now],
  name: 'insert-uses',
})

/** Whether the recipient of a message is erased, or is being erased. */
export const ofErased = (message: string) =>
  `(${message}.recipient ~ '^erased-[0-9a-f]{32}$' or ${beingErased(message)})`

// No `exists`: of a join the planner may read every message before the erasures.
const beingErased = (message: string) => `coalesce((
    select true from erasures e where e.workspace_id = ${message}.workspace_id and e.person = ${message}.recipient limit 1), false)`

export const receiptsDelete = (receipts: readonly Lease[]): Statement => ({
  text: `delete from receipts t using ${leaseRows('$1')}
    where ${byKey('t.id', 'r.id')} and t.lease = r.lease`,
  values: [leases(receipts)],
  name: 'delete-receipts',
})

/** It waits for its release, unless its person is erased: it may have their address. */
export async function deadLetterReceipt(engine: Engine, letter: DeadLetter): Promise<void> {
  const values = [letter.id, letter.lease]
  await engine.batch([
    guardPlan,
    receiptQueue.deadLetterInsert(letter),
    {
      text: `delete from receipts t where t.id = $1 and t.lease = $2
        and (${messageById(ofErased('m'), 't.message_id', '(m.workspace_id = t.workspace_id) is true')})`,
      values,
    },
    { text: 'update receipts set due_at = null, lease = null where id = $1 and lease = $2', values },
  ])
}

/** They came before the commit of their delivery: each waits as long again as it has waited, five minutes at most. */
export const receiptsPostpone = (receipts: readonly Lease[], now: number): Statement => ({
  text: `update receipts t set lease = null, claims = 0,
      due_at = $2::bigint + least(greatest($2::bigint - t.created, ${SECOND}), ${5 * MINUTE})
    from ${leaseRows('$1')} where ${byKey('t.id', 'r.id')} and t.lease = r.lease`,
  values: [leases(receipts), now],
  name: 'postpone-receipts',
})

const leases = (receipts: readonly Lease[]) =>
  JSON.stringify(inLockOrder(receipts).map(({ id, lease }) => ({ id, lease })))

const PENDING_MAX = 200

/** The receipts of our own tracking that wait for these deliveries: their ids begin with that of the delivery. */
export async function pendingReceipts(
  engine: Engine,
  deliveries: readonly { message_id: string; n: number }[],
): Promise<Pick<ReceiptRow, 'id' | 'message_id' | 'n' | 'receipt'>[]> {
  const { rows } = await engine.run<Pick<ReceiptRow, 'id' | 'message_id' | 'n' | 'receipt'>>({
    text: `select r.id, r.message_id, r.n, r.receipt from unnest($1::text[]) d(prefix)
      cross join lateral (select * from receipts t where t.id >= d.prefix collate "C" and t.id < (d.prefix || '~') collate "C"
        order by t.id limit ${PENDING_MAX}) r`,
    values: [[...new Set(deliveries.map(({ message_id, n }) => `${message_id}-${n}-`))]],
    name: 'pending-receipts',
  })
  return rows
}
const RECEIVING = [
  ...(['id', 'workspace_id', 'due_at', 'status', 'error', 'reason', 'reason_code', 'recipient', 'deliveries'] as const),
  'flushes' as const,
]

/** A message as receipts change it. */
export interface ReceivingMessage extends Row<'messages', (typeof RECEIVING)[number]> {
  /** True while a worker has it: it would write over what is changed here. */
  is_leased: boolean
  /** True while its recipient is being erased, and afterwards. */
  is_erased: boolean
}

/** Those of the messages that exist. */
export async function receivingMessages(
  engine: Engine,
  receipts: readonly Pick<ReceiptRow, 'workspace_id' | 'message_id'>[],
): Promise<ReceivingMessage[]> {
  const finding: Statement = {
    text: `select distinct on (m.id) ${columnList(RECEIVING, 'm')}, m.lease is not null as is_leased,
        ${ofErased('m')} as is_erased
      from ${recordset('$1', 'r', typesOf('receipts', ['workspace_id', 'message_id']))}
      cross join lateral (${messageById('*', 'r.message_id', '(m.workspace_id = r.workspace_id) is true')}) m`,
    values: [JSON.stringify(receipts.map(({ workspace_id, message_id }) => ({ workspace_id, message_id })))],
    name: 'receiving-messages',
  }
  const [, result] = await engine.batch([guardPlan, finding])
  return rowsOf<ReceivingMessage>(result)
}

const APPLIED = ['id', 'flushes', 'status', 'delivered', 'opened', 'clicked', 'error', 'reason', 'reason_code'] as const
const RAW = ['due_at', 'deliveries', 'events'] as const

/**
 * A message with its receipts applied; written only while it is as it was read. A live one is decided again at `due_at`;
 * null: when it would be anyway.
 */
export interface AppliedReceipts extends Row<'messages', (typeof APPLIED)[number] | 'due_at'> {
  /** The id of its webhook event; null when the status is as before. */
  outbox_id: string | null
  /** Raw JSON, spliced into the parameter as it is. */
  deliveries: string
  events: string
}

const CHANGED = ['status', 'delivered', 'opened', 'clicked', 'error', 'reason', 'reason_code', 'deliveries'] as const

// An erasure that has started since the message was read comes first.
const applyTo = (table: string, byId: typeof byKey) => `
    update ${table} m set ${CHANGED.map((column) => `${column} = r.${column}`).join(', ')}, flushes = m.flushes + 1,
      due_at = case when m.due_at is null then null else least(m.due_at, r.due_at) end
    from r where ${byId('m.id', 'r.id')} and m.flushes = r.flushes and m.lease is null and not ${beingErased('m')}
    returning m.id, m.workspace_id, m.flushes, r.events, r.outbox_id`

const apply = `with r as materialized (
    select * from ${recordset('$1', 'r', { ...typesOf('messages', [...APPLIED, ...RAW]), outbox_id: columnTypes.webhook_deliveries.id })}
  ),
  live as (${applyTo('messages_live', byLiveId)}),
  final as (${applyTo('messages_final', byKey)}),
  u as (select * from live union all select * from final),
  h as (
    insert into history (message_id, flush, workspace_id, events)
    select id, flushes, workspace_id, events from u where events <> '[]'
  ),
  o as (${outboxInsertFrom(`(
    select outbox_id as id, workspace_id, 'message:updated' as type, id as message_id, null::text as payload, $2::bigint as at
    from u where outbox_id is not null
  ) a`)})
  select coalesce(json_agg(id), '[]') as ids from u`

/** One commit: the messages, their history and webhook events, and what follows from it. Returns the ids that were written. */
export async function writeReceipts(
  engine: Engine,
  applied: readonly AppliedReceipts[],
  suppressions: readonly RecordedSuppression[],
  now: number,
): Promise<ReadonlySet<string>> {
  const records = inLockOrder(applied).map(
    ({ deliveries, events, ...columns }) =>
      `${JSON.stringify(columns).slice(0, -1)},"deliveries":${deliveries},"events":${events}}`,
  )
  const [, result] = await engine.batch([
    guardPlan,
    { text: apply, values: [storableJson(jsonList(records)), now], name: 'apply-receipts' },
    ...(suppressions.length > 0 ? [recordedSuppressionsInsert(suppressions)] : []),
  ])
  const [written] = rowsOf<{ ids: string[] }>(result)
  return new Set(written?.ids)
}
