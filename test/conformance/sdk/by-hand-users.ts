/** Each method of generations 1 to 5 for profiles, preferences, devices, tenants and audiences. */
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import {
  type Exercises,
  filter,
  LAST_PAGE,
  madeAudience,
  madeDevice,
  madeProfile,
  madeTenant,
  profileOf,
  SUCCESS,
  TIMESTAMP,
} from './exercise.ts'

export const profiles = {
  getProfile: async (call, ctx) => {
    const recipientId = await madeProfile(ctx, 'get', { a: 1 })
    const preferences = { notifications: {}, categories: {} }
    expect(await call({ recipientId })).toEqual({ profile: { a: 1 }, preferences })
  },
  mergeProfile: async (call, ctx) => {
    const recipientId = await madeProfile(ctx, 'merge', { a: 1, deep: { b: 2 } })
    expect(await call({ recipientId, profile: { deep: { c: 3 } } })).toEqual(SUCCESS)
    expect(await profileOf(ctx, recipientId)).toEqual({ a: 1, deep: { b: 2, c: 3 } })
  },
  replaceProfile: async (call, ctx) => {
    const recipientId = await madeProfile(ctx, 'replace', { a: 1 })
    expect(await call({ recipientId, profile: { b: 2 } })).toEqual(SUCCESS)
    expect(await profileOf(ctx, recipientId)).toEqual({ b: 2 })
  },
  deleteProfile: async (call, ctx) => {
    const recipientId = await madeProfile(ctx, 'delete', { a: 1 })
    await call({ recipientId })
    expect(await ctx.status('GET', `/profiles/${encodeURIComponent(recipientId)}`)).toBe(404)
  },
} satisfies Exercises

export const preferences = {
  'preferences.list': async (call) => {
    expect(await call()).toMatchObject({ uncategorized: expect.any(Array), categories: expect.any(Array) })
  },
  'preferences.get': async (call, { mark }) => {
    expect(await call(`unknown-${mark}`)).toEqual({ notifications: {}, categories: {} })
  },
  'preferences.put': async (call, { mark, request, major }) => {
    const notifications = { N1: { status: 'OPTED_OUT' } }
    // The first generation sends what it is given only.
    const document = major === 1 ? { notifications } : { notifications, categories: {} }
    expect(await call(mark, document)).toEqual(SUCCESS)
    expect(await request('GET', `/preferences/${mark}`)).toEqual({ notifications, categories: {} })
  },
  'users.getUserPreferenceByTopic': async (call, { mark, topic }) => {
    expect(await call(mark, topic)).toMatchObject({ topic_id: topic, topic_name: 'Orders', status: 'OPTED_IN' })
  },
  'users.getUserPreferenceByTopics': async (call, { mark, topic }) => {
    expect(await call(mark)).toMatchObject({ paging: LAST_PAGE, items: [{ topic_id: topic }] })
  },
  'users.putUserPreferenceByTopic': async (call, { mark, topic, request }) => {
    await call(`chooser-${mark}`, topic, { status: 'OPTED_OUT', has_custom_routing: true, custom_routing: ['email'] })
    const chosen = { status: 'OPTED_OUT', has_custom_routing: true, custom_routing: ['email'] }
    expect((await request('GET', `/users/chooser-${mark}/preferences/${topic}`)).topic).toMatchObject(chosen)
  },
} satisfies Exercises

export const devices = {
  'tokenManagement.putUserToken': async (call, { mark, request }) => {
    const token = { token: 't1', provider_key: 'apn', device: { platform: 'ios' } }
    await call({ user_id: mark, token })
    expect(await request('GET', `/users/${mark}/tokens/t1`)).toMatchObject({ ...token, expiry_date: TIMESTAMP })
  },
  'tokenManagement.putUserTokens': async (call, { mark, request }) => {
    const tokens = ['a', 'b'].map((token) => ({ token, provider_key: 'expo', expiry_date: false }))
    await call({ user_id: `many-${mark}`, tokens })
    expect((await request('GET', `/users/many-${mark}/tokens`)).tokens).toMatchObject(tokens)
  },
  'tokenManagement.getUserToken': async (call, ctx) => {
    const { user, token } = await madeDevice(ctx, 'get')
    const record = { token, provider_key: 'expo', status: 'active', expiry_date: false }
    expect(await call({ user_id: user, token })).toMatchObject(record)
  },
  'tokenManagement.getUserTokens': async (call, ctx) => {
    const { user, token } = await madeDevice(ctx, 'list')
    expect(await call({ user_id: user })).toMatchObject({ tokens: [{ token }] })
  },
  'tokenManagement.patchUserToken': async (call, ctx) => {
    const { user, token } = await madeDevice(ctx, 'patch')
    const called = call({ user_id: user, token, patch: [{ op: 'replace', path: '/status', value: 'revoked' }] })
    // 4.9 writes the method as `patch`, which on the wire is not HTTP, to any server.
    if (ctx.major === 4) return expect(called).rejects.toThrow('The request is not valid HTTP')
    await called
    expect(await ctx.request('GET', `/users/${user}/tokens/${token}`)).toMatchObject({ status: 'revoked' })
  },
  'tokenManagement.deleteUserToken': async (call, ctx) => {
    const { user, token } = await madeDevice(ctx, 'delete')
    await call({ user_id: user, token })
    expect(await ctx.status('GET', `/users/${user}/tokens/${token}`)).toBe(404)
  },
} satisfies Exercises

/** Calls about tenants, by either name. */
function tenantsAs(resource: 'tenants' | 'accounts') {
  return {
    put: async (call, { mark, request }) => {
      const id = `${mark}-${resource}-put`
      const tenant = { name: 'Acme', properties: { plan: 'gold' }, user_profile: { locale: 'de' } }
      expect(await call({ id, ...tenant })).toMatchObject({ id, ...tenant })
      expect(await request('GET', `/tenants/${id}`)).toMatchObject({ id, ...tenant })
    },
    get: async (call, ctx) => {
      const id = await madeTenant(ctx, 'get')
      expect(await call(id)).toMatchObject({ id, name: 'get' })
    },
    list: async (call, ctx) => {
      await madeTenant(ctx, 'list')
      const item = { id: expect.any(String), name: expect.any(String) }
      const page = { type: 'list', has_more: expect.any(Boolean), url: expect.stringContaining(`/${resource}`) }
      expect(await call({})).toMatchObject({ ...page, items: expect.arrayContaining([expect.objectContaining(item)]) })
    },
    delete: async (call, ctx) => {
      const id = await madeTenant(ctx, 'delete')
      await call(id)
      expect(await ctx.status('GET', `/tenants/${id}`)).toBe(404)
    },
  } satisfies Exercises
}

const asTenants = tenantsAs('tenants')
const asAccounts = tenantsAs('accounts')

/** Generation 5 has tenants where generation 4 had accounts. */
export const tenants = {
  'tenants.put': asTenants.put,
  'tenants.get': asTenants.get,
  'tenants.listTenants': asTenants.list,
  'tenants.delete': asTenants.delete,
  'accounts.put': asAccounts.put,
  'accounts.get': asAccounts.get,
  'accounts.listAccounts': asAccounts.list,
  'accounts.delete': asAccounts.delete,
  'users.put': async (call, ctx) => {
    const account_id = await madeTenant(ctx, 'user')
    const user = `with-${ctx.mark}`
    await call(user, { profile: { email: 'a@b.co' }, accounts: [{ account_id, profile: { a: 1 } }] })
    expect(await profileOf(ctx, user)).toEqual({ email: 'a@b.co' })
    const { items } = await ctx.request('GET', `/users/${user}/tenants`)
    expect(items).toMatchObject([{ tenant_id: account_id, profile: { a: 1 } }])
  },
  'users.putAccounts': async (call, ctx) => {
    const account_id = await madeTenant(ctx, 'accounts')
    await call(`in-${ctx.mark}`, [{ account_id, profile: {} }])
    const { items } = await ctx.request('GET', `/users/in-${ctx.mark}/tenants`)
    expect(items).toMatchObject([{ tenant_id: account_id }])
  },
} satisfies Exercises

export const audiences = {
  'audiences.put': async (call, ctx) => {
    const id = await madeAudience(ctx, 'put')
    const group = { operator: 'AND', rules: [filter] }
    const written = await call({ id, name: 'Written', filter: group })
    // The third generation sends GET: it receives the present state.
    expect(written).toMatchObject(ctx.major === 3 ? { id, name: 'put' } : { id, name: 'Written', filter: group })
  },
  'audiences.get': async (call, ctx) => {
    const id = await madeAudience(ctx, 'get')
    expect(await call(id)).toMatchObject({ id, name: 'get', filter, created_at: TIMESTAMP, updated_at: TIMESTAMP })
  },
  'audiences.listAudiences': async (call, ctx) => {
    await madeAudience(ctx, 'list')
    const item = expect.objectContaining({ id: expect.any(String), filter: expect.any(Object) })
    expect(await call()).toMatchObject({ items: expect.arrayContaining([item]), paging: { more: expect.any(Boolean) } })
  },
  'audiences.listMembers': async (call, ctx) => {
    const id = await madeAudience(ctx, 'members')
    const member_id = await madeProfile(ctx, 'member', { title: 'Engineer' })
    const { items } = await until(
      () => call(id),
      (page) => page.items.some((item: { member_id: string }) => item.member_id === member_id),
    )
    expect(items).toContainEqual({
      member_id,
      audience_id: id,
      audience_version: 1,
      added_at: TIMESTAMP,
      reason: "EQ('title', 'Engineer') => true",
    })
  },
  'audiences.delete': async (call, ctx) => {
    const id = await madeAudience(ctx, 'delete')
    await call(id)
    expect(await ctx.status('GET', `/audiences/${id}`)).toBe(404)
  },
} satisfies Exercises
