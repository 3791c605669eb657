/** Rows as the pipeline and the background jobs leave them, and stored secrets, which no reply of the API shows. */
import { timedId } from '@postrider/server/internal/base/ids'
import { decrypt } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { unrecognizedBounceInsert } from '@postrider/server/internal/database/tables/messages/unrecognized-bounces'
import { outboxInsert } from '@postrider/server/internal/database/tables/webhooks/webhook-outbox'
import { type DigestEvent, digestEventAdd } from '@postrider/server/internal/digests/events'
import { appSecretKey } from './recording-app.ts'

export const start = Date.UTC(2026, 0, 5)

export async function insertMessage(
  engine: Engine,
  at: number,
  columns: Record<string, unknown> = {},
): Promise<string> {
  const id = timedId(at)
  const row = {
    id,
    workspace_id: 1,
    lane: 0,
    status: 'ENQUEUED',
    event: 'e',
    recipient: 'r',
    mode: 'live',
    enqueued: at,
    first_due: at,
    input: '{}',
    ...columns,
  }
  const names = Object.keys(row)
  await engine.run({
    text: `insert into messages (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    values: Object.values(row),
  })
  return id
}

/** A dead letter, and the ended message that it is about. */
export async function insertDeadLetter(
  engine: Engine,
  at: number,
  columns: Record<string, unknown> = {},
): Promise<{ id: string; subject: string }> {
  const failed = { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'Dead-lettered', flushes: 1, ...columns }
  const subject = await insertMessage(engine, at, failed)
  const id = timedId(at)
  await engine.run({
    text: `insert into dead_letters (id, workspace_id, kind, subject_id, error, attempts, node, created)
      select $1, workspace_id, 'message', id, 'Dead-lettered after 9 attempts to process it without an outcome', 9, 'n', $3
      from messages where id = $2`,
    values: [id, subject, at],
  })
  return { id, subject }
}

/** A dead letter without a row that it is about, with a text of the caller as its error and its node. */
export async function insertDeadLetterOf(engine: Engine, at: number, text: string): Promise<void> {
  await engine.run({
    text: `insert into dead_letters (id, workspace_id, kind, subject_id, error, attempts, node, created)
      values ($1, 1, 'receipt', $2, $2, 9, $2, $3)`,
    values: [timedId(at), text, at],
  })
}

/** A node of this id and version, in the state of one that is there. */
export async function insertNode(engine: Engine, at: number, id: string): Promise<void> {
  await engine.run({
    text: 'insert into nodes (id, version, started, seen, state) select $1, $1, $2, $2, state from nodes limit 1',
    values: [id, at],
  })
}

export const delivery = {
  n: 0,
  channel: 'email',
  provider: 'sendgrid',
  integration: 'I',
  state: 'sent',
  attempts: 1,
  firstAt: start,
  sentAt: start + 5,
  deliveredAt: start + 9,
  reference: { 'x-message-id': 'abc' },
  log: [],
}

/** Adds the event to the digest of its recipient, and opens one where none is open. */
export async function addDigestEvent(engine: Engine, event: DigestEvent, at: number): Promise<void> {
  await engine.batch(await digestEventAdd(engine, event, at))
}

/** A delivery of each event to each webhook that has its type. */
export async function addWebhookDeliveries(
  engine: Engine,
  events: Parameters<typeof outboxInsert>[0],
  at: number,
): Promise<void> {
  await engine.batch([outboxInsert(events, at)])
}

/** The row of an integration of production as text, and its secrets. */
export async function storedIntegration(engine: Engine, id: string): Promise<{ row: string; secrets: unknown }> {
  const { rows } = await engine.run<{ settings: object; secrets: string }>({
    text: 'select settings, secrets from integrations where id = $1',
    values: [id],
  })
  return {
    row: JSON.stringify(rows),
    secrets: JSON.parse(decrypt(appSecretKey, rows[0]!.secrets, `integration:1:${id}`)),
  }
}

/** A mail about a message, which came to its bounce address and was not understood. */
export async function insertUnrecognizedBounce(
  engine: Engine,
  at: number,
  messageId: string,
  mail: string,
  { workspaceId = 1, envelopeSender = null }: { workspaceId?: number; envelopeSender?: string | null } = {},
): Promise<string> {
  const id = timedId(at)
  const row = {
    id,
    workspace_id: workspaceId,
    message_id: messageId,
    created: at,
    envelope_sender: envelopeSender,
    mail,
  }
  await engine.run(unrecognizedBounceInsert(row))
  return id
}
