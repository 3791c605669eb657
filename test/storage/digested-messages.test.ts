/** Messages that a digest collects are kept in the commit that records them, once, and only if it records them. */
import type { Engine } from '@postrider/server/internal/database/engine'
import { type DigestedEvent, digestEventsInsert } from '@postrider/server/internal/database/tables/digests/digests'
import { insertMessages } from '@postrider/server/internal/database/tables/messages/live-messages'
import { type MessageRecord, recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { digestFixture, start } from './digest-fixture.ts'

withEngine((open) => {
  let engine: Engine
  let fixture: ReturnType<typeof digestFixture>
  beforeAll(async () => {
    engine = await open()
    fixture = digestFixture(engine)
  })

  const accepted = (recipient: string, ids: readonly string[]) =>
    insertMessages(
      engine,
      ids.map((id) => ({
        ...{ id, workspace_id: 1, lane: 0, due_at: start, lease: 'L', claims: 1, status: 'ENQUEUED', event: 'e' },
        ...{ recipient, mode: 'live', enqueued: start, first_due: start, input: '{}' },
      })),
      start,
    )
  const recordOf = (id: string, more: Partial<MessageRecord> = {}): MessageRecord => ({
    ...{ id, lease: 'L', flushes: 0, next_lease: null, due_at: null, status: 'DIGESTED', notification_id: null },
    ...{ sent: null, delivered: null, canceled_at: null, error: null, reason: null, pinned: null, deliveries: null },
    events: '[{"type":"DIGESTED"}]',
    ...more,
  })
  let digests = 0
  const eventOf = (recipient: string, id: string, categories: string[], more: Partial<DigestedEvent> = {}) => {
    digests += 1
    return {
      ...{ messageId: id, flushes: 1, digestId: `1-digest-${digests}`, workspaceId: 1, mode: 'live', topicId: 't' },
      ...{ recipient, tenantId: '', scheduleId: 'daily', dueAt: start + 1_000, terms: '{}', data: `{"of":"${id}"}` },
      categories: categories.map((category) => ({ category, keep: 2, order: 'last' as const, rank: null })),
      ...more,
    }
  }
  const record = (records: MessageRecord[], events: DigestedEvent[]) =>
    recordMessages(engine, { records, following: [digestEventsInsert(events, start)] })
  const kept = async (recipient: string) => {
    const keptEvents = await fixture.many(
      `select e.category, e.position, e.data from digest_events e join digests d on d.id = e.digest_id
        where d.recipient = $1 order by e.category, e.position`,
      recipient,
    )
    return keptEvents.map(({ category, position, data }) => [category, position, JSON.parse(String(data)).of])
  }

  test('those of one commit are counted one after the other, each under its categories', async () => {
    await accepted('ada', ['1-a1', '1-a2', '1-a3'])
    await accepted('bob', ['1-b1'])
    const events = [eventOf('ada', '1-a1', ['x']), eventOf('bob', '1-b1', ['x']), eventOf('ada', '1-a2', ['x', 'y'])]
    await record(
      ['1-a1', '1-a2', '1-b1'].map((id) => recordOf(id)),
      events,
    )
    expect(await fixture.digestsOf('ada')).toMatchObject([{ events: 2, counts: { x: 2, y: 1 }, due_at: start + 1_000 }])
    expect(await fixture.digestsOf('bob')).toMatchObject([{ events: 1, counts: { x: 1 } }])
    await record([recordOf('1-a3')], [eventOf('ada', '1-a3', ['x'], { dueAt: start })])
    expect(await fixture.digestsOf('ada')).toMatchObject([{ events: 3, counts: { x: 3, y: 1 }, due_at: start }])
    expect((await kept('ada')).map(([category, position]) => [category, position])).toContainEqual(['x', 3])
    await accepted('ada', ['1-a4'])
    await record([recordOf('1-a4')], [eventOf('ada', '1-a4', ['x'])])
    // The first has gone: no more than one beyond what is shown is kept.
    expect(await kept('ada')).toEqual([
      ['x', 2, '1-a2'],
      ['x', 3, '1-a3'],
      ['x', 4, '1-a4'],
      ['y', 2, '1-a2'],
    ])
  })

  test('many events of one commit are counted, and only as many as can be shown are kept', async () => {
    const ids = Array.from({ length: 9 }, (_, n) => `1-f${n}`)
    await accepted('fay', ids)
    const events = ids.map((id) => eventOf('fay', id, ['x']))
    await record(
      ids.map((id) => recordOf(id)),
      events,
    )
    expect(await fixture.digestsOf('fay')).toMatchObject([{ events: 9, counts: { x: 9 } }])
    expect(await kept('fay')).toEqual([
      ['x', 8, '1-f7'],
      ['x', 9, '1-f8'],
    ])
  })

  test('a commit that is repeated keeps nothing twice, and one without its lease keeps nothing', async () => {
    await accepted('cy', ['1-c1', '1-c2'])
    const once = () => record([recordOf('1-c1')], [eventOf('cy', '1-c1', ['x'])])
    expect([...(await once())]).toEqual(['1-c1'])
    expect([...(await once())]).toEqual([])
    expect(await fixture.digestsOf('cy')).toMatchObject([{ events: 1 }])
    await record([recordOf('1-c2', { lease: 'gone' })], [eventOf('cy', '1-c2', ['x'])])
    expect(await fixture.digestsOf('cy')).toMatchObject([{ events: 1 }])
  })

  test('many commits at the same time lose none', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `1-d${String(n).padStart(2, '0')}`)
    await accepted('dee', ids)
    await accepted(
      'eve',
      ids.map((id) => `${id}-e`),
    )
    await Promise.all(
      ids.map((id, n) => {
        const both = [eventOf('dee', id, ['x']), eventOf('eve', `${id}-e`, ['x'])]
        return record([recordOf(id), recordOf(`${id}-e`)], n % 2 === 0 ? both : both.reverse())
      }),
    )
    for (const recipient of ['dee', 'eve'])
      expect(await fixture.digestsOf(recipient)).toMatchObject([{ events: 30, counts: { x: 30 } }])
  })
})
