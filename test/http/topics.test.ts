/** Sections and topics are written, replaced and archived, and never in a way that leaves a topic without its section. */
import { sectionsMax, topicsMax } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const path = '/preferences/sections'
  const create = async (name: string, more: object = {}) =>
    (await api.call('POST', path, { body: { name, ...more } })).json
  const topicIn = async (section: string, name: string, more: object = {}) =>
    (await api.call('POST', `${path}/${section}/topics`, { body: { name, default_status: 'OPTED_IN', ...more } })).json
  const authored = {
    created: '2026-01-05T12:00:30.000Z',
    creator: 'key/production',
    updated: '2026-01-05T12:00:30.000Z',
    updater: 'key/production',
  }

  test('a section is created, shown, replaced and archived', async () => {
    const answer = await api.call('POST', path, {
      body: { name: 'Shop', routing_options: ['email', 'push'], has_custom_routing: true },
    })
    const { id } = answer.json
    const section = { id, name: 'Shop', routing_options: ['email', 'push'], has_custom_routing: true, ...authored }
    expect([answer.status, answer.json]).toEqual([200, { ...section, topics: [] }])
    const topic = await topicIn(id, 'Orders')
    expect((await api.call('GET', `${path}/${id}`)).json).toEqual({ ...section, topics: [topic] })
    expect((await api.call('GET', path)).json.results).toContainEqual({ ...section, topics: [topic] })
    const replaced = await api.call('PUT', `${path}/${id}`, { body: { name: 'Store' } })
    const cleared = { ...section, name: 'Store', routing_options: [], has_custom_routing: false }
    expect([replaced.status, replaced.json]).toEqual([200, { ...cleared, topics: [topic] }])
    const refused = await api.call('DELETE', `${path}/${id}`)
    expect([refused.status, refused.json.type]).toEqual([409, 'invalid_request_error'])
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect((await api.call('DELETE', `${path}/${id}/topics/${topic.id}`)).status).toBe(204)
    expect((await api.call('DELETE', `${path}/${id}`)).status).toBe(204)
    for (const [method, body] of [['GET'], ['PUT', { name: 'n' }], ['DELETE']] as const)
      expect((await api.call(method, `${path}/${id}`, { body })).status).toBe(404)
    expect((await topicIn(id, 'late')).message).toBe('Not Found')
  })

  test('a topic is created, shown, replaced and archived', async () => {
    const { id: section } = await create('Topics')
    const write = {
      name: 'News',
      default_status: 'OPTED_OUT',
      routing_options: ['email'],
      allowed_preferences: ['snooze'],
      include_unsubscribe_header: true,
      topic_data: { icon: 'bell' },
    }
    const made = await api.call('POST', `${path}/${section}/topics`, { body: write })
    const { id } = made.json
    expect([made.status, made.json]).toEqual([200, { id, ...write, ...authored }])
    const topicPath = `${path}/${section}/topics/${id}`
    expect((await api.call('GET', topicPath)).json).toEqual(made.json)
    expect((await api.call('GET', `${path}/${section}/topics`)).json).toEqual({ results: [made.json] })
    const replaced = await api.call('PUT', topicPath, { body: { name: 'N', default_status: 'REQUIRED' } })
    const cleared = {
      routing_options: [],
      allowed_preferences: [],
      include_unsubscribe_header: true,
      topic_data: {},
    }
    expect([replaced.status, replaced.json]).toEqual([
      200,
      { id, name: 'N', default_status: 'REQUIRED', ...cleared, ...authored },
    ])
    expect((await api.call('DELETE', topicPath)).status).toBe(204)
    for (const [method, body] of [['GET'], ['PUT', write], ['DELETE']] as const)
      expect((await api.call(method, topicPath, { body })).status).toBe(404)
  })

  test('a topic is found in its own section only', async () => {
    const [{ id: here }, { id: there }] = [await create('Here'), await create('There')]
    const topic = await topicIn(here, 'Mine')
    for (const [method, body] of [['GET'], ['PUT', { name: 'n', default_status: 'REQUIRED' }], ['DELETE']] as const)
      expect((await api.call(method, `${path}/${there}/topics/${topic.id}`, { body })).status).toBe(404)
    expect((await api.call('GET', `${path}/${here}/topics/${topic.id}`)).json).toEqual(topic)
  })

  test('another environment sees and touches nothing of it', async () => {
    const { id: section } = await create('Ours')
    const { id } = await topicIn(section, 'Ours')
    const otherEnvironment = { apiKey: keys.test }
    expect((await api.call('GET', path, otherEnvironment)).json).toEqual({ results: [] })
    for (const place of [`${path}/${section}`, `${path}/${section}/topics/${id}`])
      for (const [method, body] of [['GET'], ['PUT', { name: 'n', default_status: 'REQUIRED' }], ['DELETE']] as const)
        expect((await api.call(method, place, { ...otherEnvironment, body })).status).toBe(404)
    expect((await api.call('GET', `${path}/${section}/topics`, otherEnvironment)).status).toBe(404)
    expect((await api.call('GET', `${path}/${section}`)).json.topics).toHaveLength(1)
  })

  test.each([
    ['a section without a name', path, {}],
    ['an unknown channel', path, { name: 'n', routing_options: ['pigeon'] }],
  ])('%s is a 400', async (_what, place, body) => {
    expect((await api.call('POST', place, { body })).status).toBe(400)
  })

  test('a topic without a status is a 400, too much data a 413', async () => {
    const { id } = await create('Bad')
    const post = (body: object) => api.call('POST', `${path}/${id}/topics`, { body })
    expect((await post({ name: 'n' })).status).toBe(400)
    const topic_data = { long: 'x'.repeat(17_000) }
    expect((await post({ name: 'n', default_status: 'OPTED_IN', topic_data })).status).toBe(413)
    expect((await api.call('GET', `${path}/${id}/topics`)).json.results).toEqual([])
  })

  test('each publishing has a higher version', async () => {
    const publish = () => api.call('POST', '/preferences/publish')
    const [first, second] = [await publish(), await publish()]
    expect(first.status).toBe(200)
    expect(first.json).toMatchObject({ published_by: 'key/production', preview_url: null })
    expect(second.json.page_id).toBe(first.json.page_id)
    expect(second.json.published_version).toBeGreaterThan(first.json.published_version)
  })

  test('sections and topics have a limit', async () => {
    const { id } = (await api.call('POST', path, { apiKey: keys.test, body: { name: 'Full' } })).json
    await api.engine.run({
      text: `insert into preference_topics (workspace_id, id, section_id, name, default_status, settings, created, updated, creator, updater)
        select 2, 'T' || n, $1, 'n', 'OPTED_IN', '{}', 0, 0, '', '' from generate_series(1, $2::integer) n`,
      values: [id, topicsMax],
    })
    await api.engine.run({
      text: `insert into preference_sections (workspace_id, id, name, routing_options, created, updated, creator, updater)
        select 2, 'S' || n, 'n', '[]', 0, 0, '', '' from generate_series(2, $1::integer) n`,
      values: [sectionsMax],
    })
    const refused = async (place: string, more: object = {}) => {
      const body = { name: 'n', default_status: 'OPTED_IN', ...more }
      const { status, json } = await api.call('POST', place, { apiKey: keys.test, body })
      return [status, json.code]
    }
    for (const place of [`${path}/${id}/topics`, path])
      for (const more of [{}, { id: 'free' }]) expect(await refused(place, more)).toEqual([409, 'limit_reached'])
    // A program that copies records can run again: it sees which of them exist, also where there is no room.
    expect(await refused(`${path}/${id}/topics`, { id: 'T7' })).toEqual([409, 'already_exists'])
    expect(await refused(path, { id: 'S7' })).toEqual([409, 'already_exists'])
  })
})
