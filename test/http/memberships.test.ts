/** Users are put into tenants and taken out of them, all or none; the older names do the same. */
import { beforeAll, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    for (const id of ['a', 'b', 'c']) await api.call('PUT', `/tenants/${id}`, { body: { name: id } })
  })

  const put = (path: string, body?: unknown) => api.call('PUT', path, body === undefined ? {} : { body })
  const nothing = ({ status, text, headers }: ApiReply) =>
    expect([status, text, headers.get('content-type')]).toEqual([204, '', null])
  const tenantsOf = async (user: string) =>
    Object.fromEntries(
      (await api.call('GET', `/users/${user}/tenants`)).json.items.map(
        ({ tenant_id, profile }: { tenant_id: string; profile: unknown }) => [tenant_id, profile],
      ),
    )

  test('one at a time, with a profile for there that stays until another is given', async () => {
    nothing(await put('/users/ada/tenants/a'))
    nothing(await put('/users/ada/tenants/b', { profile: { email: 'ada@b.example' } }))
    expect(await tenantsOf('ada')).toEqual({ a: {}, b: { email: 'ada@b.example' } })
    nothing(await put('/users/ada/tenants/b', {}))
    nothing(await put('/users/ada/tenants/a', { profile: { title: 'Dr' } }))
    expect(await tenantsOf('ada')).toEqual({ a: { title: 'Dr' }, b: { email: 'ada@b.example' } })
    nothing(await put('/users/ada/tenants/a', { profile: {} }))
    expect(await tenantsOf('ada')).toEqual({ a: {}, b: { email: 'ada@b.example' } })
  })

  test('both lists show the same', async () => {
    await put('/users/eve/tenants/c', { profile: { a: 1 } })
    const row = { user_id: 'eve', tenant_id: 'c', type: 'user', profile: { a: 1 } }
    const end = { has_more: false, next_url: null, cursor: null }
    expect((await api.call('GET', '/users/eve/tenants')).json).toEqual({
      type: 'list',
      items: [row],
      url: '/users/eve/tenants',
      ...end,
    })
    expect((await api.call('GET', '/tenants/c/users')).json).toEqual({
      type: 'list',
      items: [row],
      url: '/tenants/c/users',
      ...end,
    })
  })

  test('several at once, or none when one does not exist', async () => {
    const places = [{ tenant_id: 'a', profile: { n: 1 } }, { tenant_id: 'b' }, { tenant_id: 'a', profile: { n: 2 } }]
    nothing(await put('/users/bob/tenants', { tenants: places }))
    expect(await tenantsOf('bob')).toEqual({ a: { n: 2 }, b: {} })
    const refused = await put('/users/bob/tenants', { tenants: [{ tenant_id: 'c' }, { tenant_id: 'unknown' }] })
    expect([refused.status, refused.json.message]).toEqual([400, 'Unknown tenant `unknown`'])
    expect(await tenantsOf('bob')).toEqual({ a: { n: 2 }, b: {} })
    nothing(await put('/users/bob/tenants', { tenants: [] }))
    expect((await put('/users/bob/tenants', {})).status).toBe(400)
    const many = Array.from({ length: 501 }, () => ({ tenant_id: 'c' }))
    expect((await put('/users/bob/tenants', { tenants: many })).status).toBe(400)
    expect((await put('/users/bob/tenants/unknown')).status).toBe(404)
    expect((await put('/users/bob/tenants/a', { profile: { a: 'x'.repeat(256_000) } })).status).toBe(413)
  })

  test('out of one, and out of all; what is not there is gone already', async () => {
    await put('/users/joe/tenants', { tenants: ['a', 'b', 'c'].map((tenant_id) => ({ tenant_id })) })
    nothing(await api.call('DELETE', '/users/joe/tenants/b'))
    nothing(await api.call('DELETE', '/users/joe/tenants/b'))
    expect(Object.keys(await tenantsOf('joe'))).toEqual(['a', 'c'])
    nothing(await api.call('DELETE', '/users/joe/tenants'))
    nothing(await api.call('DELETE', '/users/joe/tenants'))
    expect(await tenantsOf('joe')).toEqual({})
  })

  test('the users of a tenant are listed page by page', async () => {
    await put('/tenants/crowd', { name: 'Crowd' })
    const users = Array.from({ length: 7 }, (_, index) => `user ${index}/ü`)
    for (const user of users) await put(`/users/${encodeURIComponent(user)}/tenants/crowd`)
    const seen: string[] = []
    for (let url: string | null = '/tenants/crowd/users?limit=3'; url !== null; ) {
      const { json } = await api.call('GET', url)
      seen.push(...json.items.map(({ user_id }: { user_id: string }) => user_id))
      url = json.next_url
    }
    expect(seen).toEqual(users)
  })

  test('a list continues after ids of the greatest length', async () => {
    const tenant = '\u{1d11e}'.repeat(128)
    await put(`/tenants/${encodeURIComponent(tenant)}`, { name: 'Long' })
    // Characters that differ, so that no index can shorten them.
    const users = [0x1_0000, 0x1_1000, 0x1_2000].map((start) =>
      String.fromCodePoint(...Array.from({ length: 512 }, (_, index) => start + index)),
    )
    for (const user of users)
      nothing(await put(`/users/${encodeURIComponent(user)}/tenants`, { tenants: [{ tenant_id: tenant }] }))
    const seen: string[] = []
    for (let url: string | null = `/tenants/${encodeURIComponent(tenant)}/users?limit=1`; url !== null; ) {
      const { json } = await api.call('GET', url)
      seen.push(...json.items.map(({ user_id }: { user_id: string }) => user_id))
      url = json.next_url
    }
    expect(seen).toEqual(users)
  })

  test('accounts are tenants by another name', async () => {
    const whole = { name: 'Old', parent_account_id: 'a', user_profile: { x: 1 } }
    const written = await put('/accounts/old', whole)
    expect([written.status, written.json]).toEqual([
      200,
      { id: 'old', ...whole, properties: {}, brand_id: null, default_preferences: { items: [] } },
    ])
    expect((await api.call('GET', '/accounts/old')).json).toEqual(written.json)
    expect((await api.call('GET', '/tenants/old')).json).toMatchObject({
      parent_tenant_id: 'a',
      user_profile: { x: 1 },
    })
    expect((await api.call('GET', '/accounts?parent_account_id=a')).json).toMatchObject({
      type: 'list',
      items: [written.json],
      url: '/accounts',
      has_more: false,
    })
    expect((await api.call('DELETE', '/accounts/a')).status).toBe(409)
    nothing(await api.call('DELETE', '/accounts/old'))
    expect((await api.call('GET', '/accounts/old')).status).toBe(404)
  })

  test('a user is written with profile and accounts together, or not at all', async () => {
    const email = 'kim@example.com'
    nothing(await put('/users/kim', { profile: { email }, accounts: [{ account_id: 'a', profile: { n: 1 } }] }))
    expect((await api.call('GET', '/profiles/kim')).json.profile).toEqual({ email })
    expect(await tenantsOf('kim')).toEqual({ a: { n: 1 } })
    const refused = await put('/users/kim', { profile: { email: 'new@example.com' }, accounts: [{ account_id: 'no' }] })
    expect(refused.status).toBe(400)
    expect((await api.call('GET', '/profiles/kim')).json.profile).toEqual({ email })
    nothing(await put('/users/kim', { accounts: null }))
    nothing(await put('/users/kim/accounts', { accounts: [{ account_id: 'b' }] }))
    nothing(await put('/users/kim/accounts', [{ account_id: 'c' }]))
    expect((await api.call('GET', '/profiles/kim')).json.profile).toEqual({ email })
    expect(await tenantsOf('kim')).toEqual({ a: { n: 1 }, b: {}, c: {} })
  })
})
