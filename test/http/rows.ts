/** Messages put into the database as the pipeline would have left them. */
import { timedId } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'

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
