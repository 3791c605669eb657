/** Runs as rows: each is held by one worker, written by its holder only, and ended by whoever cancels it. */
import { timedId } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import { dropPartitions, makePartitions } from '@postrider/server/internal/database/partitions'
import { recordRuns } from '@postrider/server/internal/database/tables/run-records'
import { dropRuns, runSteps } from '@postrider/server/internal/database/tables/run-steps'
import {
  cancelRun,
  nextRunDue,
  releaseRuns,
  renewRuns,
  runsInsert,
  tokenCancellation,
  voidRunLeases,
} from '@postrider/server/internal/database/tables/runs'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { change, DAY, message, now, rowsOn, SECOND, started } from './run-rows.ts'

eachEngine((_name, open) => {
  let engine: Engine
  let rows: ReturnType<typeof rowsOn>
  beforeAll(async () => {
    engine = await open()
    rows = rowsOn(engine)
  })
  beforeEach(() => rows.forgetAll())

  test('two workers never hold the same run, and each run is held by one', async () => {
    const runs = await rows.start(100)
    const claimed = (await Promise.all([rows.claim(60, 'A'), rows.claim(60, 'B')])).flat()
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length)
    expect(claimed.length + (await rows.claim(100, 'C')).length).toBe(runs.length)
    expect(await rows.claim(10)).toEqual([])
    expect(await nextRunDue(engine)).toBe(now + 3_600 * SECOND)
  })

  test('starting a run twice starts it once', async () => {
    const [run] = await rows.start(1)
    await rows.claim(1)
    await engine.run(runsInsert([run as NonNullable<typeof run>]))
    expect(await rows.claim(1)).toEqual([])
  })

  test('a run that ends its workers is tried again ever more seldom', async () => {
    await rows.start(1)
    await rows.claim(1, 'A', now, 45 * SECOND)
    expect(await rows.claim(1, 'B', now + 44 * SECOND, 45 * SECOND)).toEqual([])
    expect(await rows.claim(1, 'B', now + 45 * SECOND, 45 * SECOND)).toHaveLength(1)
    expect(await nextRunDue(engine)).toBe(now + 45 * SECOND + 90 * SECOND)
  })

  test('a step, the state and the messages are one commit, under the lease only', async () => {
    const [run] = (await rows.start(2)).map(({ id }) => id)
    const [held, other] = await rows.claim(2)
    await releaseRuns(engine, [other!], now)
    await rows.claim(1, 'M')
    const changes = [held!, other!].map(({ id }) => change(id, { messages: [message(`1-m-${id}`, id)] }))
    expect(run).toBeDefined()
    expect([...(await recordRuns(engine, changes))]).toEqual([held!.id])
    expect(await rows.count('select count(*) from messages')).toBe(1)
    expect([await rows.statusOf(held!.id), await rows.statusOf(other!.id)]).toEqual(['PROCESSED', 'PROCESSING'])
    expect(await runSteps(engine, 1, other!.id)).toEqual([])
  })

  test('what a step adds to its earlier part is kept, with the messages of both', async () => {
    await rows.start(1)
    const [{ id } = { id: '' }] = await rows.claim(1)
    const again = { next_lease: 'L', due_at: now + SECOND, status: 'PROCESSING' }
    await recordRuns(engine, [change(id, { run: again, step: { message_ids: ['a'], status: 'PROCESSING' } })])
    await recordRuns(engine, [change(id, { step: { message_ids: ['b'], result: '{"n":1}' } })])
    expect(await runSteps(engine, 1, id)).toMatchObject([
      { message_ids: ['a', 'b'], status: 'PROCESSED', result: '{"n":1}' },
    ])
  })

  test('renewing finds out what was cancelled, and voiding frees what dead owners held', async () => {
    const [a, b] = await rows.start(2)
    const held = await rows.claim(2)
    await cancelRun((writes) => engine.batch(writes), 1, a!.id, now)
    expect([...(await renewRuns(engine, held, now + DAY))]).toEqual([b!.id])
    expect(await nextRunDue(engine)).toBe(now + DAY)
    await voidRunLeases(engine, now)
    expect((await rows.claim(5, 'N')).map(({ id }) => id)).toEqual([b!.id])
  })

  test('a token held by ten thousand runs ends them in one statement, but for the one that asks', async () => {
    for (let n = 0; n < 10; n += 1) await rows.start(1_000, { cancelation_token: 't', due_at: now + DAY })
    const [asking] = await rows.start(1, { cancelation_token: 't' })
    const [other] = await rows.start(1, { cancelation_token: 'other' })
    await rows.start(1, { cancelation_token: 't', workspace_id: 2 })
    await engine.run(tokenCancellation(1, 't', asking!.id, now))
    expect(await rows.count(`select count(*) from runs where status = 'CANCELED' and due_at is null`)).toBe(10_000)
    expect([await rows.statusOf(asking!.id), await rows.statusOf(other!.id)]).toEqual(['PROCESSING', 'PROCESSING'])
  })

  test('cancelling wins against whatever a worker finds out at the same moment', async () => {
    await rows.start(20, { cancelation_token: 't' })
    const held = await rows.claim(20)
    const [, ...written] = await Promise.all([
      engine.run(tokenCancellation(1, 't', '', now)),
      ...held.map(({ id }) =>
        recordRuns(engine, [change(id, { run: { next_lease: 'L', status: 'PROCESSING', due_at: now } })]),
      ),
    ])
    expect(written).toHaveLength(20)
    expect(await rows.count(`select count(*) from runs where status = 'CANCELED' and due_at is null`)).toBe(20)
    expect(
      await recordRuns(
        engine,
        held.map(({ id }) => change(id)),
      ),
    ).toEqual(new Set())
  })

  test('a run that waits keeps its week, and the finished ones beside it go', async () => {
    const old = now - 200 * DAY
    await makePartitions(engine, old)
    const ids = [old, old + 1, old + 2].map((time) => timedId(time))
    await engine.run(runsInsert(ids.map((id) => started({ id }))))
    const [first, second] = await rows.claim(2)
    await recordRuns(
      engine,
      [first!, second!].map(({ id }) => change(id)),
    )
    const before = now - 90 * DAY
    expect((await dropPartitions(engine, before)).kept).toEqual([expect.stringMatching(/^runs_/)])
    expect(await dropRuns(engine, before, 1)).toBe(1)
    expect(await dropRuns(engine, before, 10)).toBe(1)
    expect(await rows.count('select count(*) from runs')).toBe(1)
    expect(await rows.count('select count(*) from run_steps')).toBe(0)
  })
})
