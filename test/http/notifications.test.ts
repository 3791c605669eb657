/** Templates and the events that name them: written as drafts, published as versions that never change. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const elements = (content: string) => [{ type: 'text', content }]
const written = (content: string, more = {}) => ({ name: 'Welcome', content: { elements: elements(content) }, ...more })

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const create = (notification: unknown, state?: string) =>
    api.call('POST', '/notifications', { body: { notification, ...(state ? { state } : {}) } })
  const get = (id: string, query = '') => api.call('GET', `/notifications/${id}${query}`)
  const wording = (answer: ApiReply) => [
    answer.json.version,
    answer.json.state,
    answer.json.content.elements[0].content,
  ]

  test('a new one is a draft, complete in every field', async () => {
    const made = await create(written('Hello {name}'))
    expect(made.status).toBe(201)
    expect(made.json).toEqual({
      id: expect.stringMatching(/^[A-Z0-9]{28}$/),
      state: 'DRAFT',
      created: api.time.now,
      creator: 'key/production',
      name: 'Welcome',
      tags: [],
      brand: null,
      subscription: null,
      routing: null,
      content: { version: '2022-01-01', elements: elements('Hello {name}') },
      settings: {},
      version: 'draft',
    })
    expect((await get(made.json.id)).json).toEqual(made.json)
  })

  test('a setting that is none is refused: misspelt, it would be without effect', async () => {
    const answer = await create(written('Hi', { settings: { delivery_polcy: 'at_most_once' } }))
    expect([answer.status, answer.json.message]).toEqual([
      400,
      'Unknown field `delivery_polcy` at notification.settings. Did you mean `delivery_policy`?',
    ])
  })

  test('title and body become elements', async () => {
    const made = await create({ name: 'Short', content: { title: 'Hi', body: 'There' } }, 'PUBLISHED')
    expect(made.json.content.elements).toEqual([
      { type: 'meta', title: 'Hi' },
      { type: 'text', content: 'There' },
    ])
    expect(made.json).toMatchObject({ state: 'PUBLISHED', version: 'v1' })
  })

  test('drafts and versions exist side by side, and an old version can be published again', async () => {
    const { id } = (await create(written('one'), 'PUBLISHED')).json
    api.time.now += 1_000
    const replaced = await api.call('PUT', `/notifications/${id}`, { body: { notification: written('two') } })
    expect(wording(replaced)).toEqual(['draft', 'DRAFT', 'two'])
    expect(replaced.json).toMatchObject({ updated: api.time.now, updater: 'key/production' })
    expect(wording(await get(id))).toEqual(['v1', 'PUBLISHED', 'one'])
    expect(wording(await get(id, '?version=draft'))).toEqual(['draft', 'DRAFT', 'two'])

    expect((await api.call('POST', `/notifications/${id}/publish`)).status).toBe(204)
    expect(wording(await get(id))).toEqual(['v2', 'PUBLISHED', 'two'])
    const again = await api.call('POST', `/notifications/${id}/publish`, { body: { version: 'v1' } })
    expect(again.status).toBe(204)
    expect(wording(await get(id))).toEqual(['v1', 'PUBLISHED', 'one'])
    expect(wording(await get(id, '?version=v2'))).toEqual(['v2', 'PUBLISHED', 'two'])
    expect((await get(id, '?version=v9')).status).toBe(404)
    expect((await get(id, '?version=latest')).status).toBe(400)
  })

  test.each<[string, unknown, string]>([
    ['without elements', { elements: [] }, 'A notification without elements cannot be published'],
    ['of comments alone', { elements: [{ type: 'comment' }] }, 'A notification without elements cannot be published'],
    [
      'of an unknown element alone',
      { elements: [{ type: 'buton', content: 'Go', href: 'https://x.y' }] },
      'notification.content: elements.0: "buton" is not an element. Did you mean `action`?',
    ],
    [
      'with a helper that is not known',
      { elements: elements('{{shout name}}') },
      'notification.content: elements.0.content: `{{shout name}}`: `shout` is not a known helper',
    ],
    [
      'with a block that is not closed, in a locale',
      { elements: [{ ...elements('x')[0], locales: { fr: { content: '{{#if a}}x' } } }] },
      'notification.content: elements.0.locales.fr.content: `{{#if a}}` is not closed: write `{{/if}}` behind it',
    ],
  ])('a template %s is a draft, and on no way published', async (_which, content, message) => {
    const { id } = (await create({ name: 'Unfinished', content })).json
    const ways = [
      await create({ name: 'Unfinished', content }, 'PUBLISHED'),
      await api.call('POST', `/notifications/${id}/publish`),
      await api.call('PUT', `/notifications/${id}`, {
        body: { notification: { name: 'Unfinished', content }, state: 'PUBLISHED' },
      }),
      await api.call('PUT', `/notifications/${id}/content`, { body: { content, state: 'PUBLISHED' } }),
    ]
    expect(ways.map(({ status, json }) => [status, json.message])).toEqual(ways.map(() => [400, message]))
    expect((await get(id)).json.state).toBe('DRAFT')
  })

  test('an error in the short form names its field', async () => {
    const { id } = (await create(written('one'))).json
    const content = { title: 'Hi', body: '{{#if name}}Hello' }
    const body = { notification: { name: 'Short', content }, state: 'PUBLISHED' }
    const replies = [
      await api.call('POST', '/notifications', { body }),
      await api.call('PUT', `/notifications/${id}`, { body }),
      await api.call('PUT', `/notifications/${id}/content`, { body: { content, state: 'PUBLISHED' } }),
      await api.call('POST', '/notifications/inspect', { body }),
    ]
    const error = 'notification.content: body: `{{#if name}}` is not closed: write `{{/if}}` behind it'
    expect(replies.map(({ status, json }) => [status, json.message])).toEqual(Array(4).fill([400, error]))
  })

  describe('with an unknown element', () => {
    const content = { elements: [...elements('Pay'), { type: 'buton', content: 'Go', href: 'https://x.y' }] }
    const error = 'notification.content: elements.1: "buton" is not an element. Did you mean `action`?'
    const strict = { prefer: 'handling=strict' }

    /** Every way to publish it, as its status and message. */
    const publishing = async (headers: Record<string, string>) => {
      const { id } = (await create({ name: 'Pay', content })).json
      const notification = { name: 'Pay', content }
      const replies = [
        await api.call('POST', '/notifications', { body: { notification, state: 'PUBLISHED' }, headers }),
        await api.call('PUT', `/notifications/${id}`, { body: { notification, state: 'PUBLISHED' }, headers }),
        await api.call('PUT', `/notifications/${id}/content`, { body: { content, state: 'PUBLISHED' }, headers }),
        await api.call('POST', `/notifications/${id}/publish`, { headers }),
      ]
      const said = ({ status, json, headers }: ApiReply) =>
        status === 400 ? json.message : headers.get('postrider-warnings')
      return { id, replies: replies.map((reply) => [reply.status, said(reply)]) }
    }

    test('it is published by callers of the public API, and each reply warns of it', async () => {
      const { id, replies } = await publishing({})
      const warnings = '["elements.1: \\"buton\\" is not an element; it is left out. Did you mean `action`?"]'
      expect(replies).toEqual([201, 200, 200, 204].map((status) => [status, warnings]))
      expect((await get(id)).json.state).toBe('PUBLISHED')
    })

    test('it is on no way published by a strict call', async () => {
      const { id, replies } = await publishing(strict)
      expect(replies).toEqual(Array(4).fill([400, error]))
      expect((await get(id)).json.state).toBe('DRAFT')
    })

    test('it is neither fit to be published nor restored as published; a draft may have it', async () => {
      const { id } = (await create({ name: 'Pay', content }, 'PUBLISHED')).json
      const inspect = (state: string) =>
        api.call('POST', '/notifications/inspect', { body: { notification: { name: 'Pay', content }, state } })
      const restore = (state: string) =>
        api.call('POST', `/notifications/${id}/restore`, { body: { version: 'v1', state } })
      for (const call of [inspect, restore]) {
        const { status, json } = await call('PUBLISHED')
        expect([status, json.message]).toEqual([400, error])
        expect((await call('DRAFT')).status).toBe(200)
      }
      expect((await inspect('DRAFT')).json.warnings).toEqual([
        'elements.1: "buton" is not an element; it is left out. Did you mean `action`?',
      ])
    })
  })

  test('versions are listed: the draft, then what was published', async () => {
    const { id } = (await create(written('one'), 'PUBLISHED')).json
    await api.call('PUT', `/notifications/${id}`, { body: { notification: written('never published') } })
    await api.call('PUT', `/notifications/${id}`, { body: { notification: written('three'), state: 'PUBLISHED' } })
    const { versions } = (await api.call('GET', `/notifications/${id}/versions`)).json
    expect(versions).toEqual([
      { version: 'draft', created: api.time.now, creator: 'key/production', has_changes: false },
      { version: 'v3', created: api.time.now, creator: 'key/production' },
      { version: 'v1', created: api.time.now, creator: 'key/production' },
    ])
    const first = (await api.call('GET', `/notifications/${id}/versions?limit=1`)).json
    expect(first.versions.map((each: { version: string }) => each.version)).toEqual(['draft', 'v3'])
    const rest = (await api.call('GET', `/notifications/${id}/versions?limit=1&cursor=${first.paging.cursor}`)).json
    expect(rest).toMatchObject({ paging: { more: false }, versions: [{ version: 'v1' }] })
  })

  test('content alone is read and replaced', async () => {
    const { id } = (await create(written('one', { tags: ['kept'] }), 'PUBLISHED')).json
    const replaced = await api.call('PUT', `/notifications/${id}/content`, {
      body: { content: { elements: elements('two') } },
    })
    expect(replaced.json).toMatchObject({ id, elements: elements('two'), state: 'DRAFT', version: '2022-01-01' })
    const content = async (path: string) => (await api.call('GET', `/notifications/${id}/${path}`)).json.elements
    expect(await content('content')).toMatchObject(elements('one'))
    expect(await content('draft/content')).toMatchObject(elements('two'))
    expect((await get(id, '?version=draft')).json.tags).toEqual(['kept'])
  })

  test.each([
    [
      'an element that lacks something',
      { content: { elements: [{ type: 'quote' }] } },
      /notification\.content: elements\.0\.content/,
    ],
    ['neither elements nor body', { content: {} }, /content\.elements or notification\.content\.body are required/],
    ['a condition that cannot be read', { settings: { if: 'a ===' } }, /^notification\.settings\.if: /],
    ['ten tags', { tags: Array.from({ length: 10 }, String) }, /^notification\.tags must/],
  ])('%s is refused with its place', async (_title, part, message) => {
    const answer = await create({ ...written('x'), ...part })
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringMatching(message)])
  })

  test('an alias names one notification only', async () => {
    const { id } = (await create(written('x', { alias: 'hello' }))).json
    expect((await get('hello')).json).toMatchObject({ id, alias: 'hello' })
    const taken = await create(written('y', { alias: 'hello' }))
    expect([taken.status, taken.headers.get('x-should-retry')]).toEqual([409, 'false'])
    expect((await create(written('y', { alias: 'hello' }))).json.message).toContain('hello')
    expect((await api.call('DELETE', '/notifications/hello')).status).toBe(204)
    expect((await get(id)).status).toBe(404)
    expect((await create(written('z', { alias: 'hello' }))).status).toBe(201)
  })

  test('saves made at the same time follow one another', async () => {
    const { id } = (await create(written('start'))).json
    const texts = ['a', 'b', 'c']
    const answers = await Promise.all(
      texts.map((text) => api.call('PUT', `/notifications/${id}`, { body: { notification: written(text) } })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { rows } = await api.engine.run<{ n: number }>({
      text: 'select count(*)::int as n from notification_versions where notification_id = $1',
      values: [id],
    })
    expect(rows).toEqual([{ n: 4 }])
  })

  test('a save that names what it has read replaces nothing else, also when several come at once', async () => {
    const { id, created } = (await create(written('start'))).json
    api.time.now += 1_000
    const save = (text: string, version?: number) =>
      api.call('PUT', `/notifications/${id}`, {
        body: { notification: written(text) },
        ...(version !== undefined && { headers: { 'if-match': `"${version}"` } }),
      })
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => save(text, created)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.json).toMatchObject({ code: 'changed_since', param: 'If-Match' })
    const { updated, content } = answers.find(({ status }) => status === 200)?.json ?? {}
    const read = await get(id)
    expect(read.json).toMatchObject({ updated, content })
    expect(read.headers.get('etag')).toBe(`"${updated}"`)
    api.time.now += 1_000
    expect((await save('next', updated)).status).toBe(200)
    expect((await save('whatever is stored')).status).toBe(200)
  })

  test('two saves in one millisecond have different entity tags', async () => {
    const { id, created } = (await create(written('start'))).json
    const save = (text: string, tag: string) =>
      api.call('PUT', `/notifications/${id}`, { body: { notification: written(text) }, headers: { 'if-match': tag } })
    const first = await save('first', `"${created}"`)
    const tag = first.headers.get('etag') ?? ''
    expect(tag).not.toBe(`"${created}"`)
    expect((await save('by someone who read the start', `"${created}"`)).json.code).toBe('changed_since')
    expect((await save('second', tag)).status).toBe(200)
    expect((await save('by someone who read the first', tag)).json.code).toBe('changed_since')
  })

  test('the list is newest first, a page at a time, and of one environment', async () => {
    const ids: string[] = []
    for (let made = 0; made < 51; made += 1) {
      api.time.now += 1
      ids.unshift(
        (await api.call('POST', '/notifications', { apiKey: keys.test, body: { notification: written('x') } })).json.id,
      )
    }
    const first = (await api.call('GET', '/notifications?notes=true', { apiKey: keys.test })).json
    const rest = (await api.call('GET', `/notifications?cursor=${first.paging.cursor}`, { apiKey: keys.test })).json
    expect([...first.results, ...rest.results].map(({ id }: { id: string }) => id)).toEqual(ids)
    expect([first.paging.more, rest.paging]).toEqual([true, { more: false }])
    expect(rest.results[0]).toMatchObject({
      title: 'Welcome',
      routing: { method: 'single', channels: ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'] },
      tags: [],
      topic_id: null,
    })
  })

  test('an event is mapped, read, listed and taken away', async () => {
    const { id } = (await create(written('x'), 'PUBLISHED')).json
    const put = await api.call('PUT', '/events/new-user', { body: { id, type: 'notification' } })
    expect([put.status, put.json]).toEqual([200, { status: 'SUCCESS' }])
    const mapping = { event: 'new-user', id, type: 'notification' }
    expect((await api.call('GET', '/events/new-user')).json).toEqual(mapping)
    expect((await api.call('GET', '/events')).json.results).toContainEqual(mapping)
    const { results } = (await api.call('GET', '/notifications?event_id=new-user')).json
    expect(results.map((each: { id: string }) => each.id)).toEqual([id])
    for (const body of [{ id, type: 'x' }, { id }, { type: 'notification' }])
      expect((await api.call('PUT', '/events/new-user', { body })).status).toBe(400)
    expect((await api.call('GET', '/events/new-user', { apiKey: keys.test })).status).toBe(404)
    expect((await api.call('DELETE', '/events/new-user')).status).toBe(204)
    expect((await api.call('DELETE', '/events/new-user')).status).toBe(404)
  })
})
