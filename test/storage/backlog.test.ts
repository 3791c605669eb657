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
/** As `readBacklog` counts exactly. */
const COUNTED_MAX = 100_000
let engine: Engine
const execute = (text: string) => engine.batch([{ text, values: [] }], { timeoutMs: 120_000 })

/** `n` messages of a lane, the first of them due at `due`, one each millisecond. */
const insert = (lane: number, due: number, n: number) =>
  execute(`insert into messages (id, workspace_id, lane, due_at, status, event, recipient, mode, enqueued, first_due, input)
    select '1-6afd7c08-' || lpad(to_hex(${lane}::bigint << 40 | ${due - now + MILLION * 10} + i), 24, '0'), 1, ${lane},
      ${due} + i, 'ENQUEUED', 'e', 'r', 'live', ${now}, ${now}, '{}' from generate_series(0, ${n - 1}) i`)

/** Entries of indexes, and rows without one, that the connection has read so far. */
async function entriesRead(): Promise<number> {
  await engine.run({ text: 'select pg_stat_force_next_flush()', values: [] })
  const { rows } = await engine.run<{ read: number }>({
    text: `select ((select sum(idx_tup_read) from pg_stat_user_indexes)
      + (select sum(seq_tup_read) from pg_stat_user_tables))::float8 as read`,
    values: [],
  })
  return rows[0]?.read ?? Number.NaN
}

beforeAll(async () => {
  const address = { connectionString: await newMigratedDatabase() }
  // Statistics of reads are flushed for one connection at a time.
  engine = await openPostgres({ address, kind: 'server', connectionsMax: 1, log: createLog('silent') })
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
  'a million rows are about a million, and no more than a bound of them is read',
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
    const before = await entriesRead()
    await readBacklog(engine, now)
    expect((await entriesRead()) - before).toBeLessThan(COUNTED_MAX * 1.1)
  },
)
