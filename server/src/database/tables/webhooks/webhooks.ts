/** Webhooks: endpoints of a workspace with the events they subscribe to, and their deliveries, recorded only while the lease holds. */

import { storableJson } from '../../../base/json/json.ts'
import { decodeCursor, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { type DeadLetter, defineQueue, dueRows, earliestRow, type LeasedRow } from '../../leased-queue.ts'
import {
  byKey,
  columnList,
  expectRows,
  firstRow,
  guardPlan,
  inLockOrder,
  query,
  type Row,
  recordset,
  rows,
  statement,
  typesOf,
} from '../../query.ts'

const COLUMNS = ['id', 'url', 'secret', 'types', 'enabled', 'version', 'created', 'updated'] as const

/** The secret is encrypted; null: requests are not signed. */
export type WebhookRow = Row<'webhooks', (typeof COLUMNS)[number]>

const webhooksOf = (workspaceId: number) =>
  query.selectFrom('webhooks').select(COLUMNS).where('workspace_id', '=', workspaceId)

/** Oldest first. */
export function listWebhooks(engine: Reader, workspaceId: number, limit: number): Promise<WebhookRow[]> {
  return rows(engine, webhooksOf(workspaceId).orderBy('created').orderBy('id').limit(limit))
}

export function findWebhook(engine: Reader, workspaceId: number, id: string): Promise<WebhookRow | undefined> {
  return firstRow(engine, webhooksOf(workspaceId).where('id', '=', id))
}

/** Must affect a row; affects none when the workspace has `max` of them already. */
export function insertWebhook(workspaceId: number, row: WebhookRow, max: number): Statement[] {
  const { id, url, secret, types, enabled, version, created, updated } = row
  const values = [workspaceId, id, url, secret, JSON.stringify(types), enabled, version, created, updated, max]
  const insert = {
    text: `insert into webhooks (workspace_id, id, url, secret, types, enabled, version, created, updated)
      select $1::smallint, $2, $3, $4, $5::jsonb, $6::boolean, $7::integer, $8::bigint, $9::bigint
      where (select count(*) from webhooks where workspace_id = $1::smallint) < $10::integer`,
    values,
  }
  return [expectRows(insert)]
}

/** Writes the successor of the row's version; false on a conflict. */
export function updateWebhook(
  workspaceId: number,
  { id, version, created: _created, ...row }: WebhookRow,
): Statement[] {
  const update = query
    .updateTable('webhooks')
    .set({ ...row, types: JSON.stringify(row.types), version: version + 1 })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('version', '=', version)
  return [expectRows(statement(update))]
}

/** Must affect a row; affects none when there was none. Its waiting calls are ended by `expireDeliveries`. */
export function deleteWebhook(workspaceId: number, id: string): Statement[] {
  const row = query.deleteFrom('webhooks').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [expectRows(statement(row))]
}

const CLAIMED = [
  ...(['workspace_id', 'webhook_id', 'type', 'message_id', 'payload', 'attempts', 'created', 'replay_of'] as const),
]
const ENDPOINT = ['url', 'secret'] as const

/** A claimed delivery with its webhook. */
export type LiveDelivery = LeasedRow &
  Row<'webhook_deliveries', (typeof CLAIMED)[number]> &
  Row<'webhooks', (typeof ENDPOINT)[number]>

/** The queue of deliveries: for each webhook at most its free slots in `busy`, or `room` for other webhooks. */
export const webhookDeliveryQueue = defineQueue<
  LiveDelivery,
  { busy: readonly { webhook_id: string; room: number }[]; room: number }
>({
  name: 'webhook_delivery',
  deadLettered: 'webhook_delivery.dead_lettered',
  table: 'webhook_deliveries',
  columns: `${columnList(CLAIMED, 't')}, ${columnList(ENDPOINT, 'picked')}`,
  // The index is read for each webhook, so that one with many deliveries, or one that hangs, delays no other.
  due: `due as materialized (
    select d.id, d.claims, d.due_at, h.url, h.secret from webhooks h
    left join ${recordset(':busy', 'b', { ...typesOf('webhook_deliveries', ['webhook_id']), room: 'integer' })} on b.webhook_id = h.id
    cross join lateral (${dueRows('webhook_deliveries', {
      where: 'webhook_id = h.id and workspace_id = h.workspace_id',
      limit: 'coalesce(b.room, :room::integer)',
    })}) d
    where h.enabled)`,
  bounds: ({ busy, room }) => ({ busy: JSON.stringify(busy), room }),
  earliest: (condition) => `(select min(d.due_at) from webhooks h,
    lateral ${earliestRow('webhook_deliveries', condition('due_at'), 'webhook_id = h.id')} d where h.enabled)`,
  poison: { suspectedAfter: 4 },
  released: {
    where:
      't.delivered is null and exists (select from webhooks h where h.id = t.webhook_id and h.workspace_id = t.workspace_id)',
    // Its time begins anew.
    set: 'error = null, created = :now',
  },
})

const REPLY = ['attempted', 'reply_status', 'reply_body'] as const
const WRITTEN = ['id', 'lease', 'due_at', 'attempts', 'delivered', 'error'] as const

/** The result of a claimed delivery: not written under another lease; final without a due time. Without an attempt the columns of the last one stay. */
export type DeliveryRecord = Row<'webhook_deliveries', (typeof WRITTEN)[number]> & { lease: string } & Partial<
    Row<'webhook_deliveries', (typeof REPLY)[number]>
  >

const record: Pick<Statement, 'text' | 'name'> = {
  text: `update webhook_deliveries d set due_at = r.due_at, lease = null, claims = 0, attempts = r.attempts,
      delivered = r.delivered, error = r.error, attempted = coalesce(r.attempted, d.attempted),
      reply_status = case when r.attempted is null then d.reply_status else r.reply_status end,
      reply_body = case when r.attempted is null then d.reply_body else r.reply_body end
    from ${recordset('$1', 'r', typesOf('webhook_deliveries', [...WRITTEN, ...REPLY]))}
    where ${byKey('d.id', 'r.id')} and d.lease = r.lease`,
  name: 'record-deliveries',
}

const switchOff: Pick<Statement, 'text' | 'name'> = {
  text: `update webhooks h set enabled = false, version = h.version + 1, updated = $2
    from (select distinct workspace_id, id from ${recordset('$1', 'r', typesOf('webhooks', ['workspace_id', 'id']))}) r
    where h.workspace_id = r.workspace_id and h.id = r.id and h.enabled`,
  name: 'switch-off-webhooks',
}

/** `gone`: webhooks that answered 410, which are disabled in the same commit. `letters`: those that are given up. */
export async function recordDeliveries(
  engine: Engine,
  records: readonly DeliveryRecord[],
  gone: readonly { workspace_id: number; id: string }[],
  now: number,
  letters: readonly DeadLetter[] = [],
): Promise<void> {
  const written = { ...record, values: [storableJson(JSON.stringify(inLockOrder(records)))] }
  const off = { ...switchOff, values: [JSON.stringify(gone), now] }
  const ended = letters.map((letter) => webhookDeliveryQueue.deadLetterInsert(letter))
  await engine.batch([guardPlan, ...ended, written, ...(gone.length > 0 ? [off] : [])])
}

/** Ends a bounded slice of deliveries whose webhook was deleted, or that were created before `before`. */
export async function expireDeliveries(engine: Engine, before: number, now: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `update webhook_deliveries set due_at = null, lease = null, error = coalesce(error, 'No attempt succeeded in time')
        where id in (
          select id from webhook_deliveries d where due_at is not null and (lease is null or due_at < $3)
            and (created < $1 or not exists (
              select 1 from webhooks h where h.workspace_id = d.workspace_id and h.id = d.webhook_id))
          limit $2 for update skip locked
        )`,
    values: [before, limit, now],
  })
  return affected
}

export type DeliveryStatus = 'WAITING' | 'DELIVERED' | 'FAILED'

const SHOWN = [
  ...(['id', 'type', 'message_id', 'attempts', 'created', 'due_at', 'lease', 'delivered', 'error'] as const),
  ...REPLY,
  'replay_of' as const,
]

export type DeliveryRow = Row<'webhook_deliveries', (typeof SHOWN)[number]>

export function findDelivery(
  engine: Reader,
  workspaceId: number,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<DeliveryRow | undefined> {
  const selection = query.selectFrom('webhook_deliveries').select(SHOWN).where('workspace_id', '=', workspaceId)
  return firstRow(engine, selection.where('webhook_id', '=', webhookId).where('id', '=', id))
}

/** Must affect a row; affects none when there is no such delivery any more. */
export const deliveryReplay = (
  workspaceId: number,
  webhookId: string,
  { id, newId, now }: { id: string; newId: string; now: number },
): Statement =>
  expectRows({
    text: `insert into webhook_deliveries
        (id, workspace_id, webhook_id, type, message_id, payload, due_at, created, replay_of)
      select $4::text || '-' || d.webhook_id, d.workspace_id, d.webhook_id, d.type, d.message_id, d.payload, $5::bigint, $5::bigint,
        coalesce(d.replay_of, d.id)
      from webhook_deliveries d where d.workspace_id = $1 and d.webhook_id = $2 and d.id = $3`,
    values: [workspaceId, webhookId, id, newId, now],
  })

/** Newest first. */
export async function listDeliveries(
  engine: Reader,
  workspaceId: number,
  webhookId: string,
  filter: { status?: DeliveryStatus; cursor?: string },
  limit: number,
) {
  let selection = query
    .selectFrom('webhook_deliveries')
    .select(SHOWN)
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', webhookId)
  const { status, cursor } = filter
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  if (status === 'WAITING') selection = selection.where('due_at', 'is not', null)
  if (status === 'FAILED') selection = selection.where('due_at', 'is', null).where('delivered', 'is', null)
  if (status === 'DELIVERED') selection = selection.where('delivered', 'is not', null)
  return pageOf(await rows(engine, selection.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}
