/** Reads in one statement which queues have a due row, so that idle loops need not poll one by one. */
import type { Engine } from '../../engine.ts'
import { guardPlan, rowsOf } from '../../query.ts'

const earliest = (table: string, more = 'true') =>
  `(select due_at from ${table} where due_at is not null and ${more} order by due_at limit 1)`

/** The first due time of each queue: the first entry of the index of its claim. */
const queues = {
  messages: `least(${[0, 1, 2].map((lane) => earliest('messages', `lane = ${lane}`)).join(', ')})`,
  'fan-out': earliest('requests'),
  runs: `(select min(d.due_at) from workspaces w, (values (1), (2)) l(lane),
    lateral ${earliest('runs', 'lane = l.lane and workspace_id = w.id')} d)`,
  schedules: earliest('automation_triggers'),
  digests: earliest('digests'),
  erasure: earliest('erasures'),
  webhooks: `(select min(d.due_at) from webhooks h,
    lateral ${earliest('webhook_deliveries', 'webhook_id = h.id')} d where h.enabled)`,
  'keep-members': `case when exists (select from audience_changes) then 0 else ${earliest('audiences')} end`,
}

export type QueueName = keyof typeof queues

const names = Object.keys(queues) as QueueName[]
const text = `select ${names.map((name) => `${queues[name]} as "${name}"`).join(',\n')}`

export async function dueQueues(engine: Engine, now: number): Promise<QueueName[]> {
  const [, result] = await engine.batch([guardPlan, { text, values: [], name: 'due-queues' }])
  const [due] = rowsOf<Record<QueueName, number | null>>(result)
  return names.filter((name) => (due?.[name] ?? Number.POSITIVE_INFINITY) <= now)
}
