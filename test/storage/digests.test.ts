/** Events are kept once, in one digest at a time, ranked and trimmed, under the schedule of their recipient. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { digestFixture, start } from './digest-fixture.ts'

withEngine((open) => {
  let fixture: ReturnType<typeof digestFixture>
  beforeAll(async () => {
    fixture = digestFixture(await open())
  })
  beforeEach(() => {
    fixture.time.now = start
  })

  test('events of one recipient become one message at the time of the schedule, though the clock changes before', async () => {
    await fixture.topic('plain')
    for (const n of [1, 2, 3]) await fixture.keep('plain', 'ada', { n }, `plain-${n}`, { runId: 'run-1' })
    expect(
      (await fixture.messagesOf('ada')).map(({ id, status, due_at, run_id }) => ({ id, status, due_at, run_id })),
    ).toEqual([1, 2, 3].map((n) => ({ id: `plain-${n}`, status: 'DIGESTED', due_at: null, run_id: 'run-1' })))
    const counted = `select status, sum(count)::int as count from message_counts
      where channel is null and status is null or status = $1 group by 1 order by 1`
    expect(await fixture.many(counted, 'DIGESTED')).toEqual([
      { status: 'DIGESTED', count: 3 },
      { status: null, count: 3 },
    ])
    const history = await fixture.many('select events from messages where id = $1', 'plain-1')
    const due = Date.parse('2026-03-29T07:00:00Z')
    expect(history).toEqual([
      { events: JSON.stringify([{ type: 'DIGESTED', ts: start, topic_id: 'plain', until: due }]) },
    ])
    fixture.time.now = due - 1
    await fixture.release()
    expect(await fixture.released('ada')).toEqual([])
    fixture.time.now = due
    await fixture.release()
    const items = [{ n: 1 }, { n: 2 }, { n: 3 }]
    expect(await fixture.released('ada')).toEqual([
      {
        event: 'summary',
        template: 'summary',
        recipient: 'ada',
        topic: 'plain',
        isDigest: true,
        data: { digest: { count: 3, items } },
      },
    ])
    expect(await fixture.digestsOf('ada')).toEqual([])
    expect(
      await fixture.many(`select * from digest_events e where not exists (select from digests where id = e.digest_id)`),
    ).toEqual([])
  })

  test('the same event again is kept once', async () => {
    await fixture.topic('once')
    for (const n of [1, 1, 2, 1]) await fixture.keep('once', 'bob', { n }, `once-${n}`)
    expect(await fixture.digestsOf('bob')).toMatchObject([{ events: 2, counts: { digest: 2 } }])
    await fixture.keep('once', 'bob', { n: 3 }, 'once-3')
    fixture.time.now = start + 86_400_000
    await fixture.release()
    // It comes too late: its digest is sent.
    await fixture.keep('once', 'bob', { n: 1 }, 'once-1')
    expect(await fixture.digestsOf('bob')).toEqual([])
    expect(await fixture.released('bob')).toMatchObject([{ data: { digest: { count: 3 } } }])
  })

  test('recipients, topics, tenants, modes and workspaces each have their own', async () => {
    await fixture.topic('own')
    await fixture.topic('other')
    await fixture.keep('own', 'cy', { n: 1 }, 'own-1')
    await fixture.keep('other', 'cy', { n: 2 }, 'own-2')
    await fixture.keep('own', 'cy', { n: 3 }, 'own-3', { tenantId: 'acme' })
    await fixture.keep('own', 'cy', { n: 4 }, 'own-4', { mode: 'mock' })
    await fixture.keep('own', 'dee', { n: 5 }, 'own-5')
    await fixture.keep('own', 'cy', { n: 6 }, 'own-6', { workspaceId: 2 })
    await fixture.topic('both', undefined, 2)
    await fixture.keep('both', 'lou', { n: 7 }, 'own-7', { workspaceId: 2 })
    expect(await fixture.digestsOf('cy')).toHaveLength(4)
    expect(await fixture.messagesOf('cy')).toHaveLength(4)
    fixture.time.now += 86_400_000
    await fixture.release()
    const messages = (await fixture.messagesOf('cy')).filter(({ status }) => status === 'ENQUEUED')
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
    expect((await fixture.messagesOf('lou')).map(({ workspace_id }) => workspace_id)).toEqual([2, 2])
  })

  test('no more is stored than will be shown, and everything is counted', async () => {
    const category = (category_key: string, retain: string, sort_key?: string) => ({
      category_key,
      retain,
      limit: 2,
      sort_key,
    })
    await fixture.topic('trimmed', [
      category('f', 'FIRST'),
      category('l', 'LAST'),
      category('h', 'HIGHEST', 'h'),
      category('w', 'LOWEST', 'w'),
    ])
    for (const [n, value] of [5, 1, 9, 3, 7, 2].entries())
      await fixture.keep('trimmed', 'eve', { n, f: 1, l: 1, h: value, w: value }, `trimmed-${n}`)
    const rows = await fixture.many(
      'select category, count(*)::integer as n from digest_events where digest_id = $1 group by 1',
      (await fixture.digestsOf('eve'))[0]?.id,
    )
    expect(rows.every(({ n }) => Number(n) <= 3)).toBe(true)
    fixture.time.now += 86_400_000
    await fixture.release()
    const [{ data }] = await fixture.released('eve')
    const ns = (key: string) => data[key].items.map(({ n }: { n: number }) => n)
    expect([ns('f'), ns('l'), ns('h'), ns('w')]).toEqual([
      [0, 1],
      [4, 5],
      [2, 4],
      [1, 5],
    ])
    for (const key of ['f', 'l', 'h', 'w']) expect(data[key].count).toBe(6)
  })

  test('a change of the schedule applies from the next event on, and never later than was promised', async () => {
    await fixture.topic('chosen')
    const choose = (schedule: string, tenant = '') =>
      fixture.many(
        `insert into topic_preferences values (1, 'fay', $2, 'chosen', 'OPTED_IN', false, '[]', 0, $1)
          on conflict (workspace_id, user_id, tenant_id, topic_id) do update set digest_schedule_id = $1`,
        schedule,
        tenant,
      )
    await choose('weekly')
    await fixture.keep('chosen', 'fay', { n: 1 }, 'chosen-1')
    expect(await fixture.digestsOf('fay')).toMatchObject([
      { schedule_id: 'weekly', due_at: Date.parse('2026-03-30T09:00:00Z') },
    ])
    await choose('daily')
    await fixture.keep('chosen', 'fay', { n: 2 }, 'chosen-2')
    expect(await fixture.digestsOf('fay')).toMatchObject([
      { schedule_id: 'daily', due_at: Date.parse('2026-03-29T07:00:00Z') },
    ])
    await choose('weekly')
    await fixture.keep('chosen', 'fay', { n: 3 }, 'chosen-3')
    expect(await fixture.digestsOf('fay')).toMatchObject([{ due_at: Date.parse('2026-03-29T07:00:00Z') }])
    await choose('weekly', 'acme')
    await choose('daily')
    await fixture.keep('chosen', 'fay', { n: 4 }, 'chosen-4', { tenantId: 'acme' })
    expect(await fixture.digestsOf('fay')).toMatchObject([{}, { tenant_id: 'acme', schedule_id: 'weekly' }])
  })

  test('concurrent events and releases lose nothing and send nothing twice', async () => {
    await fixture.topic('busy')
    const total = 60
    const adding = Array.from({ length: total }, (_, n) =>
      fixture.keep('busy', 'gus', { n }, `busy-${String(n).padStart(2, '0')}`),
    )
    const releasing = Array.from({ length: 8 }, async (_, n) => {
      await adding[n * 7]
      await fixture.many(`update digests set due_at = $1 where recipient = 'gus' and is_open`, fixture.time.now)
      await fixture.release()
    })
    await Promise.all([...adding, ...releasing])
    await fixture.many(`update digests set due_at = $1 where recipient = 'gus'`, fixture.time.now)
    await fixture.release()
    const data = (await fixture.released('gus')).map(({ data }) => data.digest)
    expect(data.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    const shown = data.flatMap(({ items }) => items.map(({ n }: { n: number }) => n))
    expect(new Set(shown).size).toBe(shown.length)
  })
})
