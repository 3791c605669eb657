/** Topics with digests put into the database, events kept for them, and their results. */
import type { JsonObject } from '@postrider/server/internal/base/json/json'
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { digestEventAdd } from '@postrider/server/internal/digests/events'
import { createDigestRelease } from '@postrider/server/internal/digests/release'

/** The day before clocks change in Europe. */
export const start = Date.UTC(2026, 2, 28, 12)

const daily = { schedule_id: 'daily', frequency: 'daily', time: '09:00', timezone: 'Europe/Berlin' }
const weekly = { schedule_id: 'weekly', frequency: 'weekly', time: '09:00', day_of_week: 'monday' }
const allEvents = [{ category_key: 'digest', retain: 'FIRST', limit: 10 }]

export function digestFixture(engine: Engine) {
  const time = { now: start }
  const many = async (text: string, ...values: unknown[]) => (await engine.run({ text, values })).rows
  const options = {
    engine,
    secretKey: secretKey(Buffer.alloc(32, 7)),
    log: createLog('silent'),
    leaseMs: 1_000,
    now: () => time.now,
    wake: () => undefined,
    accepted: () => undefined,
  }
  const messagesOf = (recipient: string) =>
    many(
      `select id, workspace_id, status, due_at, event, mode, tenant_id, run_id, input from messages where recipient = $1 order by id`,
      recipient,
    )
  return {
    time,
    many,
    options,
    messagesOf,
    /** `null`: without a digest. */
    async topic(id: string, categories: object[] | null = allEvents, workspaceId = 1) {
      const schedules = [daily, weekly].map((schedule) => ({
        ...schedule,
        is_default: schedule === daily,
        disabled: false,
      }))
      await many(
        `insert into preference_topics
          (workspace_id, id, section_id, name, default_status, settings, created, updated, creator, updater)
          values ($3, $1, 's', 'n', 'OPTED_IN', $2, 0, 0, 'c', 'c')`,
        id,
        JSON.stringify(categories ? { digest: { template_id: 'summary', schedules, categories } } : {}),
        workspaceId,
      )
    },
    async keep(topicId: string, recipient: string, data: JsonObject, id: string, more: object = {}) {
      const event = { id, workspaceId: 1, mode: 'live' as const, topicId, recipient, data, ...more }
      await engine.batch(await digestEventAdd(engine, event, time.now))
    },
    /** Until nothing is due. */
    async release() {
      const step = createDigestRelease(options)
      while ((await step()) === 0);
    },
    /** The inputs of the released messages. */
    released: async (recipient: string) =>
      (await messagesOf(recipient))
        .filter(({ status }) => status === 'ENQUEUED')
        .map(({ input }) => JSON.parse(String(input))),
    digestsOf: (recipient: string) => many('select * from digests where recipient = $1 order by id', recipient),
  }
}
