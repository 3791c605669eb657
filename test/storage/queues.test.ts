/**
 * Each leased table keeps the promises of the one queue: rows of a crashed node are claimed again, poison rows are dead-lettered.
 * @module-tag safety
 */
import type { Engine } from '@postrider/server/internal/database/engine'
import type { LeasedRow } from '@postrider/server/internal/database/leased-queue'
import { createDueLook, leasedQueues, voidEveryLease } from '@postrider/server/internal/database/queues'
import { claimsMax, isPoison, isSuspected } from '@postrider/server/internal/queue/poison'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { emptyQueues, queueCases } from './queue-cases.ts'
import { now } from './run-rows.ts'

const LEASE_MS = 60_000

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
  })
  beforeEach(() => emptyQueues(engine))

  test('every table with leases is a queue, and has a case here', async () => {
    const { rows } = await engine.run<{ name: string }>({
      text: `select c.table_name as name from information_schema.columns c join pg_class p on p.relname = c.table_name
        where c.column_name = 'lease' and not p.relispartition order by 1`,
      values: [],
    })
    const tables = rows.map(({ name }) => name)
    expect(leasedQueues.map(({ table }) => table).sort()).toEqual(tables)
    expect(queueCases.map(({ table }) => table).sort()).toEqual(tables)
  })

  test('a look for due messages begins where the last one ended, and now and then at the beginning', async () => {
    const messages = queueCases.find(({ table }) => table === 'messages')
    await messages?.insert(engine)
    const setDue = (at: number) => engine.run({ text: 'update messages_live set due_at = $1', values: [at] })
    let time = now
    const look = createDueLook(engine, () => time)
    await setDue(time + 2_000)
    expect(await look()).toEqual([])
    // While it is due, every look finds it.
    time += 3_000
    expect(await look()).toEqual(['messages'])
    time += 60_000
    expect(await look()).toEqual(['messages'])
    await setDue(time + 60_000)
    expect(await look()).toEqual([])
    // A commit may be late, and so may the clock of its node.
    await setDue(time - 9_000)
    expect(await look()).toEqual(['messages'])
    await setDue(time + 60_000)
    expect(await look()).toEqual([])
    await setDue(1)
    expect(await look()).toEqual([])
    time += 30_000
    expect(await look()).toEqual(['messages'])
  })

  describe.each(queueCases.map((queueCase) => [queueCase.table, queueCase] as const))('%s', (table, queueCase) => {
    const { queue } = queueCase
    const many = async (count: number) => {
      const inserted: string[] = []
      while (inserted.length < count) inserted.push(await queueCase.insert(engine))
      return inserted
    }
    const rowOf = async (id: string) =>
      (
        await engine.run<{ lease: string | null; claims: number; due_at: number | null }>({
          text: `select lease, claims, due_at from ${table} where id = $1`,
          values: [id],
        })
      ).rows[0]
    const setClaims = (id: string, claims: number) =>
      engine.run({ text: `update ${table} set claims = $2 where id = $1`, values: [id, claims] })
    const claim = (at: number, lease: string) => queueCase.claim(engine, { now: at, until: at + LEASE_MS, lease })
    /** Every due row, with as many claims as that takes. */
    const claimAll = async (at: number, lease: string) => {
      const all: LeasedRow[] = []
      for (let rows = await claim(at, lease); rows.length > 0; rows = await claim(at, lease)) all.push(...rows)
      return all
    }
    const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

    test('two nodes never hold the same row', async () => {
      const inserted = await many(6)
      const claimed = (await Promise.all(['A', 'B'].map((node) => claim(now, node)))).flat()
      expect(new Set(ids(claimed)).size).toBe(claimed.length)
      expect(ids([...claimed, ...(await claimAll(now, 'C'))])).toEqual(inserted.sort())
      expect(await claim(now, 'D')).toEqual([])
    })

    test('when a node dies, another one claims its row at the end of the lease, and the first writes nothing', async () => {
      const id = await queueCase.insert(engine)
      const [first] = await claim(now, 'dead')
      expect(first).toMatchObject({ id, lease: 'dead', claims: 1 })
      expect(await claim(now + LEASE_MS - 1, 'early')).toEqual([])
      expect(await queue.nextDue(engine, now)).toBe(now + LEASE_MS)
      const [second] = await claim(now + LEASE_MS, 'second')
      expect(second).toMatchObject({ id, lease: 'second', claims: 2 })
      const before = await rowOf(id)
      expect(before?.due_at).toBe(now + LEASE_MS + LEASE_MS * (queueCase.backsOff ? 2 : 1))
      await queueCase.settle(engine, first!)
      expect(await rowOf(id)).toEqual(before)
      await queueCase.settle(engine, second!)
      // A digest is replaced by its message.
      expect((await rowOf(id)) ?? { lease: null, claims: 0 }).toMatchObject({ lease: null, claims: 0 })
      expect(await claim(now + 1_000 * LEASE_MS, 'third')).toEqual([])
    })

    test('a dead letter is recorded only under the lease of its row, and once while it is open', async () => {
      await engine.run({ text: 'delete from dead_letters', values: [] })
      const id = await queueCase.insert(engine)
      const [row] = await claim(now, 'node-7')
      const letter = (lease: string, error: string) =>
        queue.deadLetterInsert({ letter: `${id}-${error}`, id, lease, error, attempts: 3, at: now })
      await engine.batch([letter('other', 'lost')])
      await engine.batch([letter(row!.lease, 'first'), letter(row!.lease, 'second')])
      const { rows: letters } = await engine.run({ text: 'select id, kind, node, error from dead_letters', values: [] })
      expect(letters).toEqual([{ id: `${id}-second`, kind: queue.name, node: 'node', error: 'second' }])
    })

    test('a renewed lease holds on, and only its holder renews it or gives it back', async () => {
      const id = await queueCase.insert(engine)
      const [row] = await claim(now, 'A')
      const later = now + 10 * LEASE_MS
      expect(await queue.renew(engine, [{ id, lease: 'other' }], later)).toEqual(new Set())
      expect(await queue.renew(engine, [row!], later)).toEqual(new Set([id]))
      expect(await claim(later - 1, 'B')).toEqual([])
      await queue.release(engine, [{ id, lease: 'other' }], now)
      expect(await claim(now, 'B')).toEqual([])
      await queue.release(engine, [row!], now + 5)
      expect(await rowOf(id)).toEqual({ lease: null, claims: 0, due_at: now + 5 })
    })

    test('where the owner is known to be dead its rows are due at once, but for suspected ones', async () => {
      const [innocent = '', suspected = ''] = await many(2)
      await setClaims(suspected, queue.poison.suspectedAfter)
      await claimAll(now, 'dead')
      await voidEveryLease(engine, now + 1)
      const freed = ids(await claimAll(now + 1, 'B'))
      // Messages are isolated in the process, where suspected ones start after all others.
      expect(freed).toEqual(queue.poison.groups ? [innocent, suspected].sort() : [innocent])
    })

    test('suspected rows are claimed apart', async () => {
      const suspected = await many(3)
      for (const id of suspected) await setClaims(id, queue.poison.suspectedAfter)
      const innocent = await many(3)
      const rows = await claim(now, 'A')
      const apart = rows.filter((row) => isSuspected(queue, row))
      if (queueCase.isSingle) expect(rows).toHaveLength(1)
      else expect(ids(rows.filter((row) => !isSuspected(queue, row)))).toEqual(innocent.sort())
      expect(apart).toHaveLength(queue.poison.groups ? 3 : 1)
      if (!queueCase.isSingle && !queue.poison.groups) {
        const none = { now, until: now + LEASE_MS, lease: 'B', suspected: false }
        expect(await queueCase.claim(engine, none)).toEqual([])
      }
      expect(ids([...rows, ...(await claimAll(now, 'C'))])).toEqual([...suspected, ...innocent].sort())
    })

    test('a row that crashes its worker each time is poison after the bound, and the rows of others go on', async () => {
      const poison = await queueCase.insert(engine)
      let at = now
      let crashes = 0
      for (; ; crashes += 1) {
        const other = await queueCase.insert(engine)
        const rows = await claimAll(at, `node-${crashes}`)
        expect(ids(rows)).toEqual([poison, other].sort())
        const [row, healthy] = [poison, other].map((id) => rows.find((claimed) => claimed.id === id)!)
        expect(isSuspected(queue, row!)).toBe(row!.claims > queue.poison.suspectedAfter)
        await queueCase.settle(engine, healthy!)
        expect((await rowOf(other))?.lease ?? null).toBeNull()
        if (isPoison(queue, row!)) break
        if (queue.poison.groups && isSuspected(queue, row!)) await queue.countStarts(engine, [row!])
        // The process dies here.
        at = Number((await rowOf(poison))?.due_at)
      }
      expect(crashes).toBe(claimsMax(queue.poison))
    })
  })
})
