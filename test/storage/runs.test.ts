/**
 * Runs as rows: each is leased by one worker, written by its holder only, and ended by a cancellation.
 * @module-tag safety
 */
import { timedId } from '@postrider/server/internal/base/ids'
import { dropPartitions, makePartitions } from '@postrider/server/internal/database/partitions'
import { endRun, runQueue, runsInsert } from '@postrider/server/internal/database/tables/automations/live-runs'
import {
  cancelRun,
  dropRuns,
  recordRuns,
  runSteps,
  tokenCancellation,
} from '@postrider/server/internal/database/tables/automations/runs'

import { expect, test } from 'vitest'
import { change, DAY, message, now, SECOND, started, withRunRows } from './run-rows.ts'
import { tryCommit } from './try-commit.ts'

withRunRows((rows, engine) => {
  test('two workers never hold the same run, and each run is held by one', async () => {
    const runs = await rows.start(100)
    const claimed = (await Promise.all([rows.claim(60, 'A'), rows.claim(60, 'B')])).flat()
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length)
    expect(claimed.length + (await rows.claim(100, 'C')).length).toBe(runs.length)
    expect(await rows.claim(10)).toEqual([])
    expect(await runQueue.nextDue(engine, now)).toBe(now + 3_600 * SECOND)
  })

  test('starting a run twice starts it once', async () => {
    const [run] = await rows.start(1)
    await rows.claim(1)
    await engine.run(runsInsert([run as NonNullable<typeof run>]))
    expect(await rows.claim(1)).toEqual([])
  })

  test('a run that may have crashed its workers twice is claimed alone, and only such claims count further', async () => {
    await rows.start(5)
    const claimAgain = (at: number, suspected = true) => rows.claim(10, 'L', at, SECOND, { suspected })
    expect(await claimAgain(now)).toHaveLength(5)
    expect(await claimAgain(now + SECOND)).toHaveLength(5)
    expect(await claimAgain(now + 2 * SECOND)).toMatchObject([{ claims: 3 }])
    await rows.start(2, { due_at: now })
    const third = await claimAgain(now + 2 * SECOND)
    expect(third.map(({ claims }) => claims).sort()).toEqual([1, 1, 3])
    expect(await claimAgain(now + 2 * SECOND, false)).toEqual([])
    expect(await rows.count('select count(*) from runs where claims = 2')).toBe(3)
    for (let left = 3; left > 0; left -= 1) expect(await claimAgain(now + 2 * SECOND)).toHaveLength(1)
    // All are leased: no worker claims a run that is not due.
    expect(await claimAgain(now + 2 * SECOND)).toEqual([])
  })

  test('a claim takes no more bytes than there is room for, and at least one run', async () => {
    await rows.start(5, { start: JSON.stringify({ context: { data: { text: 'x'.repeat(40_000) } } }) })
    expect(await rows.claim(10, 'A', now, SECOND, { bytesMax: 100_000 })).toHaveLength(3)
    expect(await rows.claim(10, 'B', now, SECOND, { bytesMax: 1 })).toHaveLength(1)
  })

  test('lists are claimed from their own share, and no root takes all', async () => {
    await rows.start(10, { lane: 2, root: 'list' })
    await rows.start(10, { root: 'chain' })
    await rows.start(2)
    const limits = [20, 3] as const
    const claimed = await rows.claim(10, 'A', now, SECOND, { limits, rootMax: 4 })
    const of = (root: string) => claimed.filter((run) => run.root === root).length
    expect([claimed.length, of('list'), of('chain')]).toEqual([9, 3, 4])
    const others = await rows.claim(10, 'B', now, SECOND, { limits: [20, 0], rootMax: 4, exceptRoots: ['chain'] })
    expect(others).toEqual([])
  })

  test('a workspace with ever so many due runs leaves each claim a part for the others', async () => {
    await rows.start(300, { due_at: now - DAY })
    const late = await rows.start(5, { workspace_id: 2 })
    await rows.start(300, { due_at: now - DAY, lane: 2 })
    const claimed = await rows.claim(20, 'A', now, SECOND, { limits: [20, 4] })
    const countOf = (claims: typeof claimed, workspace: number) =>
      claims.filter(({ workspace_id }) => workspace_id === workspace).length
    expect(
      claimed
        .filter(({ workspace_id }) => workspace_id === 2)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(late.map(({ id }) => id).toSorted())
    expect(countOf(claimed, 1)).toBe(19)
    // There is no other worker: it claims all of them.
    expect(countOf(await rows.claim(20, 'B'), 1)).toBe(40)
  })

  test('only who holds a run gives it back', async () => {
    await rows.start(1)
    const [run] = await rows.claim(1)
    await runQueue.release(engine, [{ ...run!, lease: 'other' }], now)
    expect(await rows.claim(1)).toEqual([])
    await runQueue.release(engine, [run!], now)
    expect(await rows.claim(1)).toMatchObject([{ id: run!.id, claims: 1 }])
  })

  test('a dead-lettered run names its step', async () => {
    const [run] = await rows.start(1)
    await rows.claim(1)
    const step = { position: 0, action: 'throttle', started: now }
    await endRun(engine, { id: run!.id, lease: 'L' }, { step, error: 'never came to an end', now })
    expect(await rows.statusOf(run!.id)).toBe('ERROR')
    expect(await runSteps(engine, 1, run!.id)).toMatchObject([{ status: 'ERROR', reason: 'never came to an end' }])
  })

  test('a step, the state and the messages are one commit, under the lease only', async () => {
    const [run] = (await rows.start(2)).map(({ id }) => id)
    const [leasedRun, other] = await rows.claim(2)
    await runQueue.release(engine, [other!], now)
    await rows.claim(1, 'M')
    const changes = [leasedRun!, other!].map(({ id }) => change(id, { messages: [message(`1-m-${id}`, id)] }))
    expect(run).toBeDefined()
    expect([...(await recordRuns(engine, changes))]).toEqual([leasedRun!.id])
    expect(await rows.count('select count(*) from messages')).toBe(1)
    expect([await rows.statusOf(leasedRun!.id), await rows.statusOf(other!.id)]).toEqual(['PROCESSED', 'PROCESSING'])
    expect(await runSteps(engine, 1, other!.id)).toEqual([])
  })

  test('the result of an earlier part of a step is kept, with the first hundred messages of both', async () => {
    await rows.start(1)
    const [{ id } = { id: '' }] = await rows.claim(1)
    const again = { next_lease: 'L', due_at: now + SECOND, status: 'PROCESSING' }
    const ids = Array.from({ length: 120 }, (_, n) => `m-${n}`)
    const [early, late] = [ids.slice(0, 60), ids.slice(60)]
    await recordRuns(engine, [change(id, { run: again, step: { message_ids: early, status: 'PROCESSING' } })])
    await recordRuns(engine, [change(id, { step: { message_ids: late, result: '{"n":1}' } })])
    expect(await runSteps(engine, 1, id)).toMatchObject([
      { message_ids: ids.slice(0, 100), status: 'PROCESSED', result: '{"n":1}' },
    ])
  })

  test('a committed step shows that its run does not crash its worker', async () => {
    const [run] = await rows.start(1)
    const claims = () => rows.count(`select claims as count from runs where id = '${run!.id}'`)
    const mayContinue = change(run!.id, { run: { next_lease: 'L', status: 'PROCESSING' } })
    await rows.claim(1)
    await recordRuns(engine, [mayContinue])
    // The claim it is under may still be its last.
    expect(await claims()).toBe(1)
    for (const at of [1, 2]) await rows.claim(1, 'L', now + at * 3_600 * SECOND)
    expect(await claims()).toBe(3)
    await recordRuns(engine, [mayContinue])
    expect(await claims()).toBe(0)
  })

  test('renewing finds canceled runs, and voiding frees those that dead owners held', async () => {
    const [a, b] = await rows.start(2)
    const runs = await rows.claim(2)
    await tryCommit(engine, cancelRun(1, a!.id, now))
    expect([...(await runQueue.renew(engine, runs, now + DAY))]).toEqual([b!.id])
    expect(await runQueue.nextDue(engine, now)).toBe(now + DAY)
    await runQueue.voidLeases(engine, now)
    expect((await rows.claim(5, 'N')).map(({ id }) => id)).toEqual([b!.id])
  })

  test('voiding leaves what may have ended several processes to the end of its lease', async () => {
    const [innocent] = await rows.start(1)
    const [suspected] = await rows.start(1, { claims: 2 })
    expect(await rows.claim(5)).toHaveLength(2)
    await runQueue.voidLeases(engine, now)
    // Leased for longer: of two suspected runs that are due, a claim takes either.
    expect((await rows.claim(5, 'M', now, DAY)).map(({ id }) => id)).toEqual([innocent!.id])
    expect((await rows.claim(5, 'N', now + 3_600 * SECOND)).map(({ id }) => id)).toEqual([suspected!.id])
  })

  test('canceling a run cancels its sends to lists, even when it has ended', async () => {
    const [sender, other] = await rows.start(2)
    await rows.start(3, { lane: 2, source: [`send-list/${sender!.id}`], root: sender!.id })
    const [kept] = await rows.start(1, { lane: 2, source: [`send-list/${other!.id}`], root: sender!.id })
    await engine.run({
      text: `update runs set due_at = null, status = 'PROCESSED' where id = $1`,
      values: [sender!.id],
    })
    const cancel = (workspaceId: number) => tryCommit(engine, cancelRun(workspaceId, sender!.id, now))
    expect([await cancel(2), await cancel(1), await cancel(1)]).toEqual([false, true, false])
    expect(await rows.count(`select count(*) from runs where status = 'CANCELED' and due_at is null`)).toBe(3)
    expect([await rows.statusOf(sender!.id), await rows.statusOf(kept!.id)]).toEqual(['PROCESSED', 'PROCESSING'])
  })

  test("a token of ten thousand runs ends them in one statement, but for the caller's own", async () => {
    for (let n = 0; n < 10; n += 1) await rows.start(1_000, { cancelation_token: 't', due_at: now + DAY })
    const [canceling] = await rows.start(1, { cancelation_token: 't', lease: 'L' })
    const [other] = await rows.start(1, { cancelation_token: 'other' })
    await rows.start(1, { cancelation_token: 't', workspace_id: 2 })
    const [mock] = await rows.start(1, { cancelation_token: 't', mode: 'mock' })
    const run = { next_lease: 'L', status: 'PROCESSING', due_at: now }
    await recordRuns(engine, [change(canceling!.id, { run, step: { result: '{"a":1}' } })])
    const tokenOwner = { workspaceId: 1, mode: 'live', token: 't' }
    const [ended] = await rows.start(1, { cancelation_token: 't' })
    await engine.run({ text: `update runs set due_at = null, status = 'PROCESSED' where id = $1`, values: [ended!.id] })
    await engine.run(tokenCancellation(tokenOwner, { runId: canceling!.id, position: 0 }, now))
    expect(await rows.statusOf(ended!.id)).toBe('PROCESSED')
    expect(await rows.count(`select count(*) from runs where status = 'CANCELED' and due_at is null`)).toBe(10_000)
    for (const { id } of [canceling!, other!, mock!]) expect(await rows.statusOf(id)).toBe('PROCESSING')
    const [step] = await runSteps(engine, 1, canceling!.id)
    expect(JSON.parse(step?.result ?? '')).toEqual({ a: 1, canceled: 10_000 })
  })

  test('canceling wins against every concurrent result of a worker', async () => {
    await rows.start(20, { cancelation_token: 't' })
    const runs = await rows.claim(20)
    const [, ...written] = await Promise.all([
      engine.run(tokenCancellation({ workspaceId: 1, mode: 'live', token: 't' }, { runId: '', position: 0 }, now)),
      ...runs.map(({ id }) =>
        recordRuns(engine, [change(id, { run: { next_lease: 'L', status: 'PROCESSING', due_at: now } })]),
      ),
    ])
    expect(written).toHaveLength(20)
    expect(await rows.count(`select count(*) from runs where status = 'CANCELED' and due_at is null`)).toBe(20)
    expect(
      await recordRuns(
        engine,
        runs.map(({ id }) => change(id)),
      ),
    ).toEqual(new Set())
  })

  test('a run is kept as long as others after its end, however long ago it began', async () => {
    const old = now - 100 * DAY
    await makePartitions(engine, old)
    await engine.run(runsInsert([started({ id: timedId(old) }), started({ id: timedId(old) })]))
    const [first, second] = await rows.claim(2)
    await recordRuns(engine, [change(first!.id), change(second!.id, { run: { updated: old + DAY } })])
    const before = now - 90 * DAY
    expect((await dropPartitions(engine, before)).kept).toContainEqual(expect.stringMatching(/^runs_/))
    expect(await dropRuns(engine, before, 10)).toBe(1)
    expect(await rows.statusOf(first!.id)).toBe('PROCESSED')
    expect(await dropRuns(engine, now + 1, 10)).toBe(1)
  })

  test('a run that waits keeps its week, and the finished ones beside it go', async () => {
    const old = now - 200 * DAY
    await makePartitions(engine, old)
    const ids = [old, old + 1, old + 2].map((time) => timedId(time))
    await engine.run(runsInsert(ids.map((id) => started({ id }))))
    const [first, second] = await rows.claim(2)
    await recordRuns(
      engine,
      [first!, second!].map(({ id }) => change(id, { run: { updated: old } })),
    )
    const before = now - 90 * DAY
    expect((await dropPartitions(engine, before)).kept).toEqual([expect.stringMatching(/^runs_/)])
    expect(await dropRuns(engine, before, 1)).toBe(1)
    expect(await dropRuns(engine, before, 10)).toBe(1)
    expect(await rows.count('select count(*) from runs')).toBe(1)
    expect(await rows.count('select count(*) from run_steps')).toBe(0)
  })
})
