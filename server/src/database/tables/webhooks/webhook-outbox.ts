/** The outbox of webhooks: one row for each subscribed webhook, written in the commit of the change. */
import { timedId } from '../../../base/ids.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Engine, Statement } from '../../engine.ts'

/** What is told of a message is read when it is sent; of everything else it is `data`. */
export type WebhookEvent =
  | { workspaceId: number; messageId: string }
  | { workspaceId: number; type: string; data: JsonObject }

const MESSAGE_UPDATED = 'message:updated'

/** `source` stands under the name `a` and has id, workspace_id, type, message_id, payload and at. */
export const outboxInsertFrom = (source: string) => `insert into webhook_deliveries
    (id, workspace_id, webhook_id, type, message_id, payload, due_at, created)
  select a.id || '-' || h.id, h.workspace_id, h.id, a.type, a.message_id, a.payload, a.at, a.at
  from ${source}
  join webhooks h on h.workspace_id = a.workspace_id and h.enabled and jsonb_exists(h.types, a.type)
  on conflict do nothing`

const insertEvents = outboxInsertFrom(
  'json_to_recordset($1::json) as a(id text, workspace_id smallint, type text, message_id text, payload text, at bigint)',
)

/** For the batch that writes what happened. Writes nothing where no webhook listens. */
export function outboxInsert(happened: readonly WebhookEvent[], now: number): Statement {
  const records = happened.map((one) => ({
    id: timedId(now),
    workspace_id: one.workspaceId,
    ...('messageId' in one
      ? { type: MESSAGE_UPDATED, message_id: one.messageId }
      : { type: one.type, payload: JSON.stringify(one.data) }),
    at: now,
  }))
  return { text: insertEvents, values: [JSON.stringify(records)], name: 'outboxInsert' }
}

/** What a user wants was written: everywhere or in a tenant, of everything or of these topics. */
export function preferencesOutboxInsert(
  workspaceId: number,
  { userId, tenantId, topicIds }: { userId: string; tenantId?: string; topicIds?: readonly string[] },
  now: number,
): Statement {
  const data = { user_id: userId, ...(tenantId && { tenant_id: tenantId }), ...(topicIds && { topic_ids: topicIds }) }
  return outboxInsert([{ workspaceId, type: 'preferences:user:updated', data }], now)
}

export interface OutboxEntry {
  /** Made once, so that a commit that is repeated announces nothing twice. */
  id: string
  message_id: string
  /** Of the message before its record. */
  flushes: number
  at: number
}

const insertRecorded = outboxInsertFrom(`(
    select r.id, m.workspace_id, '${MESSAGE_UPDATED}' as type, m.id as message_id, null::text as payload, r.at
    from json_to_recordset($1::json) as r(id text, message_id text, flushes integer, at bigint)
    join messages m on m.id = r.message_id and m.flushes = r.flushes + 1
  ) a`)

/** Behind the statement that records the messages: one whose lease was lost is not announced. */
export function outboxInsertRecorded(announcements: readonly OutboxEntry[]): Statement {
  return { text: insertRecorded, values: [JSON.stringify(announcements)], name: 'outboxInsert-recorded' }
}

/** A message that the common table expression `m` has changed; takes an id and a moment as these parameters. */
export const outboxInsertChanged = (id: string, at: string) =>
  outboxInsertFrom(`(
    select ${id}::text as id, m.workspace_id, '${MESSAGE_UPDATED}' as type, m.id as message_id,
      null::text as payload, ${at}::bigint as at
    from m
  ) a`)

/** The workspaces in which a webhook wants to hear of messages. */
export async function workspacesWithMessageWebhooks(engine: Engine): Promise<ReadonlySet<number>> {
  const { rows } = await engine.run<{ id: number }>({
    text: `select distinct workspace_id as id from webhooks where enabled and jsonb_exists(types, $1)`,
    values: [MESSAGE_UPDATED],
    name: 'workspaces-listening',
  })
  return new Set(rows.map(({ id }) => id))
}
