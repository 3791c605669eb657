/**
 * Preferences of a recipient by notification and category are stored, merged, shown with the profile and deleted with
 * it.
 */
import { preferencesBytesMax } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const done = { status: 'SUCCESS' }
const nothing = { notifications: {}, categories: {} }
const out = { status: 'OPTED_OUT' }

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const write = async (method: string, id: string, body: unknown) => {
    const answer = await api.call(method, `/preferences/${id}`, { body })
    expect([answer.status, answer.json]).toEqual([200, done])
  }
  const read = async (id: string) => (await api.call('GET', `/preferences/${id}`)).json

  test('a recipient without preferences has empty maps', async () => {
    const answer = await api.call('GET', '/preferences/unknown')
    expect([answer.status, answer.json]).toEqual([200, nothing])
  })

  test('PUT stores exactly what it is given', async () => {
    const rules = [{ type: 'snooze', start: '2029-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z' }]
    const whole = {
      notifications: { N1: { status: 'OPTED_IN', rules, channel_preferences: [{ channel: 'sms' }] } },
      categories: { news: out, 'odd name 😀': { status: 'REQUIRED' } },
    }
    for (const document of [whole, { notifications: { N2: out }, categories: {} }, nothing]) {
      await write('PUT', 'put', document)
      expect(await read('put')).toEqual(document)
    }
  })

  test('PUT with one of the two maps keeps the other', async () => {
    await write('PUT', 'old-client', { notifications: { N1: out }, categories: { news: out } })
    await write('PUT', 'old-client', { notifications: { N2: out } })
    expect(await read('old-client')).toEqual({ notifications: { N2: out }, categories: { news: out } })
    await write('PUT', 'old-client', { categories: {}, notifications: null })
    expect(await read('old-client')).toEqual({ notifications: { N2: out }, categories: {} })
  })

  test('PATCH merges key by key and replaces lists', async () => {
    const rules = [{ type: 'snooze', until: '2030-01-01T00:00:00Z' }]
    await write('PATCH', 'patch', { notifications: { N1: { status: 'OPTED_IN', rules } } })
    await write('PATCH', 'patch', { notifications: { N1: { rules: [] }, N2: out }, categories: { news: out } })
    await write('PATCH', 'patch', {})
    expect(await read('patch')).toEqual({
      notifications: { N1: { status: 'OPTED_IN', rules: [] }, N2: out },
      categories: { news: out },
    })
  })

  test('concurrent merges are all applied', async () => {
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((name) => write('PATCH', 'shared', { categories: { [name]: out } })))
    expect(Object.keys((await read('shared')).categories).sort()).toEqual(names)
  })

  test.each([
    ['an unknown status', { notifications: { N1: { status: 'MAYBE' } } }],
    ['an unknown channel', { notifications: { N1: { channel_preferences: [{ channel: 'pigeon' }] } } }],
    ['a list for a map', { notifications: [1] }],
    ['a text for a rule', { categories: { news: { rules: ['snooze'] } } }],
    ['too many rules', { categories: { news: { rules: Array(11).fill({ type: 'status' }) } } }],
    [
      'a snooze until an invalid timestamp',
      { notifications: { N1: { rules: [{ type: 'snooze', until: 'tomorrow-ish' }] } } },
    ],
    [
      'a snooze from an invalid timestamp',
      { categories: { news: { rules: [{ start: '2026-13-01', until: '2030-01-01' }] } } },
    ],
  ])('%s is a 400 and changes nothing', async (_what, body) => {
    for (const method of ['PUT', 'PATCH']) {
      const answer = await api.call(method, '/preferences/bad', { body })
      expect([answer.status, answer.json.type]).toEqual([400, 'invalid_request_error'])
    }
    expect(await read('bad')).toEqual(nothing)
  })

  test('the end of a snooze may be a day, a time with or without a zone, or milliseconds', async () => {
    const timestamps = ['2030-01-01', '2030-01-01T10:00', '2030-01-01T10:00:00.123+02:00', '1893456000000']
    await write('PUT', 'snoozed', { notifications: { N1: { rules: timestamps.map((until) => ({ until })) } } })
    const answer = await api.call('PUT', '/preferences/snoozed', {
      body: { notifications: { N1: { rules: [{ type: 'snooze', until: 'never' }] } } },
    })
    expect(answer.json.message).toBe(
      'notifications.N1.rules.0.until must be a timestamp: ISO 8601, or milliseconds since the Unix epoch',
    )
  })

  test('a body that is too large is a 413, also when the stored preferences grow bit by bit', async () => {
    const part = (name: string, entries: number) =>
      Object.fromEntries(Array.from({ length: entries }, (_, n) => [`${name}-${n}`.padEnd(480, 'x'), out]))
    const half = Math.ceil(preferencesBytesMax / 2 / 500)
    await write('PATCH', 'large', { categories: part('first', half) })
    expect((await api.call('PATCH', '/preferences/large', { body: { categories: part('second', half) } })).status).toBe(
      413,
    )
    expect((await api.call('PUT', '/preferences/large', { body: { categories: part('all', half * 2) } })).status).toBe(
      413,
    )
    expect(Object.keys((await read('large')).categories)).toHaveLength(half)
  })

  test('the profile shows them, replacing the profile leaves them, deleting it takes them along', async () => {
    await api.call('PUT', '/profiles/whole', { body: { profile: { a: 1 } } })
    const document = { notifications: { N1: out }, categories: { news: out } }
    await write('PUT', 'whole', document)
    await api.call('PUT', '/profiles/whole', { body: { profile: { a: 2 } } })
    expect((await api.call('GET', '/profiles/whole')).json).toEqual({ profile: { a: 2 }, preferences: document })
    await api.call('DELETE', '/profiles/whole')
    expect(await read('whole')).toEqual(nothing)
  })

  test('another environment sees and touches nothing of it', async () => {
    await write('PUT', 'ours', { categories: { news: out } })
    expect((await api.call('GET', '/preferences/ours', { apiKey: keys.test })).json).toEqual(nothing)
    await api.call('PUT', '/preferences/ours', { apiKey: keys.test, body: nothing })
    await api.call('DELETE', '/profiles/ours', { apiKey: keys.test })
    expect((await read('ours')).categories).toEqual({ news: out })
  })

  test('GET /preferences lists published notifications by category, with how one can choose', async () => {
    const section = (await api.call('POST', '/preferences/sections', { body: { name: 'Shop' } })).json.id
    const topic = async (default_status: string) =>
      (await api.call('POST', `/preferences/sections/${section}/topics`, { body: { name: 't', default_status } })).json
        .id
    const create = async (name: string, more: object, state = 'PUBLISHED') => {
      const notification = { name, content: { title: name, body: name }, ...more }
      return (await api.call('POST', '/notifications', { body: { notification, state } })).json.id
    }
    const about = async (status: string) => ({ subscription: { topic_id: await topic(status) } })
    const news = { settings: { category: 'news' } }
    const plain = await create('a-plain', {})
    const optIn = await create('b-opt-in', { ...news, ...(await about('OPTED_OUT')) })
    const required = await create('c-required', await about('REQUIRED'))
    const other = await create('d-news', news)
    await create('e-draft', {}, 'DRAFT')
    const entry = (id: string, title: string, type: string) => ({ id, title, config: { type } })
    const answer = await api.call('GET', '/preferences')
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        uncategorized: [entry(plain, 'a-plain', 'OPT_OUT'), entry(required, 'c-required', 'REQUIRED')],
        categories: [
          {
            ...entry('news', 'news', 'OPT_OUT'),
            notifications: [entry(optIn, 'b-opt-in', 'OPT_IN'), entry(other, 'd-news', 'OPT_OUT')],
          },
        ],
      },
    ])
    expect((await api.call('GET', '/preferences', { apiKey: keys.test })).json).toEqual({
      uncategorized: [],
      categories: [],
    })
  })
})
