/** What many runs count and collect at the same moment: no more pass than may, one opens, no item is lost or counted twice. */
import { type Engine, Overtaken } from '@postrider/server/internal/database/engine'
import {
  batchItems,
  closing,
  collectItem,
  dropBatches,
  findBatch,
  holding,
} from '@postrider/server/internal/database/tables/batches'
import { guardPlan } from '@postrider/server/internal/database/tables/live-messages'
import { findRun } from '@postrider/server/internal/database/tables/run-steps'
import { cancelRun } from '@postrider/server/internal/database/tables/runs'
import { dropThrottles, passage } from '@postrider/server/internal/database/tables/throttles'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { change, DAY, now, rowsOn, SECOND } from './run-rows.ts'

eachEngine((_name, open) => {
  let engine: Engine
  let rows: ReturnType<typeof rowsOn>
  beforeAll(async () => {
    engine = await open()
    rows = rowsOn(engine)
  })
  beforeEach(() => rows.forgetAll())

  test('a window lets as many pass as it has room for, whoever comes at the same moment', async () => {
    await rows.start(50)
    const held = await rows.claim(50)
    const given = { workspaceId: 1, mode: 'live', key: 'k', max: 7, periodMs: DAY, now }
    const pass = async (id: string, at = now) => {
      try {
        await engine.batch([guardPlan, passage(change(id), { ...given, now: at })], 'record')
        return true
      } catch (error) {
        if (error instanceof Overtaken) return false
        throw error
      }
    }
    const passed = await Promise.all(held.map(({ id }) => pass(id)))
    expect(passed.filter(Boolean)).toHaveLength(7)
    expect(await rows.count(`select count(*) from runs where status = 'PROCESSED'`)).toBe(7)
    const left = held.filter((_, n) => !passed[n])
    expect(await pass(left[0]!.id, now + DAY - 1)).toBe(false)
    expect(await pass(left[0]!.id, now + DAY)).toBe(true)
    expect(await pass(held[passed.indexOf(true)]!.id, now + 9 * DAY)).toBe(false)
    expect(await dropThrottles(engine, now + 2 * DAY, 10)).toBe(1)
  })

  const collecting = (id: string, more: object = {}) => ({
    ...{ id: `b-${id}`, workspaceId: 1, mode: 'live', key: 'k', waitMs: 60 * SECOND, maxWaitMs: 100 * SECOND },
    ...{ maxItems: 1_000, item: JSON.stringify({ of: id }), now, ...more },
  })
  const collect = (id: string, more: object = {}) =>
    collectItem(engine, collecting(id, more), {
      opened: change(id, { run: { status: 'WAITING' }, step: { status: 'WAITING' } }),
      added: change(id),
    })

  test('of many that add at the same moment one opens, and no item is lost or counted twice', async () => {
    await rows.start(40)
    const held = await rows.claim(40)
    const verdicts = await Promise.all(held.map(({ id }) => collect(id)))
    expect(verdicts.filter((verdict) => verdict === 'opened')).toHaveLength(1)
    const opener = held[verdicts.indexOf('opened')]!
    expect(await findBatch(engine, `b-${opener.id}`)).toEqual({ items: 40, closes: now + 60 * SECOND, is_open: true })
    const items = await batchItems(engine, `b-${opener.id}`, 1, 100)
    expect(new Set(items.map((item) => JSON.parse(item).of))).toEqual(new Set(held.map(({ id }) => id)))
    expect(await rows.statusOf(opener.id)).toBe('WAITING')
    expect(await rows.count(`select count(*) from runs where status = 'PROCESSED'`)).toBe(39)
  })

  test('full batches follow each other, and each wakes its run at once', async () => {
    await rows.start(30)
    const held = await rows.claim(30)
    const verdicts = await Promise.all(held.map(({ id }) => collect(id, { maxItems: 10 })))
    expect(verdicts.filter((verdict) => verdict === 'opened')).toHaveLength(3)
    expect(await rows.count('select count(*) from batches where items = 10 and not is_open')).toBe(3)
    expect(await rows.claim(50, 'N', now)).toHaveLength(3)
  })

  test('silence moves the end of a batch, up to its longest time', async () => {
    await rows.start(3)
    const [a, b, c] = await rows.claim(3)
    await collect(a!.id)
    await collect(b!.id, { now: now + 30 * SECOND })
    expect((await findBatch(engine, `b-${a!.id}`))?.closes).toBe(now + 90 * SECOND)
    await collect(c!.id, { now: now + 80 * SECOND })
    expect((await findBatch(engine, `b-${a!.id}`))?.closes).toBe(now + 100 * SECOND)
  })

  test('a batch closes once, with everything that is in it', async () => {
    await rows.start(2)
    const [a, b] = await rows.claim(2)
    await collect(a!.id)
    const [waiting] = await rows.claim(1, 'L', now + 60 * SECOND)
    expect(waiting?.id).toBe(a!.id)
    await collect(b!.id, { now: now + 60 * SECOND })
    const close = (items: number, at: number) => engine.batch([guardPlan, closing(`b-${a!.id}`, items, at)])
    await expect(close(1, now + 60 * SECOND)).rejects.toBeInstanceOf(Overtaken)
    await expect(close(2, now + 59 * SECOND)).rejects.toBeInstanceOf(Overtaken)
    await close(2, now + 60 * SECOND)
    expect(await findBatch(engine, `b-${a!.id}`)).toBeUndefined()
    expect(await rows.count('select count(*) from batch_items')).toBe(0)
  })

  test('a run that holds on waits until its batch closes, and no longer than it takes to fill it', async () => {
    await rows.start(3)
    const [a, b, c] = await rows.claim(3)
    await collect(a!.id)
    await rows.claim(1, 'L', now + 60 * SECOND)
    await collect(b!.id, { now: now + 50 * SECOND, maxItems: 3 })
    const hold = change(a!.id, { run: { status: 'WAITING', due_at: now } })
    await engine.batch([guardPlan, holding(hold, `b-${a!.id}`, now + 60 * SECOND)])
    expect((await findRun(engine, 1, a!.id))?.due_at).toBe(now + 100 * SECOND)
    expect(c).toBeDefined()
  })

  test('the batch of a cancelled run is taken over with its items by the next that adds', async () => {
    await rows.start(3)
    const [a, b, c] = await rows.claim(3)
    await collect(a!.id)
    await cancelRun((writes) => engine.batch(writes), 1, a!.id, now)
    expect(await collect(b!.id)).toBe('opened')
    expect(await collect(c!.id)).toBe('added')
    expect(await findBatch(engine, `b-${b!.id}`)).toMatchObject({ items: 3 })
    expect((await batchItems(engine, `b-${b!.id}`, 1, 9)).map((item) => JSON.parse(item).of)).toEqual([
      a!.id,
      b!.id,
      c!.id,
    ])
    expect(await dropBatches(engine, now + DAY, 10)).toBe(0)
    await cancelRun((writes) => engine.batch(writes), 1, b!.id, now)
    expect(await dropBatches(engine, now + DAY, 10)).toBe(1)
  })

  test('who lost the lease adds nothing', async () => {
    await rows.start(1)
    const [a] = await rows.claim(1)
    await cancelRun((writes) => engine.batch(writes), 1, a!.id, now)
    expect(await collect(a!.id)).toBe('lost')
    expect(await rows.count('select count(*) from batches')).toBe(0)
  })
})
