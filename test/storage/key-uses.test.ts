/** Last uses of keys at rest: which one stays when nodes write at once, and how long an address stays. */

import type { Engine } from '@postrider/server/internal/database/engine'
import {
  type ApiKeyUse,
  clearKeyAddresses,
  expiryUpdate,
  keyUsesUpdate,
  revokeKey,
} from '@postrider/server/internal/database/tables/workspace/api-keys'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newMigratedDatabase } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const now = Date.UTC(2026, 5, 17, 12)
const today = Math.floor(now / DAY)

let address: string
let engine: Engine
beforeAll(async () => {
  address = await newMigratedDatabase()
  engine = await engineOn(address)
  await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
})
afterAll(() => engine?.close())
beforeEach(async () => {
  await engine.run({ text: 'delete from keys', values: [] })
  await engine.run({
    text: `insert into keys (id, workspace_id, kind, name, hash, hint, created)
      select id, 1, 'published', id, id, '', 0 from unnest(array['A', 'B', 'C', 'D']) as id`,
    values: [],
  })
})

const use = (...uses: [id: string, day: number, address: string | null][]) =>
  engine.run(keyUsesUpdate(uses.map(([id, day, address]): ApiKeyUse => ({ id, day, address }))))
const usedAs = async (id: string) => {
  const text = 'select last_used_day, last_address from keys where id = $1'
  const { rows } = await engine.run<{ last_used_day: number | null; last_address: string | null }>({
    text,
    values: [id],
  })
  return rows.map(({ last_used_day: day, last_address: address }) => [day, address])[0]
}

test('the later day stays, and within a day an address is replaced by another one and by none', async () => {
  await use(['A', today, '198.51.100.1'], ['B', today, null])
  expect([await usedAs('A'), await usedAs('B'), await usedAs('C')]).toEqual([
    [today, '198.51.100.1'],
    [today, null],
    [null, null],
  ])
  await use(['A', today - 1, '198.51.100.2'], ['B', today, '198.51.100.3'])
  expect([await usedAs('A'), await usedAs('B')]).toEqual([
    [today, '198.51.100.1'],
    [today, '198.51.100.3'],
  ])
  await use(['A', today, null], ['B', today + 1, null])
  expect([await usedAs('A'), await usedAs('B')]).toEqual([
    [today, '198.51.100.1'],
    [today + 1, null],
  ])
})

test('a use that is known already writes no row, and neither does one of a key that is gone', async () => {
  await use(['A', today, '198.51.100.1'])
  await engine.batch(revokeKey(1, 'B', now))
  const { affected } = await use(['A', today, '198.51.100.1'], ['B', today, '198.51.100.1'], ['X', today, null])
  expect([affected, await usedAs('B')]).toEqual([0, [null, null]])
})

test('uses in any order, revocations and ends at once wait for each other and none is lost', async () => {
  const ids = ['A', 'B', 'C', 'D']
  const writes = Array.from({ length: 40 }, (_, index) => {
    const order = index % 2 === 0 ? ids : ids.toReversed()
    return use(...order.map((id): [string, number, string] => [id, today, `198.51.100.${index}`]))
  })
  const changes = [engine.batch(expiryUpdate(1, 'B', now + DAY)), engine.batch(revokeKey(1, 'C', now))]
  const ended = await Promise.allSettled([...writes, ...changes])
  expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
  expect((await usedAs('A'))?.[0]).toBe(today)
  expect((await usedAs('C'))?.[1]).toBeNull()
})

test('two keys that revoke each other at once find the other one gone', async () => {
  await engine.run({ text: `delete from keys where id in ('C', 'D')`, values: [] })
  const holder = new pg.Client({ connectionString: address })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select id from keys for update')
    const ends = Promise.allSettled([engine.batch(revokeKey(1, 'A', now)), engine.batch(revokeKey(1, 'B', now))])
    // Both have started before either can go on.
    await until(
      async () =>
        (
          await holder.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount ?? 0,
      (waiting) => waiting === 2,
    )
    await holder.query('commit')
    expect((await ends).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  } finally {
    await holder.end()
  }
})

test('addresses are cleared when they are old, a slice at a time, and days stay', async () => {
  await use(['A', today - 90, '198.51.100.1'], ['B', today - 90, '198.51.100.2'], ['C', today - 89, '198.51.100.3'])
  const before = now - 89 * DAY
  expect(await clearKeyAddresses(engine, before, 1)).toBe(1)
  expect(await clearKeyAddresses(engine, before, 10)).toBe(1)
  expect(await clearKeyAddresses(engine, before, 10)).toBe(0)
  expect([await usedAs('A'), await usedAs('B'), await usedAs('C')]).toEqual([
    [today - 90, null],
    [today - 90, null],
    [today - 89, '198.51.100.3'],
  ])
})
