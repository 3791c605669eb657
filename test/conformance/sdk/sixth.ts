/** Each method of generation 6: the exercises of its elders in its own shapes, and what it has more. */
import { expect } from 'vitest'
import { automationsOfSixth } from './automations.ts'
import { bulk, lists, messages } from './by-hand-messages.ts'
import { administration, brands, notifications } from './by-hand-settings.ts'
import { audiences, devices, preferences, profiles, tenants } from './by-hand-users.ts'
import {
  EVENT,
  type Exercise,
  type Exercises,
  ID,
  madeJob,
  madeProfile,
  madeTenant,
  profileOf,
  shaped,
} from './exercise.ts'
import type { Made } from './methods.ts'

const byId = ({ id, ...rest }: Made) => [id, rest]
const profileBody = ({ recipientId, ...rest }: Made) => [recipientId, rest]
const ofDevice = ({ user_id, token }: Made) => [user_id, token]
const topicOf = ({ topic }: Made) => topic

const sending = {
  send: async (call, { mark, request }) => {
    const message = { to: { user_id: mark, email: 'a@b.co' }, template: EVENT, data: { name: 'Ada' } }
    const keyed = () => call({ message }, { idempotencyKey: `key-${mark}` })
    const reply = await keyed()
    expect(reply).toEqual({ requestId: ID })
    expect(await keyed()).toEqual(reply)
    expect(await request('GET', `/messages/${reply.requestId}`)).toMatchObject({ recipient: mark })
  },
  'inbound.track': async (call, { mark }) => {
    const event = { event: 'order-placed', messageId: `inbound-${mark}`, type: 'track', properties: { total: 5 } }
    expect(await call(event)).toEqual({ messageId: event.messageId })
  },
  'messages.archive': async (call, { message, recipient, request }) => {
    expect(await call(message)).toBeFalsy()
    expect((await request('GET', `/messages?recipient=${recipient}`)).results).toEqual([])
    expect((await request('GET', `/messages?recipient=${recipient}&archived=true`)).results).toHaveLength(1)
  },
} satisfies Exercises

const people = {
  'profiles.mergeProfile': async (call, ctx) => {
    const id = await madeProfile(ctx, 'patch', { a: 1 })
    const patch = [{ op: 'add', path: '/email', value: 'a@b.co' }]
    await call(id, { patch })
    expect(await profileOf(ctx, id)).toEqual({ a: 1, email: 'a@b.co' })
  },
  'tenants.getUsersByTenant': async (call, ctx) => {
    const tenant = await madeTenant(ctx, 'users')
    await ctx.request('PUT', `/users/u1/tenants/${tenant}`, { profile: { a: 1 } })
    const items = [{ user_id: 'u1', tenant_id: tenant, profile: { a: 1 } }]
    expect(await call(tenant)).toMatchObject({ type: 'list', items, has_more: false })
  },
  'tenants.createOrReplaceDefaultPreferencesForTopic': async (call, ctx) => {
    const tenant = await madeTenant(ctx, 'default')
    await call(tenant, ctx.topic, { status: 'OPTED_OUT' })
    const items = [{ id: ctx.topic, status: 'OPTED_OUT' }]
    expect((await ctx.request('GET', `/tenants/${tenant}`)).default_preferences).toMatchObject({ items })
  },
  'tenants.removeDefaultPreferencesForTopic': async (call, ctx) => {
    const tenant = await madeTenant(ctx, 'no default')
    const path = `/tenants/${encodeURIComponent(tenant)}`
    await ctx.request('PUT', `${path}/default_preferences/items/${ctx.topic}`, { status: 'OPTED_OUT' })
    await call(tenant, ctx.topic)
    expect((await ctx.request('GET', path)).default_preferences?.items ?? []).toEqual([])
  },
  'users.tenants.addMultple': async (call, ctx) => {
    const tenant_id = await madeTenant(ctx, 'several')
    await call(ctx.mark, { tenants: [{ tenant_id, profile: { a: 1 } }] })
    const { items } = await ctx.request('GET', `/users/${ctx.mark}/tenants`)
    expect(items).toContainEqual(expect.objectContaining({ tenant_id, profile: { a: 1 } }))
  },
  'users.tenants.add': async (call, ctx) => {
    const tenant_id = await madeTenant(ctx, 'one')
    await call(`one-${ctx.mark}`, tenant_id, { profile: { a: 1 } })
    const { items } = await ctx.request('GET', `/users/one-${ctx.mark}/tenants`)
    expect(items).toMatchObject([{ tenant_id, profile: { a: 1 } }])
  },
  'users.tenants.list': async (call, ctx) => {
    const tenant_id = await madeTenant(ctx, 'listed')
    const user_id = `listed-${ctx.mark}`
    await ctx.request('PUT', `/users/${user_id}/tenants/${tenant_id}`)
    expect(await call(user_id)).toMatchObject({ type: 'list', items: [{ tenant_id, user_id }], has_more: false })
  },
  'users.tenants.remove': async (call, ctx) => {
    const tenant_id = await madeTenant(ctx, 'left')
    const user = `left-${ctx.mark}`
    await ctx.request('PUT', `/users/${user}/tenants/${tenant_id}`)
    await call(user, tenant_id)
    expect((await ctx.request('GET', `/users/${user}/tenants`)).items).toEqual([])
  },
  'users.tenants.removeAll': async (call, ctx) => {
    const tenant_id = await madeTenant(ctx, 'all left')
    const user = `all-left-${ctx.mark}`
    await ctx.request('PUT', `/users/${user}/tenants/${encodeURIComponent(tenant_id)}`)
    await call(user)
    expect((await ctx.request('GET', `/users/${user}/tenants`)).items).toEqual([])
  },
  'users.tokens.addMultiple': async (call, { mark, request }) => {
    // It cannot send any: the call changes nothing and is no error.
    await call(`none-${mark}`)
    expect((await request('GET', `/users/none-${mark}/tokens`)).tokens).toEqual([])
  },
} satisfies Exercises

const po = 'msgid "Hello"\nmsgstr "Hallo"\n'

const settings = {
  'templates.list': notifications['notifications.list'],
  'translations.update': async (call, { request }) => {
    await call('default', 'de', po)
    expect(await request('GET', '/translations/default/de')).toBe(po)
  },
  'translations.get': async (call, { request }) => {
    await request('PUT', '/translations/default/fr', po)
    expect(await call('default', 'fr')).toBe(po)
  },
} satisfies Exercises

/** The SDK does not pass the reply on. */
const ingest: Exercise = async (call, ctx) => {
  const jobId = await madeJob(ctx)
  await call(jobId, { users: [{ recipient: 'u1' }, { recipient: 'u2' }] })
  expect((await ctx.request('GET', `/bulk/${jobId}`)).job).toMatchObject({ received: 2 })
}

export const added = { ...sending, ...people, ...settings }

export const sixth: Exercises = {
  ...added,
  'messages.list': shaped(messages.getMessages, ({ recipientId, eventId, ...rest }) => [
    { recipient: recipientId, ...(eventId && { event: eventId }), ...rest },
  ]),
  'messages.get': messages.getMessage,
  'messages.getHistory': messages.getMessageHistory,
  'messages.getContent': messages.getMessageOutput,
  'messages.cancel': messages.cancelMessage,
  'lists.list': lists['lists.list'],
  'lists.get': lists['lists.get'],
  'lists.update': lists['lists.put'],
  'lists.delete': lists['lists.delete'],
  'lists.restore': lists['lists.restore'],
  'lists.getSubscribers': lists['lists.getSubscriptions'],
  'lists.updateSubscribers': shaped(lists['lists.putSubscriptions'], (id, recipients) => [id, { recipients }]),
  'lists.addSubscribers': shaped(lists['lists.postSubscriptions'], (id, recipients) => [id, { recipients }]),
  'lists.subscribe': shaped(lists['lists.subscribe'], (id, user, preferences) => [
    id,
    user,
    preferences && { preferences },
  ]),
  'lists.unsubscribe': lists['lists.unsubscribe'],
  ...automationsOfSixth,
  'bulk.createJob': bulk['bulk.createJob'],
  'bulk.ingestUsers': ingest,
  'bulk.runJob': shaped(bulk['bulk.runJob'], ({ jobId }) => [jobId]),
  'bulk.getJob': shaped(bulk['bulk.getJob'], ({ jobId }) => [jobId]),
  'bulk.getUsers': shaped(bulk['bulk.getJobUsers'], ({ jobId }) => [jobId]),
  'profiles.get': shaped(profiles.getProfile, profileBody),
  'profiles.create': shaped(profiles.mergeProfile, profileBody),
  'profiles.replace': shaped(profiles.replaceProfile, profileBody),
  'profiles.delete': shaped(profiles.deleteProfile, ({ recipientId }) => [recipientId]),
  'profiles.getListSubscriptions': shaped(lists.getRecipientSubscriptions, ({ recipientId }) => [recipientId]),
  'profiles.subscribeToLists': shaped(lists.addRecipientToLists, profileBody),
  'profiles.deleteListSubscription': shaped(lists.removeRecipientFromAllLists, ({ recipientId }) => [recipientId]),
  'users.preferences.list': preferences['users.getUserPreferenceByTopics'],
  'users.preferences.get': shaped(preferences['users.getUserPreferenceByTopic'], (...ids) => ids, topicOf),
  'users.preferences.update': shaped(preferences['users.putUserPreferenceByTopic'], (user, topic, choice) => [
    user,
    topic,
    { topic: choice },
  ]),
  'users.tokens.add': shaped(devices['tokenManagement.putUserToken'], ({ user_id, token }) => [
    user_id,
    token.token,
    token,
  ]),
  'users.tokens.update': shaped(devices['tokenManagement.patchUserToken'], ({ user_id, token, patch }) => [
    user_id,
    token,
    { patch },
  ]),
  'users.tokens.get': shaped(devices['tokenManagement.getUserToken'], ofDevice),
  'users.tokens.list': shaped(devices['tokenManagement.getUserTokens'], ({ user_id }) => [user_id]),
  'users.tokens.delete': shaped(devices['tokenManagement.deleteUserToken'], ofDevice),
  'tenants.createOrReplace': shaped(tenants['tenants.put'], byId),
  'tenants.get': tenants['tenants.get'],
  'tenants.list': tenants['tenants.listTenants'],
  'tenants.delete': tenants['tenants.delete'],
  'audiences.get': audiences['audiences.get'],
  'audiences.update': shaped(audiences['audiences.put'], byId, ({ audience }) => audience),
  'audiences.listAudiences': audiences['audiences.listAudiences'],
  'audiences.listMembers': audiences['audiences.listMembers'],
  'audiences.delete': audiences['audiences.delete'],
  'brands.create': brands.createBrand,
  'brands.get': brands.getBrand,
  'brands.list': brands.getBrands,
  'brands.replace': shaped(brands.replaceBrand, byId),
  'brands.delete': brands.deleteBrand,
  'notifications.list': notifications['notifications.list'],
  'notifications.getContent': notifications['notifications.getContent'],
  'notifications.getDraftContent': notifications['notifications.getDraftContent'],
  'notifications.getSubmissionChecks': notifications['notifications.getSubmissionChecks'],
  'notifications.replaceSubmissionChecks': notifications['notifications.putSubmissionChecks'],
  'notifications.cancelSubmission': notifications['notifications.cancelSubmission'],
  'auditEvents.list': administration['auditEvents.list'],
  'auditEvents.get': shaped(administration['auditEvents.get'], ({ auditEventId }) => [auditEventId]),
  'authTokens.issueToken': shaped(administration.issueToken, ({ scope, expiresIn }) => [
    { scope, expires_in: expiresIn },
  ]),
}
