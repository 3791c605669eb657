/** Tenants form a tree without cycles, are listed page by page, and go only when nothing is below them. */
import { tenantLevelsMax } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const bare = {
  parent_tenant_id: null,
  properties: {},
  user_profile: {},
  brand_id: null,
  default_preferences: { items: [] },
}

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const put = (id: string, body: Record<string, unknown> = {}) =>
    api.call('PUT', `/tenants/${encodeURIComponent(id)}`, { body: { name: id, ...body } })
  const get = (id: string) => api.call('GET', `/tenants/${encodeURIComponent(id)}`)
  const below = (parent: string) => ({ parent_tenant_id: parent })

  test('PUT creates and replaces, and answers with the tenant', async () => {
    const whole = {
      brand_id: 'B',
      properties: { plan: 'gold', seats: 5 },
      user_profile: { locale: 'de-AT' },
      default_preferences: {
        items: [
          { id: 'T2', status: 'REQUIRED', has_custom_routing: true, custom_routing: ['sms', 'email'] },
          { id: 'T1', status: 'OPTED_OUT' },
        ],
      },
    }
    const shown = {
      id: 'acme',
      name: 'acme',
      parent_tenant_id: null,
      ...whole,
      default_preferences: {
        items: [
          { id: 'T1', status: 'OPTED_OUT', has_custom_routing: false, custom_routing: [] },
          whole.default_preferences.items[0],
        ],
      },
    }
    const written = await put('acme', whole)
    expect([written.status, written.json]).toEqual([200, shown])
    expect((await get('acme')).json).toEqual(shown)
    const replaced = await put('acme', { name: 'Acme', properties: null, default_preferences: null })
    expect(replaced.json).toEqual({ id: 'acme', ...bare, name: 'Acme' })
    expect((await get('acme')).json).toEqual(replaced.json)
  })

  test('an unknown tenant is a 404, for reading as for deleting and for its users', async () => {
    for (const [method, path] of [
      ['GET', '/tenants/none'],
      ['DELETE', '/tenants/none'],
      ['GET', '/tenants/none/users'],
    ] as const) {
      const answer = await api.call(method, path)
      expect([answer.status, answer.json]).toMatchObject([
        404,
        { message: 'Tenant not found', type: 'invalid_request_error' },
      ])
    }
  })

  describe('a write is refused and changes nothing', () => {
    test.each([
      ['without a name', { name: undefined }, 400],
      ['with properties that are a list', { properties: [1] }, 400],
      ['with a parent that does not exist', below('unknown'), 400],
      ['with a status that is none', { default_preferences: { items: [{ id: 'T', status: 'YES' }] } }, 400],
      [
        'with a topic named twice',
        { default_preferences: { items: ['OPTED_IN', 'OPTED_OUT'].map((status) => ({ id: 'T', status })) } },
        400,
      ],
      ['with a profile beyond 64 kB', { user_profile: { a: 'x'.repeat(64_000) } }, 413],
    ])('%s', async (_title, body, status) => {
      await put('refused', { name: 'Before', default_preferences: { items: [{ id: 'T', status: 'REQUIRED' }] } })
      const before = (await get('refused')).json
      const answer = await put('refused', body)
      expect([answer.status, answer.json.type]).toEqual([status, 'invalid_request_error'])
      expect((await get('refused')).json).toEqual(before)
    })
  })

  test('no tenant is above itself, at any distance', async () => {
    expect((await put('self', below('self'))).status).toBe(400)
    expect((await get('self')).status).toBe(404)
    for (const [id, parent] of [
      ['a', null],
      ['b', 'a'],
      ['c', 'b'],
    ] as const)
      expect((await put(id, { parent_tenant_id: parent })).status).toBe(200)
    const items = [{ id: 'T', status: 'REQUIRED' }]
    for (const parent of ['a', 'b', 'c'])
      expect((await put('a', { ...below(parent), default_preferences: { items } })).status).toBe(400)
    expect((await get('a')).json).toEqual({ id: 'a', name: 'a', ...bare })
    // A tenant can be renamed where it is.
    expect((await put('b', { name: 'B', ...below('a') })).json).toMatchObject({ name: 'B', ...below('a') })
  })

  test('at least one of two moves that together make a cycle is rejected', async () => {
    const pairs = Array.from({ length: 10 }, (_, index) => [`left-${index}`, `right-${index}`] as const)
    for (const [left, right] of pairs) {
      await put(left)
      await put(right)
      const answers = await Promise.all([put(left, below(right)), put(right, below(left))])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })

  test(`a tree has at most ${tenantLevelsMax} levels, also when a branch is moved`, async () => {
    for (let level = 1; level <= tenantLevelsMax; level += 1)
      expect((await put(`level-${level}`, level > 1 ? below(`level-${level - 1}`) : {})).status).toBe(200)
    expect((await put('too-deep', below(`level-${tenantLevelsMax}`))).status).toBe(400)
    await put('branch')
    await put('leaf', below('branch'))
    expect((await put('branch', below(`level-${tenantLevelsMax - 1}`))).status).toBe(400)
    expect((await put('branch', below(`level-${tenantLevelsMax - 2}`))).status).toBe(200)
    // Tenants of the last level can still be written where they are.
    expect((await put('leaf', { name: 'Leaf', ...below('branch') })).status).toBe(200)
  })

  test('a tenant goes when nothing is below it; a parent is a 409 that is not worth repeating', async () => {
    await put('parent', { default_preferences: { items: [{ id: 'T', status: 'REQUIRED' }] } })
    await put('child', below('parent'))
    await api.call('PUT', '/users/ada/tenants/parent')
    const refused = await api.call('DELETE', '/tenants/parent')
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([409, 'false'])
    expect((await get('parent')).json.default_preferences.items).toHaveLength(1)
    expect((await api.call('GET', '/tenants/parent/users')).json.items).toHaveLength(1)
    for (const id of ['child', 'parent']) expect((await api.call('DELETE', `/tenants/${id}`)).status).toBe(204)
    expect((await get('parent')).status).toBe(404)
    expect((await api.call('GET', '/users/ada/tenants')).json.items).toEqual([])
    // Nothing of it comes back with its name.
    expect((await put('parent')).json.default_preferences).toEqual({ items: [] })
    expect((await api.call('GET', '/tenants/parent/users')).json.items).toEqual([])
  })

  describe('the list', () => {
    const ids = [...Array.from({ length: 23 }, (_, index) => `many/${String(index).padStart(2, '0')}`), 'many/ü 𝄞?']
    beforeAll(async () => {
      await put('many')
      for (const id of ids) await put(id, below('many'))
    })

    const walk = async (first: string) => {
      const pages = []
      for (let url: string | null = first; url !== null; ) {
        const answer = await api.call('GET', url)
        expect(answer.status).toBe(200)
        pages.push(answer.json)
        url = answer.json.next_url
      }
      return pages
    }

    test('has 20 a page, in the order of the ids, and leads from page to page', async () => {
      const pages = await walk('/tenants?parent_tenant_id=many')
      expect(pages.map(({ items, has_more, url, type }) => [items.length, has_more, url, type])).toEqual([
        [20, true, '/tenants', 'list'],
        [4, false, '/tenants', 'list'],
      ])
      expect(pages.at(-1)).toMatchObject({ next_url: null, cursor: null })
      expect(pages.flatMap(({ items }) => items.map(({ id }: { id: string }) => id))).toEqual(ids)
    })

    test('takes a limit, and the cursor by both of its names', async () => {
      const ids = await walk('/tenants?parent_tenant_id=many&limit=5')
      expect(ids.map(({ items }) => items.length)).toEqual([5, 5, 5, 5, 4])
      const { cursor, items } = ids[1]
      for (const name of ['cursor', 'starting_after']) {
        const { json } = await api.call('GET', `/tenants?parent_tenant_id=many&limit=5&${name}=${cursor}`)
        expect(json.items).toEqual(ids[2].items)
      }
      expect(items[0].id).toBe('many/05')
    })

    test.each(['cursor=zz', 'starting_after=many'])('refuses %s', async (query) => {
      expect((await api.call('GET', `/tenants?${query}`)).status).toBe(400)
    })

    test.each([
      ['limit=0', 1],
      ['limit=101', 24],
      ['limit=9999999999999999999999', 24],
      ['limit=2.7', 2],
      ['limit=abc', 20],
      ['limit=5rows', 20],
      ['paint=red', 20],
    ])('reads %s as a page of %i', async (query, rows) => {
      const { json } = await api.call('GET', `/tenants?parent_tenant_id=many&${query}`)
      expect(json.items).toHaveLength(rows)
    })
  })

  test('another environment sees none of it', async () => {
    await put('ours')
    const foreign = { apiKey: keys.test }
    expect((await api.call('GET', '/tenants', foreign)).json.items).toEqual([])
    expect((await api.call('GET', '/tenants/ours', foreign)).status).toBe(404)
    expect((await api.call('DELETE', '/tenants/ours', foreign)).status).toBe(404)
    const child = { ...foreign, body: { name: 'Theirs', ...below('ours') } }
    expect((await api.call('PUT', '/tenants/theirs', child)).status).toBe(400)
    expect((await api.call('PUT', '/users/u/tenants/ours', foreign)).status).toBe(404)
    expect((await get('ours')).status).toBe(200)
  })
})
