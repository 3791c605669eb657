/** The outbox of webhooks: one row for each subscribed webhook, written in the commit of the change. */

import { timedId } from '../../../base/ids.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Engine, Statement } from '../../engine.ts'
import { recordset, typesOf } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { messageById } from '../messages/live-partition.ts'

/** An event about a message is rendered when it is sent; other events carry `data`. */
export type WebhookEvent =
  | { workspaceId: number; messageId: string }
  | { workspaceId: number; type: string; data: JsonObject }

const MESSAGE_UPDATED = 'message:updated'
/** Its `data` has the number of a person as `from`. */
export const TEXT_RECEIVED = 'sms:received'

/** `source` is a table expression named `a` with id, workspace_id, type, message_id, payload and at. */
export const outboxInsertFrom = (source: string) => `insert into webhook_deliveries
    (id, workspace_id, webhook_id, type, message_id, payload, due_at, created)
  select a.id || '-' || h.id, h.workspace_id, h.id, a.type, a.message_id, a.payload, a.at, a.at
  from ${source}
  join webhooks h on h.workspace_id = a.workspace_id and h.enabled and jsonb_exists(h.types, a.type)
  on conflict do nothing`

const insertEvents = outboxInsertFrom(
  recordset('$1', 'a', {
    ...typesOf('webhook_deliveries', ['id', 'workspace_id', 'type', 'message_id', 'payload']),
    at: columnTypes.webhook_deliveries.created,
  }),
)

/** For the batch of the change. Inserts nothing without a subscribed webhook. */
export function outboxInsert(events: readonly WebhookEvent[], now: number): Statement {
  const records = events.map((event) => ({
    id: timedId(now),
    workspace_id: event.workspaceId,
    ...('messageId' in event
      ? { type: MESSAGE_UPDATED, message_id: event.messageId }
      : { type: event.type, payload: JSON.stringify(event.data) }),
    at: now,
  }))
  return { text: insertEvents, values: [JSON.stringify(records)], name: 'outbox-insert' }
}

/** Text messages from the numbers, in the form in which they were stored. */
export const receivedTextsDelete = (workspaceId: number, numbers: readonly string[]): Statement => ({
  text: `delete from webhook_deliveries where workspace_id = $1 and type = '${TEXT_RECEIVED}'
    and payload::json ->> 'from' = any($2::text[])`,
  values: [workspaceId, numbers],
})

interface ChangedPreferences {
  userId: string
  tenantId?: string
  topicIds?: readonly string[]
  /** The link in a message by which the recipient changed them. */
  source?: 'one_click' | 'page'
  messageId?: string
}

/** The preferences of a user changed: everywhere or in a tenant, all or for these topics. */
export function preferencesOutboxInsert(
  workspaceId: number,
  { userId, tenantId, topicIds, source, messageId }: ChangedPreferences,
  now: number,
): Statement {
  const data = {
    user_id: userId,
    ...(tenantId && { tenant_id: tenantId }),
    ...(topicIds && { topic_ids: topicIds }),
    ...(source && { source }),
    ...(messageId && { message_id: messageId }),
  }
  return outboxInsert([{ workspaceId, type: 'preferences:user:updated', data }], now)
}

export interface OutboxEntry {
  /** Generated once, so that a repeated commit inserts no second event. */
  id: string
  message_id: string
  /** The flush number of the message before its record. */
  flushes: number
  at: number
}

const insertRecorded = outboxInsertFrom(`(
    select r.id, m.workspace_id, '${MESSAGE_UPDATED}' as type, m.id as message_id, null::text as payload, r.at
    from ${recordset('$1', 'r', {
      ...typesOf('webhook_deliveries', ['id', 'message_id']),
      flushes: columnTypes.messages.flushes,
      at: columnTypes.webhook_deliveries.created,
    })}
    cross join lateral (${messageById('id, workspace_id', 'r.message_id', 'm.flushes = r.flushes + 1')}) m
  ) a`)

/** After the statement that records the messages: a message whose lease was lost inserts no event. */
export function outboxInsertRecorded(entries: readonly OutboxEntry[]): Statement {
  return { text: insertRecorded, values: [JSON.stringify(entries)], name: 'outbox-insert-recorded' }
}

/** For messages that the common table expression `m` has changed, each with its `outbox_id`; `at` is a parameter. */
export const outboxInsertChanged = (at: string) =>
  outboxInsertFrom(`(
    select m.outbox_id as id, m.workspace_id, '${MESSAGE_UPDATED}' as type, m.id as message_id,
      null::text as payload, ${at}::bigint as at
    from m
  ) a`)

/** The workspaces with a webhook that is subscribed to messages. */
export async function workspacesWithMessageWebhooks(engine: Engine): Promise<ReadonlySet<number>> {
  const { rows } = await engine.run<{ id: number }>({
    text: `select distinct workspace_id as id from webhooks where enabled and jsonb_exists(types, $1)`,
    values: [MESSAGE_UPDATED],
    name: 'workspaces-with-message-webhooks',
  })
  return new Set(rows.map(({ id }) => id))
}
