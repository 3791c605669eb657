/** The backlog by lane is right and cheap at any size: counted from the index of the claim, estimated beyond a bound. */

import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { readBacklog } from '@postrider/server/internal/database/queues'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newMigratedDatabase } from '../support/databases.ts'
import { isLong } from '../support/run/long.ts'

const now = 1_795_000_000_000
const MILLION = 1_000_000
let engine: Engine
const execute = (text: string) => engine.batch([{ text, values: [] }], { timeoutMs: 120_000 })

/** `n` messages of a lane, the first of them due at `due`, one each millisecond. */
const insert = (lane: number, due: number, n: number) =>
  execute(`insert into messages (id, workspace_id, lane, due_at, status, event, recipient, mode, enqueued, first_due, input)
    select '1-6afd7c08-' || lpad(to_hex(${lane}::bigint << 40 | ${due - now + MILLION * 10} + i), 24, '0'), 1, ${lane},
      ${due} + i, 'ENQUEUED', 'e', 'r', 'live', ${now}, ${now}, '{}' from generate_series(0, ${n - 1}) i`)

beforeAll(async () => {
  const address = { connectionString: await newMigratedDatabase() }
  engine = await openPostgres({ address, kind: 'server', log: createLog('silent') })
})
afterAll(() => engine?.close())

test('an empty installation has nothing in any lane', async () => {
  const none = { waiting: 0, overdue: 0, oldest: null }
  expect(await readBacklog(engine, now)).toEqual([0, 1, 2].map((lane) => ({ lane, ...none })))
})

test('the counts of due and of later messages, and the oldest due time', async () => {
  await insert(0, now - 60_000, 3)
  await insert(0, now + 60_000, 2)
  await insert(2, now, 1)
  expect(await readBacklog(engine, now)).toEqual([
    { lane: 0, waiting: 2, overdue: 3, oldest: now - 60_000 },
    { lane: 1, waiting: 0, overdue: 0, oldest: null },
    { lane: 2, waiting: 0, overdue: 1, oldest: now },
  ])
})

test.runIf(isLong)(
  'a million rows cost no more than a bound, and are about a million',
  { timeout: 180_000 },
  async () => {
    // Nothing here reads the other indexes, and filling them takes most of the time.
    await execute(`do $$ declare i regclass; begin
    for i in select indexrelid from pg_index where indrelid = 'messages'::regclass and not indisprimary loop
      execute 'drop index ' || i;
    end loop; end $$`)
    await insert(1, now - MILLION, MILLION)
    await execute('analyze messages_live')
    const [, automation] = await readBacklog(engine, now)
    expect(automation?.oldest).toBe(now - MILLION)
    expect(automation?.overdue).toBeGreaterThan(0.9 * MILLION)
    expect(automation?.overdue).toBeLessThan(1.1 * MILLION)
    const times = { bounded: [] as number[], whole: [] as number[] }
    for (let n = 0; n < 5; n += 1) {
      const start = performance.now()
      await readBacklog(engine, now)
      times.bounded.push(performance.now() - start)
      await execute(`select count(*) from messages where lane = 1 and due_at <= ${now}`)
      times.whole.push(performance.now() - start - (times.bounded.at(-1) ?? 0))
    }
    expect(Math.min(...times.bounded)).toBeLessThan(Math.min(...times.whole) / 2)
  },
)
