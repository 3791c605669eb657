/** Sections, topics and routing strategies have the id that their caller chose; one that is taken is refused, and nothing changes. */
import { idCharactersMax } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const sections = '/preferences/sections'
const strategy = { name: 'n', routing: { method: 'single', channels: ['email'] } }

/** The place of the records, with a body that creates one. */
const resources = [
  ['sections', sections, { name: 'n' }, 'preference-section:created'],
  ['topics', `${sections}/shop/topics`, { name: 'n', default_status: 'OPTED_IN' }, 'topic:created'],
  ['routing strategies', '/routing-strategies', strategy, 'routing_strategy:created'],
] as const

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    for (const apiKey of [keys.production, keys.test])
      await api.call('POST', sections, { apiKey, body: { id: 'shop', name: 'Shop' } })
  })

  const pathOf = (place: string, id: string) => `${place}/${encodeURIComponent(id)}`

  describe.each(resources)('%s', (_name, place, body, audit) => {
    const create = (more: object, options: { apiKey?: string; headers?: Record<string, string> } = {}) =>
      api.call('POST', place, { ...options, body: { ...body, ...more } })
    const get = (id: string) => api.call('GET', pathOf(place, id))

    test('the chosen id is that of the record, and null is none', async () => {
      const made = await create({ id: 'chosen', name: 'Chosen' })
      expect(made.json).toMatchObject({ id: 'chosen', name: 'Chosen' })
      expect((await get('chosen')).json).toEqual(made.json)
      for (const more of [{}, { id: null }, { id: '' }]) expect((await create(more)).json.id).toMatch(/^[A-Z0-9]{28}$/)
    })

    test('an id that is taken, also by an archived record, is a 409', async () => {
      const first = await create({ id: 'taken', name: 'First' })
      expect(first.status).toBeLessThan(300)
      const audited = async () =>
        (await api.call('GET', `/audit-events?type=${audit}`)).json.results.map(
          ({ target }: { target: string }) => target,
        )
      const before = await audited()
      const refused = await create({ id: 'taken', name: 'Second' })
      expect([refused.status, refused.json]).toMatchObject([
        409,
        { code: 'already_exists', param: 'id', message: 'Already Exists' },
      ])
      expect(refused.headers.get('x-should-retry')).toBe('false')
      expect((await get('taken')).json).toEqual(first.json)
      expect(await audited()).toEqual(before)
      expect((await api.call('DELETE', `${place}/taken`)).status).toBe(204)
      expect((await create({ id: 'taken' })).json).toMatchObject({ code: 'already_exists', param: 'id' })
      expect((await get('taken')).status).toBe(404)
    })

    test('one of two calls at once gets the id', async () => {
      for (const round of [1, 2, 3]) {
        const calls = ['A', 'B'].map((name) => create({ id: `race-${round}`, name }))
        const codes = (await Promise.all(calls)).map(({ status, json }) => json.code ?? status)
        expect(codes.toSorted()).toEqual([place === '/routing-strategies' ? 201 : 200, 'already_exists'])
      }
    })

    test('a repeated call with its Idempotency-Key gets its reply, and its key is free after an error', async () => {
      const headers = { 'idempotency-key': `${audit}-1` }
      const first = await create({ id: 'once' }, { headers })
      expect((await create({ id: 'once' }, { headers })).json).toEqual(first.json)
      const other = { 'idempotency-key': `${audit}-2` }
      expect((await create({ id: 'once' }, { headers: other })).json.code).toBe('already_exists')
      expect((await create({ id: 'twice' }, { headers: other })).json).toMatchObject({ id: 'twice' })
    })

    test('an id of another environment is free', async () => {
      expect((await create({ id: 'both' })).json).toMatchObject({ id: 'both' })
      expect((await create({ id: 'both' }, { apiKey: keys.test })).json).toMatchObject({ id: 'both' })
    })

    test.each([
      ...['publish', 'sections', 'topics', 'notifications', 'digest', 'null', '__proto__', '...', '..a', 'a.', '-'],
      ...['a/b', '/', 'a b', ' ', '%2e', 'ä?#&+:;"', '\u{1f4ee}'],
      'x'.repeat(idCharactersMax),
    ])('a record is read, replaced and archived by the id %.20s', async (id) => {
      const made = await create({ id })
      expect(made.json).toMatchObject({ id })
      expect((await get(id)).json).toEqual(made.json)
      const replaced = await api.call('PUT', pathOf(place, id), { body: { ...body, id: 'another', name: 'Replaced' } })
      expect([replaced.status, replaced.json]).toMatchObject([200, { id, name: 'Replaced' }])
      expect((await get('another')).status).toBe(404)
      expect((await api.call('DELETE', pathOf(place, id))).status).toBe(204)
    })

    test.each([
      ['.', 'must have no control characters, and be neither `.` nor `..`'],
      ['..', 'must have no control characters, and be neither `.` nor `..`'],
      ['a\nb', 'must have no control characters, and be neither `.` nor `..`'],
      [5, 'must be a string'],
      [['a'], 'must be a string'],
      [{}, 'must be a string'],
      [true, 'must be a string'],
    ])('the id %j is a 400', async (id, rule) => {
      const { status, json } = await create({ id })
      expect([status, json]).toMatchObject([400, { code: 'invalid_field', param: 'id', message: `id ${rule}` }])
    })

    test('an id that is too long is a 400', async () => {
      const { status, json } = await create({ id: 'x'.repeat(idCharactersMax + 1) })
      const message = `id must have at most ${idCharactersMax} characters`
      expect([status, json]).toMatchObject([400, { code: 'invalid_field', param: 'id', message }])
    })

    test.each(['a\u0000b', '\u0000', '\ud800'])('the id %j has a character that is refused', async (id) => {
      const { status, json } = await create({ id })
      expect([status, json.type]).toEqual([400, 'invalid_request_error'])
    })
  })

  test('a topic has its id in the whole workspace, and a missing section comes first', async () => {
    const topic = { id: 'news', name: 'News', default_status: 'OPTED_IN' }
    await api.call('POST', sections, { body: { id: 'here', name: 'Here' } })
    const made = await api.call('POST', `${sections}/here/topics`, { body: topic })
    expect((await api.call('POST', `${sections}/shop/topics`, { body: topic })).json.code).toBe('already_exists')
    expect((await api.call('POST', `${sections}/nowhere/topics`, { body: topic })).status).toBe(404)
    expect((await api.call('GET', `${sections}/here`)).json.topics).toEqual([made.json])
    // A refused topic is counted in no section.
    await api.call('POST', sections, { body: { id: 'empty', name: 'Empty' } })
    expect((await api.call('POST', `${sections}/empty/topics`, { body: topic })).json.code).toBe('already_exists')
    expect((await api.call('DELETE', `${sections}/empty`)).status).toBe(204)
  })
})
