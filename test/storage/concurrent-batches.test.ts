/**
 * Counts and batches of many concurrent runs: no more pass than may, one opens, no item is lost or counted twice.
 * @module-tag safety
 */

import { timedId } from '@postrider/server/internal/base/ids'
import { ConflictError } from '@postrider/server/internal/database/engine'
import { guardPlan } from '@postrider/server/internal/database/query'
import {
  batchHold,
  batchItems,
  closing,
  collectItem,
  findBatch,
  handOnBatches,
} from '@postrider/server/internal/database/tables/automations/batches'
import { endRun } from '@postrider/server/internal/database/tables/automations/live-runs'
import { cancelRun, findRun } from '@postrider/server/internal/database/tables/automations/runs'
import { dropThrottles, passage } from '@postrider/server/internal/database/tables/automations/throttles'
import { expect, test } from 'vitest'
import { change, DAY, now, SECOND, withRunRows } from './run-rows.ts'
import { tryCommit } from './try-commit.ts'

withRunRows((rows, engine) => {
  test('a window lets as many pass as it has room for, with any number at once', async () => {
    await rows.start(50)
    const runs = await rows.claim(50)
    const counter = { workspaceId: 1, mode: 'live', key: 'k', max: 7, periodMs: DAY, now }
    const pass = async (id: string, at = now, more: object = {}) => {
      try {
        await engine.batch([guardPlan, passage(change(id), { ...counter, now: at, ...more })])
        return true
      } catch (error) {
        if (error instanceof ConflictError) return false
        throw error
      }
    }
    const passed = await Promise.all(runs.map(({ id }) => pass(id)))
    expect(passed.filter(Boolean)).toHaveLength(7)
    expect(await rows.count(`select count(*) from runs where status = 'PROCESSED'`)).toBe(7)
    const left = runs.filter((_, n) => !passed[n])
    expect(await pass(left[0]!.id, now + DAY - 1)).toBe(false)
    expect(await pass(left[0]!.id, now, { key: 'unknown', max: 0 })).toBe(false)
    expect(await pass(left[0]!.id, now + DAY)).toBe(true)
    expect(await pass(runs[passed.indexOf(true)]!.id, now + 9 * DAY)).toBe(false)
    expect(await pass(left[1]!.id, now, { key: 'other' })).toBe(true)
    expect(await pass(left[2]!.id, now, { key: 'third' })).toBe(true)
    const dropped = [await dropThrottles(engine, now + 2 * DAY, 2), await dropThrottles(engine, now + 2 * DAY, 2)]
    expect(dropped).toEqual([2, 1])
  })

  const collecting = (id: string, more: object = {}) => ({
    ...{ id: `b-${id}`, workspaceId: 1, mode: 'live', key: 'k', waitMs: 60 * SECOND, maxWaitMs: 100 * SECOND },
    ...{ maxItems: 1_000, item: JSON.stringify({ of: id }), now, ...more },
  })
  const addEvent = (id: string, more: object = {}) => {
    const state = JSON.stringify({ position: 0, waiting: { kind: 'batch', batchId: `b-${id}` } })
    return collectItem(engine, collecting(id, more), {
      opened: change(id, { run: { status: 'WAITING', state }, step: { status: 'WAITING' } }),
      added: change(id, { run: { state } }),
    })
  }
  const collect = async (id: string, more: object = {}) => {
    const done = await addEvent(id, more)
    return done === 'lost' ? done : done.verdict
  }
  const cancel = (id: string) => tryCommit(engine, cancelRun(1, id, now))
  const heldBy = async (id: string) => (await batchItems(engine, `b-${id}`, 1, 99)).map((item) => JSON.parse(item).of)

  test('one of many concurrent runs opens the batch, and no item is lost or counted twice', async () => {
    await rows.start(40)
    const runs = await rows.claim(40)
    const verdicts = await Promise.all(runs.map(({ id }) => collect(id)))
    expect(verdicts.filter((verdict) => verdict === 'opened')).toHaveLength(1)
    const opener = runs[verdicts.indexOf('opened')]!
    expect(await findBatch(engine, `b-${opener.id}`)).toEqual({
      ...{ items: 40, live_items: 40, closes: now + 60 * SECOND, is_open: true },
    })
    const items = await batchItems(engine, `b-${opener.id}`, 1, 100)
    expect(new Set(items.map((item) => JSON.parse(item).of))).toEqual(new Set(runs.map(({ id }) => id)))
    expect(await rows.statusOf(opener.id)).toBe('WAITING')
    expect(await rows.count(`select count(*) from runs where status = 'PROCESSED'`)).toBe(39)
  })

  test('full batches follow each other, and each wakes its run at once', async () => {
    await rows.start(30)
    const runs = await rows.claim(30)
    const verdicts = await Promise.all(runs.map(({ id }) => collect(id, { maxItems: 10 })))
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
    await collect(b!.id)
    const close = (items: number, at: number) => engine.batch([guardPlan, closing(`b-${a!.id}`, items, at)])
    await expect(close(1, now + 60 * SECOND)).rejects.toBeInstanceOf(ConflictError)
    await expect(close(2, now + 59 * SECOND)).rejects.toBeInstanceOf(ConflictError)
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
    await engine.batch([guardPlan, batchHold(hold, `b-${a!.id}`, now + 60 * SECOND)])
    expect((await findRun(engine, 1, a!.id))?.due_at).toBe(now + 100 * SECOND)
    expect(c).toBeDefined()
  })

  test('nothing more goes into a batch that should have closed: the next opens another', async () => {
    await rows.start(2)
    const [a, b] = await rows.claim(2)
    await collect(a!.id)
    expect(await collect(b!.id, { now: now + 60 * SECOND })).toBe('opened')
    expect(await findBatch(engine, `b-${a!.id}`)).toMatchObject({ items: 1, is_open: false })
    expect(await heldBy(b!.id)).toEqual([b!.id])
  })

  test('the run that fills a batch leaves its batch with the worker that polls it', async () => {
    await rows.start(2)
    const [a, b] = await rows.claim(2)
    await collect(a!.id, { maxItems: 2 })
    await rows.claim(1, 'L', now + 60 * SECOND)
    await collect(b!.id, { maxItems: 2 })
    expect(await findBatch(engine, `b-${a!.id}`)).toMatchObject({ live_items: 2, is_open: false })
    expect(await rows.claim(1, 'N', now + 60 * SECOND)).toEqual([])
  })

  test('only the run that fills a batch gets `filled: true`', async () => {
    await rows.start(3)
    const runs = await rows.claim(3)
    const filled: unknown[] = []
    for (const { id } of runs) filled.push(await addEvent(id, { maxItems: 3 }))
    expect(filled).toMatchObject([{ filled: false }, { filled: false }, { filled: true }])
  })

  test('the batch of a canceled run is taken over by the next that adds, without the item of the canceled one', async () => {
    await rows.start(4)
    const [a, b, c, d] = await rows.claim(4)
    await collect(a!.id, { maxItems: 3 })
    await collect(b!.id, { maxItems: 3 })
    await cancel(a!.id)
    expect(await collect(c!.id, { maxItems: 3 })).toBe('opened')
    expect(await findBatch(engine, `b-${c!.id}`)).toMatchObject({ live_items: 2, is_open: true })
    expect(await collect(d!.id, { maxItems: 3 })).toBe('added')
    expect(await findBatch(engine, `b-${c!.id}`)).toMatchObject({ live_items: 3, is_open: false })
    expect(await heldBy(c!.id)).toEqual([b!.id, c!.id, d!.id])
  })

  test('without further items, the first run that had added is resumed when the batch closes', async () => {
    await rows.start(3)
    const [a, b, c] = await rows.claim(3)
    for (const { id } of [a!, b!, c!]) await collect(id)
    await cancel(a!.id)
    const end = now + 60 * SECOND
    expect(await handOnBatches(engine, end - 1, 10)).toEqual({ slice: 0, handedOn: 0 })
    expect(await handOnBatches(engine, end, 10)).toEqual({ slice: 1, handedOn: 1 })
    expect(await rows.claim(5, 'N', end)).toMatchObject([{ id: b!.id, state: expect.stringContaining(`b-${b!.id}`) }])
    expect(await rows.count(`select count(*) from run_steps where status = 'WAITING'`)).toBe(1)
    expect(await heldBy(b!.id)).toEqual([b!.id, c!.id])
    await cancel(b!.id)
    expect(await handOnBatches(engine, end, 10)).toEqual({ slice: 1, handedOn: 1 })
    expect(await heldBy(c!.id)).toEqual([c!.id])
    await cancel(c!.id)
    expect(await handOnBatches(engine, end, 10)).toEqual({ slice: 1, handedOn: 0 })
    expect(await rows.count('select count(*) from batches')).toBe(0)
  })

  test('a batch is left alone while its run is in progress, and deleted when that ended with an error', async () => {
    await rows.start(2)
    const [a, b] = await rows.claim(2)
    await collect(a!.id)
    await collect(b!.id)
    expect(await handOnBatches(engine, now + DAY, 10)).toEqual({ slice: 0, handedOn: 0 })
    await rows.claim(1, 'L', now + DAY)
    const step = { position: 0, action: 'add-to-batch', started: now }
    await endRun(engine, { id: a!.id, lease: 'other' }, { step, error: 'failed', now })
    expect(await rows.count('select count(*) from batches')).toBe(1)
    await endRun(engine, { id: a!.id, lease: 'L' }, { step, error: 'failed', now })
    expect(await rows.count('select count(*) from batches')).toBe(0)
  })

  test('the batch of a run that was given up is closed, and kept as long as its dead letter is not released', async () => {
    await rows.start(3)
    const [a, b, c] = await rows.claim(3)
    await collect(a!.id)
    await collect(b!.id)
    await rows.claim(1, 'L', now + 60 * SECOND)
    const step = { position: 0, action: 'add-to-batch', started: now }
    const letter = { id: a!.id, lease: 'L', letter: timedId(now), error: 'given up', attempts: 3, at: now }
    await endRun(engine, { id: a!.id, lease: 'L' }, { step, error: 'given up', now }, letter)
    expect(await findBatch(engine, `b-${a!.id}`)).toMatchObject({ live_items: 2, is_open: false })
    expect(await collect(c!.id)).toBe('opened')
    expect(await handOnBatches(engine, now + DAY, 10)).toEqual({ slice: 0, handedOn: 0 })
    expect(await heldBy(a!.id)).toEqual([a!.id, b!.id])
    // As the retention of dead letters does.
    await engine.run({ text: 'delete from dead_letters where subject_id = $1', values: [a!.id] })
    expect(await handOnBatches(engine, now + DAY, 10)).toEqual({ slice: 1, handedOn: 0 })
    expect(await findBatch(engine, `b-${a!.id}`)).toBeUndefined()
  })

  test('a run that ended with an error hands nothing on', async () => {
    await rows.start(2)
    const [a, b] = await rows.claim(2)
    for (const { id } of [a!, b!]) await collect(id)
    await engine.run({ text: `update runs set status = 'ERROR', due_at = null where id = $1`, values: [a!.id] })
    expect(await handOnBatches(engine, now + DAY, 10)).toEqual({ slice: 1, handedOn: 0 })
    expect(await rows.count('select count(*) from batches')).toBe(0)
  })

  test('with runs that cancel and add at once, every other item is in one batch that a run continues with', async () => {
    for (let round = 0; round < 12; round += 1) {
      await rows.forgetAll()
      await rows.start(12)
      const [opener, ...others] = await rows.claim(12)
      const opens = round % 2 === 0
      if (opens) await collect(opener!.id)
      await Promise.all([
        ...(opens ? [] : [collect(opener!.id)]),
        ...others.slice(0, 6).map(({ id }) => collect(id)),
        cancel(opener!.id),
        ...others.slice(6).map(({ id }) => collect(id)),
      ])
      const end = now + DAY
      while ((await handOnBatches(engine, end, 10)).slice > 0);
      const live = await rows.claim(20, 'N', end)
      const batches = live.map(({ state }) => JSON.parse(state as string).waiting.batchId as string)
      const items = await Promise.all(batches.map((id) => batchItems(engine, id, 1, 99)))
      const of = items.flat().map((item) => JSON.parse(item).of as string)
      // An opener that was too late to open may have added and ended before it was to be canceled.
      const canceled = (await rows.statusOf(opener!.id)) === 'CANCELED'
      expect(of.sort()).toEqual([...(canceled ? [] : [opener!]), ...others].map(({ id }) => id).sort())
      expect(await rows.count('select count(*) from batches')).toBe(live.length)
    }
  })

  test('a worker that lost the lease adds nothing', async () => {
    await rows.start(1)
    const [a] = await rows.claim(1)
    await tryCommit(engine, cancelRun(1, a!.id, now))
    expect(await collect(a!.id)).toBe('lost')
    expect(await rows.count('select count(*) from batches')).toBe(0)
  })
})
