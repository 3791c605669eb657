/** Rows as the pipeline and the background jobs leave them, and stored secrets, which no reply of the API shows. */
import { timedId } from '@postrider/server/internal/base/ids'
import { decrypt } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
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
