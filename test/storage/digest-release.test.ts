/** Collected events are sent by exactly one message, through every crash, and none of an erased recipient. */

import { timedIdFloor } from '@postrider/server/internal/base/ids'
import type { JsonObject } from '@postrider/server/internal/base/json/json'
import type { Engine } from '@postrider/server/internal/database/engine'
import { digestQueue, releaseDigests } from '@postrider/server/internal/database/tables/digests/digests'
import { findErasure, startErasure } from '@postrider/server/internal/database/tables/erasure/erasures'
import { messageQueue } from '@postrider/server/internal/database/tables/messages/live-messages'
import { digestProblem } from '@postrider/server/internal/digests/events'
import { createEraser, FIRST_STEP } from '@postrider/server/internal/erasure/erase'
import { claimsMax } from '@postrider/server/internal/queue/poison'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { digestFixture, start } from './digest-fixture.ts'

withEngine((open) => {
  let engine: Engine
  let fixture: ReturnType<typeof digestFixture>
  beforeAll(async () => {
    engine = await open()
    fixture = digestFixture(engine)
  })
  beforeEach(() => {
    fixture.time.now = start
  })

  test('when a worker closes a digest and crashes, another one sends it once', async () => {
    await fixture.topic('taken')
    await fixture.keep('taken', 'hal', { n: 1 }, 'taken-1')
    fixture.time.now += 86_400_000
    const closed = await digestQueue.claim(engine, {
      now: fixture.time.now,
      until: fixture.time.now + 60_000,
      lease: 'dead',
      limit: 10,
    })
    const crashed = closed.find(({ recipient }) => recipient === 'hal')
    expect(crashed).toBeDefined()
    // The next event opens another one.
    await fixture.keep('taken', 'hal', { n: 2 }, 'taken-2')
    await fixture.release()
    expect(await fixture.released('hal')).toEqual([])
    fixture.time.now += 60_000
    await fixture.release()
    expect(await fixture.released('hal')).toMatchObject([{ data: { digest: { count: 1, items: [{ n: 1 }] } } }])
    const [message] = (await fixture.messagesOf('hal')).filter(({ status }) => status === 'ENQUEUED')
    // Its place among the others is when it was closed.
    expect(String(message?.id).slice(0, 10)).toBe(timedIdFloor(start + 86_400_000).slice(0, 10))
    const late = { ...(message as object), id: '1-late', workspace_id: 1, lane: 1, due_at: 0, lease: null, claims: 0 }
    const columns = { ...late, recipient: 'hal', enqueued: 0, first_due: 0, input: '{}' } as never
    await releaseDigests(engine, [{ digest: { id: String(crashed?.id), lease: 'dead' }, message: columns }])
    expect(await fixture.released('hal')).toHaveLength(1)
  })

  test('one that ends its workers is retried ever more seldom, and a start does not hurry it', async () => {
    await fixture.topic('deadly')
    await fixture.keep('deadly', 'ned', { n: 1 }, 'deadly-1')
    const dueOf = async (who: string) => Number((await fixture.digestsOf(who))[0]?.due_at)
    const pauses: number[] = []
    for (let at = await dueOf('ned'); pauses.length < 8; at += pauses.at(-1) ?? 0) {
      await digestQueue.claim(engine, { now: at, until: at + 1_000, lease: 'dead', limit: 10 })
      pauses.push((await dueOf('ned')) - at)
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 64].map((seconds) => seconds * 1_000))
    await fixture.keep('deadly', 'noa', { n: 1 }, 'deadly-2')
    const due = { ned: await dueOf('ned'), noa: await dueOf('noa') }
    await digestQueue.claim(engine, { now: due.noa, until: due.noa + 1_000, lease: 'dead', limit: 10 })
    await digestQueue.voidLeases(engine, start)
    expect([await dueOf('noa'), await dueOf('ned')]).toEqual([start, expect.toBeOneOf([due.ned, due.noa + 64_000])])
    await fixture.many(`delete from digests where recipient in ('ned', 'noa')`)
  })

  test('one that cannot be sent delays no other', async () => {
    await fixture.topic('broken')
    for (const who of ['max', 'mia', 'moe']) await fixture.keep('broken', who, { n: 1 }, `broken-${who}`)
    await fixture.many(`update digests set terms = '{"categories":[]}' where recipient = 'mia'`)
    fixture.time.now += 86_400_000
    await fixture.release()
    const released = ['max', 'mia', 'moe'].map(async (who) => (await fixture.released(who)).length)
    expect(await Promise.all(released)).toEqual([1, 0, 1])
    expect(await fixture.digestsOf('mia')).toHaveLength(1)
    await fixture.many(`delete from digests where recipient = 'mia'`)
  })

  test('one that fails its whole claim is claimed apart after two of them, and replaced by a dead letter', async () => {
    await fixture.topic('apart')
    for (const who of ['pat', 'pia', 'pol']) await fixture.keep('apart', who, { n: 1 }, `apart-${who}`)
    await fixture.many(`update digests set terms = '{' where recipient = 'pia'`)
    fixture.time.now += 86_400_000
    const released = async () => (await Promise.all(['pat', 'pol'].map((who) => fixture.released(who)))).flat().length
    const after: number[] = []
    for (let claims = 0; claims < 6; claims += 1) {
      await fixture.release().catch(() => undefined)
      after.push(await released())
      fixture.time.now += 64_000
    }
    // The one that fails may come before the others, once.
    expect([after[1], after[3]]).toEqual([0, 2])
    const bound = claimsMax(messageQueue.poison)
    const letters = await fixture.many(`select claims from messages where recipient = 'pia' and status = 'ENQUEUED'`)
    expect(letters).toEqual([{ claims: bound + 1 }])
    // It is parked until its dead letter is released.
    expect(await fixture.digestsOf('pia')).toMatchObject([{ is_open: false, due_at: null, lease: null }])
    await fixture.many(`delete from messages where recipient = 'pia'`)
    await fixture.many(`delete from digests where recipient = 'pia'`)
  })

  test('a topic without a digest and data that are too large are refused', async () => {
    await fixture.topic('bare', null)
    await fixture.topic('good')
    const problem = (topicId: string, data: JsonObject = {}) => digestProblem(engine, { workspaceId: 1, topicId, data })
    expect(await problem('good')).toBeUndefined()
    expect(await problem('bare')).toBe('The topic `bare` has no digest')
    expect(await problem('none')).toBe('The topic `none` has no digest')
    expect(await problem('good', { text: 'x'.repeat(16_400) })).toMatch(/at most 16384 bytes/)
    await fixture.keep('bare', 'ivy', {}, 'bare-1')
    expect(await fixture.messagesOf('ivy')).toEqual([])
  })

  test('nothing of an erased recipient is kept or sent, also by a worker at work', async () => {
    await fixture.topic('erased')
    for (const n of [1, 2]) await fixture.keep('erased', 'jan', { n }, `erased-${n}`)
    await fixture.keep('erased', 'kim', { about: 'jan' }, 'erased-3')
    fixture.time.now += 86_400_000
    const closed = await digestQueue.claim(engine, {
      now: fixture.time.now,
      until: fixture.time.now + 60_000,
      lease: 'held',
      limit: 10,
    })
    expect(closed.map(({ recipient }) => recipient)).toEqual(expect.arrayContaining(['jan', 'kim']))
    const started = {
      id: 'of-jan',
      workspaceId: 1,
      person: 'jan',
      pseudonym: 'erased-x',
      actor: 'key/test',
      now: fixture.time.now,
    }
    await engine.batch(startErasure(started, FIRST_STEP))
    const erase = createEraser(fixture.options)
    for (let steps = 0; steps < 40; steps += 1) await erase()
    expect(await findErasure(engine, 1, 'of-jan')).toMatchObject({
      status: 'COMPLETED',
      removed: { digests: 1, messages: 2 },
    })
    fixture.time.now += 60_000
    await fixture.release()
    expect(await fixture.many(`select 1 from messages where recipient = 'jan'`)).toEqual([])
    expect(await fixture.many(`select 1 from messages where recipient = 'erased-x' and status <> 'DIGESTED'`)).toEqual(
      [],
    )
    expect(await fixture.released('kim')).toHaveLength(1)
  })
})
