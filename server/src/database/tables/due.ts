/** Which queues have a row that is due, asked in one statement: loops with nothing to do need not ask one by one. */
import type { Engine } from '../engine.ts'

/** Each as the claim of its queue looks for it, so that its index answers. */
const conditions = {
  messages: [0, 1, 2].map((lane) => `exists (select from messages where lane = ${lane} and due_at <= $1)`).join(' or '),
  'fan-out': 'exists (select from requests where due_at <= $1)',
  runs: `exists (select from workspaces w, (values (1), (2)) l(lane),
    lateral (select from runs where lane = l.lane and workspace_id = w.id and due_at <= $1 order by due_at limit 1) d)`,
  schedules: 'exists (select from automation_triggers where due_at <= $1)',
  digests: 'exists (select from digests where due_at <= $1)',
  erasure: 'exists (select from erasures where due_at <= $1)',
  webhooks: `exists (select from webhooks h,
    lateral (select from webhook_deliveries where webhook_id = h.id and due_at <= $1 order by due_at limit 1) d
    where h.enabled)`,
  'keep-members': 'exists (select from audience_changes) or exists (select from audiences where due_at <= $1)',
}

export type QueueName = keyof typeof conditions

const names = Object.keys(conditions) as QueueName[]
const text = `select ${names.map((name) => `${conditions[name]} as "${name}"`).join(',\n')}`

export async function dueQueues(engine: Engine, now: number): Promise<QueueName[]> {
  const { rows } = await engine.run<Record<QueueName, boolean>>({ text, values: [now], name: 'due-queues' })
  return names.filter((name) => rows[0]?.[name])
}
