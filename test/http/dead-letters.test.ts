/** Dead letters are listed newest first by kind and state, dismissed, released once, and refused where nothing can go on. */
import { beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { insertDeadLetter } from '../support/rows.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const add = (columns?: Record<string, unknown>) => insertDeadLetter(api.engine, api.time.now, columns)
  const list = async (query = '') => (await mustCall(api, 'GET', `/dead-letters${query}`)).results
  const release = (id: string, apiKey: string = keys.production) =>
    api.call('POST', `/dead-letters/${id}/release`, { apiKey })
  const audited = async (id: string) => {
    const { results } = await mustCall(api, 'GET', '/audit-events')
    const events = results.filter(({ target }: { target: string }) => target === id)
    return events.map(({ type }: { type: string }) => type)
  }
  const messageOf = async (id: string) =>
    (await api.engine.run({ text: 'select * from messages where id = $1', values: [id] })).rows[0]

  test('a message that was given up is released once, with an event and an audit event', async () => {
    const { id, subject } = await add({ stalls: 2, stalled_in: 'rendering', reason_code: 'PROVIDER_ERROR', claims: 5 })
    const [letter] = await list('?state=open')
    expect(letter).toEqual({
      ...{ id, kind: 'message', subject_id: subject, message_id: null, state: 'open', attempts: 9, node: 'n' },
      ...{ error: expect.stringContaining('Dead-lettered'), created: api.time.now, released: null, dismissed: null },
    })
    api.time.now += 1_000
    const released = await release(id)
    expect([released.status, released.json]).toEqual([200, { ...letter, state: 'released', released: api.time.now }])
    expect(await messageOf(subject)).toMatchObject({
      ...{ status: 'ENQUEUED', due_at: api.time.now, first_due: api.time.now, lease: null, claims: 0, flushes: 2 },
      ...{ error: null, reason: null, reason_code: null, stalls: null, stalled_in: null },
    })
    const { rows } = await api.engine.run({ text: 'select * from history where message_id = $1', values: [subject] })
    expect(rows).toMatchObject([{ flush: 2, workspace_id: 1 }])
    expect(JSON.parse(String(rows[0]?.events))).toEqual([
      { type: 'RELEASED', ts: api.time.now, cause: 'dead_letter', source: 'key/production' },
    ])
    const { results } = await mustCall(api, 'GET', '/audit-events')
    expect(results[0]).toMatchObject({ type: 'dead_letter:released', target: id })
    const again = await release(id)
    expect([again.status, again.json]).toEqual([200, released.json])
    expect(await audited(id)).toEqual(['dead_letter:released'])
    expect(await messageOf(subject)).toMatchObject({ flushes: 2 })
    expect(await list('?state=open')).toEqual([])
  })

  test('one that is dismissed leaves the open ones, with an audit event, and can still be released', async () => {
    const { id, subject } = await add()
    const before = await messageOf(subject)
    const dismiss = (letter: string, apiKey: string = keys.production) =>
      api.call('POST', `/dead-letters/${letter}/dismiss`, { apiKey })
    expect([(await dismiss(id, keys.test)).status, (await dismiss(id, keys.draft)).status]).toEqual([404, 403])
    const openBefore = (await mustCall(api, 'GET', '/system')).dead_letters.open
    const { status, json } = await dismiss(id)
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({ id, state: 'dismissed', dismissed: api.time.now, released: null }),
    ])
    const ids = async (state: string) => (await list(`?state=${state}`)).map((letter: { id: string }) => letter.id)
    expect([await ids('open'), await ids('dismissed')]).toEqual([expect.not.arrayContaining([id]), [id]])
    expect(await list()).toContainEqual(json)
    expect((await mustCall(api, 'GET', '/system')).dead_letters.open).toBe(openBefore - 1)
    const { results } = await mustCall(api, 'GET', '/audit-events')
    expect(results[0]).toMatchObject({ type: 'dead_letter:dismissed', target: id })
    expect(await messageOf(subject)).toEqual(before)
    expect((await dismiss(id)).json).toEqual(json)
    expect(await audited(id)).toEqual(['dead_letter:dismissed'])
    api.time.now += 1_000
    const released = await release(id)
    expect(released.json).toMatchObject({ state: 'released', dismissed: json.dismissed, released: api.time.now })
    expect(await messageOf(subject)).toMatchObject({ status: 'ENQUEUED' })
    expect([await ids('dismissed'), await ids('released')]).toEqual([[], expect.arrayContaining([id])])
    expect([(await dismiss(id)).status, (await dismiss(id)).json.code]).toEqual([409, 'conflict'])
    expect((await dismiss('1-00000000-000000000000000000000000')).status).toBe(404)
  })

  test.each([
    ['was sent', { status: 'SENT' }],
    ['was canceled', { status: 'CANCELED' }],
    ['is of an erased person', { recipient: `erased-${'0'.repeat(32)}` }],
  ])('a message that %s is not released', async (_what, columns) => {
    const { id, subject } = await add(columns)
    const before = await messageOf(subject)
    const { status, json } = await release(id)
    expect([status, json.code]).toEqual([409, 'conflict'])
    expect(await messageOf(subject)).toEqual(before)
    expect((await list('?state=open'))[0]).toMatchObject({ id, released: null })
    await api.engine.run({ text: 'delete from messages where id = $1', values: [subject] })
    expect((await release(id)).status).toBe(409)
  })

  test('the list is filtered and paged, newest first, and each environment has its own', async () => {
    await api.engine.run({ text: 'delete from dead_letters', values: [] })
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) ids.unshift((await add()).id)
    const paged: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { results, paging } = await mustCall(api, 'GET', `/dead-letters?limit=2${cursor && `&cursor=${cursor}`}`)
      paged.push(...results.map(({ id }: { id: string }) => id))
      cursor = paging.cursor
    }
    expect(paged).toEqual(ids)
    expect(await list('?kind=run')).toEqual([])
    expect((await list('?kind=message&state=open')).length).toBe(3)
    expect((await release(ids[0]!, keys.test)).status).toBe(404)
    expect((await release(ids[0]!, keys.draft)).status).toBe(403)
    expect((await api.call('GET', '/dead-letters?kind=letter')).json.param).toBe('kind')
  })
})
