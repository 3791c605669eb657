/** Events are kept once, in one digest at a time, and every one that was kept is told by exactly one message. */

import { digestRefusal, keeping } from '@postrider/server/internal/automations/digests/keep'
import { createReleaser } from '@postrider/server/internal/automations/digests/release'
import { createLog } from '@postrider/server/internal/base/log'
import type { JsonObject } from '@postrider/server/internal/base/merge'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { closeDigests, releaseDigests } from '@postrider/server/internal/database/tables/digests'
import { beginErasure, findErasure } from '@postrider/server/internal/database/tables/erasures'
import { createEraser, FIRST_STEP } from '@postrider/server/internal/erasure/erase'
import { beforeAll, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'

const start = Date.UTC(2026, 2, 28, 12)

eachEngine((_name, open) => {
  let engine: Engine
  const time = { now: start }
  beforeAll(async () => {
    engine = await open()
  })

  const many = async (text: string, ...values: unknown[]) => (await engine.run({ text, values })).rows
  const options = () => ({
    engine,
    secretKey: secretKey(Buffer.alloc(32, 7)),
    log: createLog('silent'),
    leaseMs: 1_000,
    now: () => time.now,
    wake: () => undefined,
  })
  /** Until nothing is due. */
  const release = async () => {
    const step = createReleaser(options())
    while ((await step()) === 0);
  }
  const daily = { schedule_id: 'daily', frequency: 'daily', time: '09:00', timezone: 'Europe/Berlin' }
  const weekly = { schedule_id: 'weekly', frequency: 'weekly', time: '09:00', day_of_week: 'monday' }
  const topic = async (id: string, categories: object[] = [{ category_key: 'digest', retain: 'FIRST', limit: 10 }]) => {
    const schedules = [daily, weekly].map((one) => ({ ...one, is_default: one === daily, disabled: false }))
    await many(
      `insert into preference_topics
        (workspace_id, id, section_id, name, default_status, settings, created, updated, creator, updater)
        values (1, $1, 's', 'n', 'OPTED_IN', $2, 0, 0, 'c', 'c')`,
      id,
      JSON.stringify({ digest: { template_id: 'told', schedules, categories } }),
    )
    return id
  }
  const keep = async (topicId: string, recipient: string, data: JsonObject, id: string, more: object = {}) => {
    const event = { id, workspaceId: 1, mode: 'live' as const, topicId, recipient, data, ...more }
    await engine.batch(await keeping(engine, event, time.now))
  }
  const messagesOf = (recipient: string) =>
    many(
      `select id, status, due_at, event, mode, tenant_id, run_id, input from messages where recipient = $1 order by id`,
      recipient,
    )
  const told = async (recipient: string) =>
    (await messagesOf(recipient))
      .filter(({ status }) => status === 'ENQUEUED')
      .map(({ input }) => JSON.parse(String(input)))
  const digestsOf = (recipient: string) => many('select * from digests where recipient = $1 order by id', recipient)

  test('events of one recipient become one message at the time of the schedule, though the clock changes before', async () => {
    time.now = start
    await topic('plain')
    for (const n of [1, 2, 3]) await keep('plain', 'ada', { n }, `plain-${n}`, { runId: 'run-1' })
    expect((await messagesOf('ada')).map(({ id, status, due_at, run_id }) => ({ id, status, due_at, run_id }))).toEqual(
      [1, 2, 3].map((n) => ({ id: `plain-${n}`, status: 'DIGESTED', due_at: null, run_id: 'run-1' })),
    )
    const history = await many('select events from history where message_id = $1', 'plain-1')
    const due = Date.parse('2026-03-29T07:00:00Z')
    expect(history).toEqual([
      { events: JSON.stringify([{ type: 'DIGESTED', ts: start, topic_id: 'plain', until: due }]) },
    ])
    time.now = due - 1
    await release()
    expect(await told('ada')).toEqual([])
    time.now = due
    await release()
    const items = [{ n: 1 }, { n: 2 }, { n: 3 }]
    expect(await told('ada')).toEqual([
      { event: 'told', recipient: 'ada', topic: 'plain', data: { digest: { count: 3, items } } },
    ])
    expect(await digestsOf('ada')).toEqual([])
    expect(
      await many(`select * from digest_events e where not exists (select from digests where id = e.digest_id)`),
    ).toEqual([])
  })

  test('the same event again is kept once', async () => {
    time.now = start
    await topic('once')
    for (const n of [1, 1, 2, 1]) await keep('once', 'bob', { n }, `once-${n}`)
    expect(await digestsOf('bob')).toMatchObject([{ events: 2, counts: { digest: 2 } }])
    await keep('once', 'bob', { n: 3 }, 'once-3')
    time.now = start + 86_400_000
    await release()
    // It comes too late: what it belonged to is told.
    await keep('once', 'bob', { n: 1 }, 'once-1')
    expect(await digestsOf('bob')).toEqual([])
    expect(await told('bob')).toMatchObject([{ data: { digest: { count: 3 } } }])
  })

  test('recipients, topics, tenants, modes and workspaces each have their own', async () => {
    time.now = start
    await topic('own')
    await topic('other')
    await keep('own', 'cy', { n: 1 }, 'own-1')
    await keep('other', 'cy', { n: 2 }, 'own-2')
    await keep('own', 'cy', { n: 3 }, 'own-3', { tenantId: 'acme' })
    await keep('own', 'cy', { n: 4 }, 'own-4', { mode: 'mock' })
    await keep('own', 'dee', { n: 5 }, 'own-5')
    await keep('own', 'cy', { n: 6 }, 'own-6', { workspaceId: 2 })
    expect(await digestsOf('cy')).toHaveLength(4)
    expect(await messagesOf('cy')).toHaveLength(4)
    time.now += 86_400_000
    await release()
    const messages = (await messagesOf('cy')).filter(({ status }) => status === 'ENQUEUED')
    expect(
      messages.map(({ mode, tenant_id, input }) => [mode, tenant_id, JSON.parse(String(input)).data.digest.items]),
    ).toEqual(
      expect.arrayContaining([
        ['live', null, [{ n: 1 }]],
        ['live', null, [{ n: 2 }]],
        ['live', 'acme', [{ n: 3 }]],
        ['mock', null, [{ n: 4 }]],
      ]),
    )
    expect(messages).toHaveLength(4)
  })

  test('no more is stored than will be shown, and everything is counted', async () => {
    time.now = start
    const one = (category_key: string, retain: string, sort_key?: string) => ({
      category_key,
      retain,
      limit: 2,
      sort_key,
    })
    await topic('trimmed', [one('f', 'FIRST'), one('l', 'LAST'), one('h', 'HIGHEST', 'h'), one('w', 'LOWEST', 'w')])
    for (const [n, value] of [5, 1, 9, 3, 7, 2].entries())
      await keep('trimmed', 'eve', { n, f: 1, l: 1, h: value, w: value }, `trimmed-${n}`)
    const stored = await many(
      'select category, count(*)::integer as n from digest_events where digest_id = $1 group by 1',
      (await digestsOf('eve'))[0]?.id,
    )
    expect(stored.every(({ n }) => Number(n) <= 3)).toBe(true)
    time.now += 86_400_000
    await release()
    const [{ data }] = await told('eve')
    const ns = (key: string) => data[key].items.map(({ n }: { n: number }) => n)
    expect([ns('f'), ns('l'), ns('h'), ns('w')]).toEqual([
      [0, 1],
      [4, 5],
      [2, 4],
      [1, 5],
    ])
    for (const key of ['f', 'l', 'h', 'w']) expect(data[key].count).toBe(6)
  })

  test('who chose another schedule is on it from the next event on, and never later than was promised', async () => {
    time.now = start
    await topic('chosen')
    const choose = (schedule: string, tenant = '') =>
      many(
        `insert into topic_preferences values (1, 'fay', $2, 'chosen', 'OPTED_IN', false, '[]', 0, $1)
          on conflict (workspace_id, user_id, tenant_id, topic_id) do update set digest_schedule_id = $1`,
        schedule,
        tenant,
      )
    await choose('weekly')
    await keep('chosen', 'fay', { n: 1 }, 'chosen-1')
    expect(await digestsOf('fay')).toMatchObject([
      { schedule_id: 'weekly', due_at: Date.parse('2026-03-30T09:00:00Z') },
    ])
    await choose('daily')
    await keep('chosen', 'fay', { n: 2 }, 'chosen-2')
    expect(await digestsOf('fay')).toMatchObject([{ schedule_id: 'daily', due_at: Date.parse('2026-03-29T07:00:00Z') }])
    await choose('weekly')
    await keep('chosen', 'fay', { n: 3 }, 'chosen-3')
    expect(await digestsOf('fay')).toMatchObject([{ due_at: Date.parse('2026-03-29T07:00:00Z') }])
    await choose('weekly', 'acme')
    await choose('daily')
    await keep('chosen', 'fay', { n: 4 }, 'chosen-4', { tenantId: 'acme' })
    expect(await digestsOf('fay')).toMatchObject([{}, { tenant_id: 'acme', schedule_id: 'weekly' }])
  })

  test('events and releases that meet lose nothing and tell nothing twice', async () => {
    time.now = start
    await topic('busy')
    const total = 60
    const adding = Array.from({ length: total }, (_, n) =>
      keep('busy', 'gus', { n }, `busy-${String(n).padStart(2, '0')}`),
    )
    const releasing = Array.from({ length: 8 }, async (_, n) => {
      await adding[n * 7]
      await many(`update digests set due_at = $1 where recipient = 'gus' and is_open`, time.now)
      await release()
    })
    await Promise.all([...adding, ...releasing])
    await many(`update digests set due_at = $1 where recipient = 'gus'`, time.now)
    await release()
    const data = (await told('gus')).map(({ data }) => data.digest)
    expect(data.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    const shown = data.flatMap(({ items }) => items.map(({ n }: { n: number }) => n))
    expect(new Set(shown).size).toBe(shown.length)
  })

  test('who closed a digest and died is followed by somebody who tells it once', async () => {
    time.now = start
    await topic('taken')
    await keep('taken', 'hal', { n: 1 }, 'taken-1')
    time.now += 86_400_000
    const closed = await closeDigests(engine, { now: time.now, leaseMs: 60_000, lease: 'dead', limit: 10 })
    const dead = closed.find(({ recipient }) => recipient === 'hal')
    expect(dead).toBeDefined()
    // What comes now opens another one.
    await keep('taken', 'hal', { n: 2 }, 'taken-2')
    await release()
    expect(await told('hal')).toEqual([])
    time.now += 60_000
    await release()
    expect(await told('hal')).toMatchObject([{ data: { digest: { count: 1, items: [{ n: 1 }] } } }])
    const [message] = (await messagesOf('hal')).filter(({ status }) => status === 'ENQUEUED')
    const late = { ...(message as object), id: '1-late', workspace_id: 1, lane: 1, due_at: 0, lease: null, claims: 0 }
    const columns = { ...late, recipient: 'hal', enqueued: 0, first_due: 0, input: '{}' } as never
    await releaseDigests(engine, [{ digestId: String(dead?.id), message: columns }], 'dead')
    expect(await told('hal')).toHaveLength(1)
  })

  test('a topic without a digest and data that are too large are refused', async () => {
    await many(
      `insert into preference_topics
        (workspace_id, id, section_id, name, default_status, settings, created, updated, creator, updater)
        values (1, 'bare', 's', 'n', 'OPTED_IN', '{}', 0, 0, 'c', 'c')`,
    )
    await topic('good')
    const refusal = (topicId: string, data: JsonObject = {}) => digestRefusal(engine, { workspaceId: 1, topicId, data })
    expect(await refusal('good')).toBeUndefined()
    expect(await refusal('bare')).toBe('The topic bare has no digest')
    expect(await refusal('none')).toBe('The topic none has no digest')
    expect(await refusal('good', { text: 'x'.repeat(16_400) })).toMatch(/at most 16384 bytes/)
    await keep('bare', 'ivy', {}, 'bare-1')
    expect(await messagesOf('ivy')).toEqual([])
  })

  test('of who is erased nothing is kept and nothing is told, not even by who is about to', async () => {
    time.now = start
    await topic('erased')
    for (const n of [1, 2]) await keep('erased', 'jan', { n }, `erased-${n}`)
    await keep('erased', 'kim', { about: 'jan' }, 'erased-3')
    time.now += 86_400_000
    const closed = await closeDigests(engine, { now: time.now, leaseMs: 60_000, lease: 'held', limit: 10 })
    expect(closed.map(({ recipient }) => recipient)).toEqual(expect.arrayContaining(['jan', 'kim']))
    const begun = { id: 'of-jan', workspaceId: 1, person: 'jan', pseudonym: 'erased-x', now: time.now }
    await beginErasure(engine, begun, FIRST_STEP)
    const erase = createEraser(options())
    for (let steps = 0; steps < 40; steps += 1) await erase()
    expect(await findErasure(engine, 1, 'of-jan')).toMatchObject({
      status: 'COMPLETED',
      removed: { digests: 1, messages: 2 },
    })
    time.now += 60_000
    await release()
    expect(await many(`select 1 from messages where recipient = 'jan'`)).toEqual([])
    expect(await many(`select 1 from messages where recipient = 'erased-x' and status <> 'DIGESTED'`)).toEqual([])
    expect(await told('kim')).toHaveLength(1)
  })
})
