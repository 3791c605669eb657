/** Digests of topics are written, chosen, looked into and released, and what cannot ever be released is refused. */
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { addDigestEvent } from '../support/rows.ts'

withApp((open) => {
  let api: RecordingApp
  let section: string
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    section = (await api.call('POST', '/preferences/sections', { body: { name: 'Activity' } })).json.id
  })

  const daily = { frequency: 'daily', time: '09:00', timezone: 'Europe/Berlin', is_default: true }
  const instant = { frequency: 'instant' }
  const topics = () => `/preferences/sections/${section}/topics`
  const body = (digest?: unknown) => ({ name: 'Comments', default_status: 'OPTED_IN', digest })
  const create = (digest?: unknown) => api.call('POST', topics(), { body: body(digest) })
  const made = async (digest: object = { template_id: 'summary', schedules: [daily, instant] }) =>
    (await create(digest)).json
  const put = (id: string, digest?: unknown) => api.call('PUT', `${topics()}/${id}`, { body: body(digest) })
  let events = 0
  const keep = async (topicId: string, recipient: string, data: object, more: object = {}) => {
    events += 1
    const id = `1-0000000${events}`
    const event = { id, workspaceId: 1, mode: 'live' as const, topicId, recipient, data: { ...data }, ...more }
    await addDigestEvent(api.engine, event, api.time.now)
  }

  test('a digest is shown as it was written, with ids and what was left out', async () => {
    const { id, digest } = await made({
      template_id: 'summary',
      schedules: [
        daily,
        { ...instant, time: '10:00' },
        { cron: '0 9 * * MON-FRI', timezone: 'America/New_York', disabled: true },
      ],
      categories: [{ category_key: 'comments' }, { category_key: 'likes', retain: 'highest', limit: 3, sort_key: 'n' }],
      trigger_empty: false,
    })
    const schedule_id = expect.stringMatching(/^sch_[a-z0-9]{28}$/)
    const shown = {
      template_id: 'summary',
      schedules: [
        { schedule_id, ...daily, disabled: false },
        { schedule_id, ...instant, is_default: false, disabled: false },
        { schedule_id, cron: '0 9 * * MON-FRI', timezone: 'America/New_York', is_default: false, disabled: true },
      ],
      categories: [
        { category_key: 'comments', retain: 'FIRST', limit: 10 },
        { category_key: 'likes', retain: 'HIGHEST', limit: 3, sort_key: 'n' },
      ],
    }
    expect(digest).toEqual(shown)
    expect((await api.call('GET', `${topics()}/${id}`)).json.digest).toEqual(digest)
    const { digest: bare } = await made()
    expect(bare.categories).toEqual([{ category_key: 'digest', retain: 'FIRST', limit: 10 }])
    expect(await made({} as never).then(({ message }) => message)).toMatch(/template_id is required/)
  })

  test('left out it stays, null and DELETE take it away, schedules are kept, changed and dropped by their ids', async () => {
    const { id, digest } = await made()
    const [first, second] = digest.schedules
    expect((await put(id)).json.digest).toEqual(digest)
    const renamed = await put(id, { template_id: 'other' })
    expect(renamed.json.digest).toEqual({ ...digest, template_id: 'other' })
    const changed = await put(id, {
      template_id: 'summary',
      schedules: [
        { ...second, is_default: true },
        { ...daily, is_default: false },
      ],
    })
    expect(changed.json.digest.schedules.map(({ schedule_id }: { schedule_id: string }) => schedule_id)).toEqual([
      second.schedule_id,
      expect.not.stringContaining(first.schedule_id),
    ])
    const gone = await put(id, { template_id: 'summary', schedules: [first] })
    expect([gone.status, gone.json.message]).toEqual([
      400,
      'digest.schedules.0.schedule_id must be the id of a schedule of the topic',
    ])
    expect((await put(id, null)).json).not.toHaveProperty('digest')
    expect((await put(id)).json).not.toHaveProperty('digest')
    expect((await put(id, { template_id: 'summary' })).json.message).toMatch(/^digest.schedules is required/)
    const { id: other } = await made()
    for (const _ of [1, 2]) expect((await api.call('DELETE', `${topics()}/${other}/digest`)).status).toBe(204)
    expect((await api.call('GET', `${topics()}/${other}`)).json).not.toHaveProperty('digest')
    expect((await api.call('DELETE', `${topics()}/none/digest`)).status).toBe(404)
    expect((await api.call('DELETE', `${topics()}/${other}/digest`, { apiKey: keys.test })).status).toBe(404)
  })

  describe('refused with 400:', () => {
    const topicWith = (schedule: object) => ({ template_id: 't', schedules: [schedule] })
    const category = (...categories: object[]) => ({ template_id: 't', schedules: [instant], categories })
    test.each<[string, unknown, RegExp]>([
      ['no schedules', { template_id: 't', schedules: [] }, /schedules/],
      ['no frequency', topicWith({ time: '09:00' }), /schedules.0.frequency is required/],
      ['no time', topicWith({ frequency: 'daily' }), /schedules.0.time is required/],
      ['no day of the week', topicWith({ frequency: 'weekly', time: '09:00' }), /day_of_week is required/],
      ['no days', topicWith({ frequency: 'custom_days', time: '09:00' }), /days_of_week is required/],
      ['no day of the month', topicWith({ frequency: 'monthly', time: '09:00' }), /day_of_month is required/],
      ['a time that is none', topicWith({ frequency: 'daily', time: '24:00' }), /time/],
      ['a zone that is none', topicWith({ ...daily, timezone: 'Mars/Olympus' }), /`Mars\/Olympus` is not a time zone/],
      [
        'a zone for instant that is none matters not',
        { ...topicWith(instant), schedules: [{ ...instant, frequency: 'hourly' }] },
        /frequency/,
      ],
      ['a pattern that is none', topicWith({ cron: 'often' }), /`often` is not a cron pattern/],
      ['a pattern that never comes', topicWith({ cron: '0 9 31 2 *' }), /never comes/],
      [
        'a pattern and a frequency',
        topicWith({ cron: '0 9 * * *', frequency: 'daily' }),
        /must have either cron or frequency/,
      ],
      ['two defaults', { template_id: 't', schedules: [daily, daily] }, /more than one default/],
      [
        'a default that is disabled',
        { template_id: 't', schedules: [{ ...daily, disabled: true }, instant] },
        /disabled/,
      ],
      ['only disabled ones', topicWith({ ...instant, disabled: true }), /All of digest.schedules are disabled/],
      [
        'an unknown schedule',
        topicWith({ ...instant, schedule_id: 'sch_x' }),
        /schedule_id must be the id of a schedule/,
      ],
      ['the same category twice', category({ category_key: 'a' }, { category_key: 'a' }), /twice/],
      ['the highest of nothing', category({ category_key: 'a', retain: 'HIGHEST' }), /sort_key is required/],
      ['empty ones', { ...topicWith(instant), trigger_empty: true }, /trigger_empty/],
    ])('%s', async (_what, digest, message) => {
      const answer = await create(digest)
      expect([answer.status, answer.json.message]).toEqual([400, expect.stringMatching(message)])
    })
  })

  test('a schedule is chosen, stays when the field is absent, and null returns to the default', async () => {
    const { id, digest } = await made()
    const [, second] = digest.schedules
    const at = `/users/ada/preferences/${id}`
    const choose = (topic: object) => api.call('PUT', at, { body: { topic: { status: 'OPTED_IN', ...topic } } })
    const chosen = async () => (await api.call('GET', at)).json.topic.digest_schedule_id
    expect(await chosen()).toBeUndefined()
    expect((await choose({ digest_schedule_id: second.schedule_id })).status).toBe(200)
    expect(await chosen()).toBe(second.schedule_id)
    expect((await choose({ has_custom_routing: true, custom_routing: ['email'] })).status).toBe(200)
    expect(await chosen()).toBe(second.schedule_id)
    const refused = await choose({ digest_schedule_id: 'sch_none' })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      'The topic `Comments` has no digest schedule `sch_none`',
    ])
    const named = { topic_id: id, status: 'OPTED_IN' }
    const bulk = await api.call('POST', '/users/ada/preferences', { body: { topics: [named] } })
    expect(bulk.json.items).toMatchObject([{ topic_id: id, digest_schedule_id: second.schedule_id }])
    const all = await api.call('PUT', '/users/ada/preferences', {
      body: { topics: [{ ...named, digest_schedule_id: 'sch_none' }] },
    })
    expect([all.status, all.json.errors]).toMatchObject([400, [{ topic_id: id }]])
    expect((await choose({ digest_schedule_id: null })).status).toBe(200)
    expect(await chosen()).toBeUndefined()
    await choose({ digest_schedule_id: second.schedule_id })
    await put(id, { template_id: 'summary', schedules: [digest.schedules[0]] })
    expect(await chosen()).toBeUndefined()
  })

  test('collected events are shown by recipient and by schedule, page by page, and to no other environment', async () => {
    const { id, digest } = await made({
      template_id: 'summary',
      schedules: [daily],
      categories: [{ category_key: 'comments', retain: 'LAST', limit: 1 }, { category_key: 'likes' }],
    })
    const { schedule_id } = digest.schedules[0]
    await keep(id, 'bob', { comments: 'one' })
    await keep(id, 'bob', { comments: 'two', likes: 1 })
    await keep(id, 'cy', { likes: 2 }, { tenantId: 'acme' })
    const instance = {
      digest_instance_id: expect.stringMatching(/^1-/),
      user_id: 'bob',
      tenant_id: null,
      topic_id: id,
      schedule_id,
      status: 'IN_PROGRESS',
      event_count: 2,
      category_key_counts: { comments: 2, likes: 1 },
      categories: digest.categories,
      created_at: '2026-01-05T12:00:30.000Z',
      releases_at: '2026-01-06T08:00:00.000Z',
    }
    const both = { comments: 'two', likes: 1 }
    expect((await api.call('GET', '/users/bob/digests')).json).toEqual({
      items: [{ ...instance, data: { comments: { count: 2, items: [both] }, likes: { count: 1, items: [both] } } }],
    })
    const path = `/digests/schedules/${schedule_id}/instances`
    const { json: first } = await api.call('GET', `${path}?limit=1`)
    expect(first).toMatchObject({ type: 'list', items: [instance], has_more: true })
    const { json: second } = await api.call('GET', first.next_url)
    expect(second).toMatchObject({ items: [{ user_id: 'cy', tenant_id: 'acme', event_count: 1 }], has_more: false })
    expect((await api.call('GET', '/digests/schedules/none/instances')).status).toBe(404)
    expect((await api.call('GET', path, { apiKey: keys.test })).status).toBe(404)
    expect((await api.call('GET', '/users/bob/digests', { apiKey: keys.test })).json.items).toEqual([])
  })

  test('a digest is released before its time: of a schedule, of one recipient, in one tenant', async () => {
    const { id, digest } = await made()
    const { schedule_id } = digest.schedules[0]
    const dueOf = async (user: string) =>
      (await api.call('GET', `/users/${user}/digests`)).json.items.map(
        ({ releases_at }: { releases_at: string }) => releases_at,
      )
    const [now, later] = ['2026-01-05T12:00:30.000Z', '2026-01-06T08:00:00.000Z']
    await keep(id, 'dee', { n: 1 })
    await keep(id, 'dee', { n: 2 }, { tenantId: 'acme' })
    await keep(id, 'eve', { n: 3 })
    const release = `${topics()}/${id}/digest/release`
    expect((await api.call('POST', release, { body: { user_id: 'dee', tenant_id: 'acme' } })).status).toBe(204)
    expect([await dueOf('dee'), await dueOf('eve')]).toEqual([[later, now], [later]])
    expect((await api.call('POST', release, { body: { user_id: 'unknown' } })).status).toBe(204)
    expect((await api.call('POST', release, { body: { user_id: 'dee' }, apiKey: keys.test })).status).toBe(404)
    expect((await api.call('POST', `/digests/schedules/${schedule_id}/trigger`, { apiKey: keys.test })).status).toBe(
      404,
    )
    expect((await api.call('POST', '/digests/schedules/none/trigger')).status).toBe(404)
    expect(await dueOf('eve')).toEqual([later])
    expect((await api.call('POST', `/digests/schedules/${schedule_id}/trigger`)).status).toBe(204)
    expect([await dueOf('dee'), await dueOf('eve')]).toEqual([[now, now], [now]])
    // No recipient is on it any more, or it has gone: its events are there still.
    const trigger = () => api.call('POST', `/digests/schedules/${schedule_id}/trigger`)
    await api.engine.run({ text: 'delete from digests where workspace_id = 1 and recipient <> $1', values: ['eve'] })
    expect((await put(id, null)).status).toBe(200)
    expect((await trigger()).status).toBe(204)
    await api.engine.run({ text: 'delete from digests', values: [] })
    expect((await trigger()).status).toBe(404)
  })
})
