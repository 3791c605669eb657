/** Runs as rows: what many workers do at the same moment is counted once, collected once and lost by nobody. */
import { timedId } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import { Overtaken } from '@postrider/server/internal/database/engine'
import { dropPartitions, makePartitions } from '@postrider/server/internal/database/partitions'
import {
  batchItems,
  closing,
  collectItem,
  dropBatches,
  findBatch,
  holding,
} from '@postrider/server/internal/database/tables/batches'
import { guardPlan } from '@postrider/server/internal/database/tables/live-messages'
import { type RunChange, recordRuns } from '@postrider/server/internal/database/tables/run-records'
import { dropRuns, findRun, runSteps } from '@postrider/server/internal/database/tables/run-steps'
import {
  cancelRun,
  claimRuns,
  type NewRun,
  nextRunDue,
  releaseRuns,
  renewRuns,
  runsInsert,
  tokenCancellation,
  voidRunLeases,
} from '@postrider/server/internal/database/tables/runs'
import { dropThrottles, passage } from '@postrider/server/internal/database/tables/throttles'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'

const now = 1_795_000_000_000
const SECOND = 1_000
const DAY = 86_400_000

eachEngine((_name, open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
  })
  beforeEach(async () => {
    await engine.batch(
      ['runs', 'run_steps', 'batches', 'throttles', 'messages'].map((t) => ({ text: `delete from ${t}` })),
    )
  })

  const started = (given: Partial<NewRun> = {}): NewRun => {
    const id = given.id ?? timedId(now)
    return {
      ...{ workspace_id: 1, mode: 'live', due_at: now, lease: null, cancelation_token: null, template_id: null },
      ...{ source: ['api'], depth: 0, root: id, created: now, automation: '{"steps":[]}', start: '{"context":{}}' },
      ...given,
      id,
    }
  }
  async function start(count: number, given: Partial<NewRun> = {}): Promise<NewRun[]> {
    const runs = Array.from({ length: count }, () => started(given))
    await engine.run(runsInsert(runs))
    return runs
  }
  const claim = (limit: number, lease = 'L', at = now, leaseMs = 3_600 * SECOND) =>
    claimRuns(engine, { now: at, leaseMs, lease, limit })
  /** A step of a leased run, after which it is over. */
  const change = (
    id: string,
    {
      run = {},
      step = {},
      messages = [],
    }: Partial<Record<'run' | 'step', object>> & { messages?: RunChange['messages'] } = {},
  ): RunChange => ({
    run: {
      ...{
        id,
        lease: 'L',
        next_lease: null,
        due_at: null,
        status: 'PROCESSED',
        state: '{}',
        error: null,
        updated: now,
      },
      ...run,
    },
    step: {
      ...{ run_id: id, position: 0, workspace_id: 1, action: 'throttle', status: 'PROCESSED', started: now },
      ...{ updated: now, result: null, error: null, message_ids: null },
      ...step,
    },
    messages,
  })
  const message = (id: string, runId: string): RunChange['messages'][number] => ({
    ...{ id, workspace_id: 1, lane: 1, due_at: now, lease: null, claims: 0, status: 'ENQUEUED', event: 'e' },
    ...{ recipient: 'r', mode: 'live', enqueued: now, first_due: now, input: '{}', run_id: runId },
  })
  const statusOf = async (id: string) => (await findRun(engine, 1, id))?.status
  const count = async (text: string) =>
    Number((await engine.run<{ count: number }>({ text, values: [] })).rows[0]?.count)

  test('two workers never hold the same run, and each run is held by one', async () => {
    const runs = await start(100)
    const claimed = (await Promise.all([claim(60, 'A'), claim(60, 'B')])).flat()
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length)
    expect(claimed.length + (await claim(100, 'C')).length).toBe(runs.length)
    expect(await claim(10)).toEqual([])
    expect(await nextRunDue(engine)).toBe(now + 3_600 * SECOND)
  })

  test('starting a run twice starts it once', async () => {
    const [run] = await start(1)
    await claim(1)
    await engine.run(runsInsert([run as NewRun]))
    expect(await claim(1)).toEqual([])
  })

  test('a run that ends its workers is tried again ever more seldom', async () => {
    await start(1)
    await claim(1, 'A', now, 45 * SECOND)
    expect(await claim(1, 'B', now + 44 * SECOND, 45 * SECOND)).toEqual([])
    expect(await claim(1, 'B', now + 45 * SECOND, 45 * SECOND)).toHaveLength(1)
    expect(await nextRunDue(engine)).toBe(now + 45 * SECOND + 90 * SECOND)
  })

  test('a step, the state and the messages are one commit, under the lease only', async () => {
    const [run] = (await start(2)).map(({ id }) => id)
    const [held, other] = await claim(2)
    await releaseRuns(engine, [other!], now)
    await claim(1, 'M')
    const changes = [held!, other!].map(({ id }) => change(id, { messages: [message(`1-m-${id}`, id)] }))
    expect(run).toBeDefined()
    expect([...(await recordRuns(engine, changes))]).toEqual([held!.id])
    expect(await count('select count(*) from messages')).toBe(1)
    expect([await statusOf(held!.id), await statusOf(other!.id)]).toEqual(['PROCESSED', 'PROCESSING'])
    expect(await runSteps(engine, 1, other!.id)).toEqual([])
  })

  test('what a step adds to its earlier part is kept, with the messages of both', async () => {
    await start(1)
    const [{ id } = { id: '' }] = await claim(1)
    const again = { next_lease: 'L', due_at: now + SECOND, status: 'PROCESSING' }
    await recordRuns(engine, [change(id, { run: again, step: { message_ids: ['a'], status: 'PROCESSING' } })])
    await recordRuns(engine, [change(id, { step: { message_ids: ['b'], result: '{"n":1}' } })])
    expect(await runSteps(engine, 1, id)).toMatchObject([
      { message_ids: ['a', 'b'], status: 'PROCESSED', result: '{"n":1}' },
    ])
  })

  test('renewing finds out what was cancelled, and voiding frees what dead owners held', async () => {
    const [a, b] = await start(2)
    const held = await claim(2)
    await cancelRun((writes) => engine.batch(writes), 1, a!.id, now)
    expect([...(await renewRuns(engine, held, now + DAY))]).toEqual([b!.id])
    expect(await nextRunDue(engine)).toBe(now + DAY)
    await voidRunLeases(engine, now)
    expect((await claim(5, 'N')).map(({ id }) => id)).toEqual([b!.id])
  })

  test('a window lets as many pass as it has room for, whoever comes at the same moment', async () => {
    await start(50)
    const held = await claim(50)
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
    expect(await count(`select count(*) from runs where status = 'PROCESSED'`)).toBe(7)
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
    await start(40)
    const held = await claim(40)
    const verdicts = await Promise.all(held.map(({ id }) => collect(id)))
    expect(verdicts.filter((verdict) => verdict === 'opened')).toHaveLength(1)
    const opener = held[verdicts.indexOf('opened')]!
    expect(await findBatch(engine, `b-${opener.id}`)).toEqual({ items: 40, closes: now + 60 * SECOND, is_open: true })
    const items = await batchItems(engine, `b-${opener.id}`, 1, 100)
    expect(new Set(items.map((item) => JSON.parse(item).of))).toEqual(new Set(held.map(({ id }) => id)))
    expect(await statusOf(opener.id)).toBe('WAITING')
    expect(await count(`select count(*) from runs where status = 'PROCESSED'`)).toBe(39)
  })

  test('full batches follow each other, and each wakes its run at once', async () => {
    await start(30)
    const held = await claim(30)
    const verdicts = await Promise.all(held.map(({ id }) => collect(id, { maxItems: 10 })))
    expect(verdicts.filter((verdict) => verdict === 'opened')).toHaveLength(3)
    expect(await count('select count(*) from batches where items = 10 and not is_open')).toBe(3)
    expect(await claim(50, 'N', now)).toHaveLength(3)
  })

  test('silence moves the end of a batch, up to its longest time', async () => {
    await start(3)
    const [a, b, c] = await claim(3)
    await collect(a!.id)
    await collect(b!.id, { now: now + 30 * SECOND })
    expect((await findBatch(engine, `b-${a!.id}`))?.closes).toBe(now + 90 * SECOND)
    await collect(c!.id, { now: now + 80 * SECOND })
    expect((await findBatch(engine, `b-${a!.id}`))?.closes).toBe(now + 100 * SECOND)
  })

  test('a batch closes once, with everything that is in it', async () => {
    await start(2)
    const [a, b] = await claim(2)
    await collect(a!.id)
    const [waiting] = await claim(1, 'L', now + 60 * SECOND)
    expect(waiting?.id).toBe(a!.id)
    await collect(b!.id, { now: now + 60 * SECOND })
    const close = (items: number, at: number) => engine.batch([guardPlan, closing(`b-${a!.id}`, items, at)])
    await expect(close(1, now + 60 * SECOND)).rejects.toBeInstanceOf(Overtaken)
    await expect(close(2, now + 59 * SECOND)).rejects.toBeInstanceOf(Overtaken)
    await close(2, now + 60 * SECOND)
    expect(await findBatch(engine, `b-${a!.id}`)).toBeUndefined()
    expect(await count('select count(*) from batch_items')).toBe(0)
  })

  test('a run that holds on waits until its batch closes, and no longer than it takes to fill it', async () => {
    await start(3)
    const [a, b, c] = await claim(3)
    await collect(a!.id)
    await claim(1, 'L', now + 60 * SECOND)
    await collect(b!.id, { now: now + 50 * SECOND, maxItems: 3 })
    const hold = change(a!.id, { run: { status: 'WAITING', due_at: now } })
    await engine.batch([guardPlan, holding(hold, `b-${a!.id}`, now + 60 * SECOND)])
    expect((await findRun(engine, 1, a!.id))?.due_at).toBe(now + 100 * SECOND)
    expect(c).toBeDefined()
  })

  test('the batch of a cancelled run is taken over with its items by the next that adds', async () => {
    await start(3)
    const [a, b, c] = await claim(3)
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
    await start(1)
    const [a] = await claim(1)
    await cancelRun((writes) => engine.batch(writes), 1, a!.id, now)
    await expect(collect(a!.id)).rejects.toBeInstanceOf(Overtaken)
    expect(await count('select count(*) from batches')).toBe(0)
  })

  test('a token held by ten thousand runs ends them in one statement, but for the one that asks', async () => {
    for (let n = 0; n < 10; n += 1) await start(1_000, { cancelation_token: 't', due_at: now + DAY })
    const [asking] = await start(1, { cancelation_token: 't' })
    const [other] = await start(1, { cancelation_token: 'other' })
    await start(1, { cancelation_token: 't', workspace_id: 2 })
    await engine.run(tokenCancellation(1, 't', asking!.id, now))
    expect(await count(`select count(*) from runs where status = 'CANCELED' and due_at is null`)).toBe(10_000)
    expect([await statusOf(asking!.id), await statusOf(other!.id)]).toEqual(['PROCESSING', 'PROCESSING'])
  })

  test('cancelling wins against whatever a worker finds out at the same moment', async () => {
    await start(20, { cancelation_token: 't' })
    const held = await claim(20)
    const [, ...written] = await Promise.all([
      engine.run(tokenCancellation(1, 't', '', now)),
      ...held.map(({ id }) =>
        recordRuns(engine, [change(id, { run: { next_lease: 'L', status: 'PROCESSING', due_at: now } })]),
      ),
    ])
    expect(written).toHaveLength(20)
    expect(await count(`select count(*) from runs where status = 'CANCELED' and due_at is null`)).toBe(20)
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
    const [first, second] = await claim(2)
    await recordRuns(
      engine,
      [first!, second!].map(({ id }) => change(id)),
    )
    const before = now - 90 * DAY
    expect((await dropPartitions(engine, before)).kept).toEqual([expect.stringMatching(/^runs_/)])
    expect(await dropRuns(engine, before, 1)).toBe(1)
    expect(await dropRuns(engine, before, 10)).toBe(1)
    expect(await count('select count(*) from runs')).toBe(1)
    expect(await count('select count(*) from run_steps')).toBe(0)
  })
})
