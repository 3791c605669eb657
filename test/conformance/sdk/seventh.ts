/** Each method of generation 7: the exercises of its elders in its own shapes, and what it has more. */
import { expect } from 'vitest'
import { automationsOfSeventh } from './automations.ts'
import { bulk } from './by-hand-messages.ts'
import { notifications } from './by-hand-settings.ts'
import { devices, preferences } from './by-hand-users.ts'
import { type Exercise, type Exercises, LAST_PAGE, madeNotification, shaped } from './exercise.ts'
import type { Made } from './methods.ts'
import { routingStrategies } from './routing-strategies.ts'
import { added, sixth } from './sixth.ts'

const elder = (name: string): Exercise => {
  const exercise = sixth[name]
  if (!exercise) throw new Error(`generation 6 has no ${name}`)
  return exercise
}

const twilio = (title: string) => ({
  provider: 'twilio',
  title,
  settings: { accountSid: 'AC1', authToken: 'token', from: '+12025550100' },
})

const integrations: Exercises = {
  'providers.create': async (call, { mark }) => {
    const made = await call(twilio(`create-${mark}`))
    expect(made).toMatchObject({
      id: expect.any(String),
      provider: 'twilio',
      title: `create-${mark}`,
      created: expect.any(Number),
    })
    expect(JSON.stringify(made)).not.toContain('"token"')
  },
  'providers.retrieve': async (call, { mark, request }) => {
    const { id } = await request('POST', '/providers', twilio(`get-${mark}`))
    expect(await call(id)).toMatchObject({ id, provider: 'twilio', title: `get-${mark}` })
  },
  'providers.update': async (call, { mark, request }) => {
    const { id } = await request('POST', '/providers', twilio(`old-${mark}`))
    expect(await call(id, twilio(`new-${mark}`))).toMatchObject({ id, title: `new-${mark}` })
  },
  'providers.list': async (call, { mark, request }) => {
    const { id } = await request('POST', '/providers', twilio(`list-${mark}`))
    const results = expect.arrayContaining([expect.objectContaining({ id, provider: 'twilio' })])
    expect(await call()).toMatchObject({ paging: LAST_PAGE, results })
  },
  'providers.delete': async (call, ctx) => {
    const { id } = await ctx.request('POST', '/providers', twilio(`delete-${ctx.mark}`))
    await call(id)
    expect(await ctx.status('GET', `/providers/${id}`)).toBe(404)
  },
  'providers.catalog.list': async (call) => {
    const { results } = await call({ channel: 'sms' })
    const settings = expect.objectContaining({ accountSid: expect.objectContaining({ required: expect.any(Boolean) }) })
    expect(results).toContainEqual(expect.objectContaining({ provider: 'twilio', channel: 'sms', settings }))
  },
}

const template = (name: string) => ({
  name,
  tags: ['spring'],
  brand: null,
  subscription: null,
  routing: null,
  content: { version: '2022-01-01', elements: [{ type: 'text', id: 'greeting', content: 'Hello' }] },
})

const templates: Exercises = {
  'notifications.create': async (call, { mark }) => {
    const notification = template(`create ${mark}`)
    const { content, ...flat } = notification
    expect(await call({ notification, state: 'PUBLISHED' })).toMatchObject({
      ...flat,
      id: expect.any(String),
      state: 'PUBLISHED',
      created: expect.any(Number),
      content: { elements: content.elements },
    })
  },
  'notifications.retrieve': async (call, ctx) => {
    const id = await madeNotification(ctx, 'retrieve')
    expect(await call(id)).toMatchObject({ id, name: `retrieve ${ctx.mark}`, state: 'PUBLISHED' })
    expect(await call(id, { version: 'draft' })).toMatchObject({ id })
  },
  'notifications.replace': async (call, ctx) => {
    const id = await madeNotification(ctx, 'replace')
    const notification = template(`replaced ${ctx.mark}`)
    expect(await call(id, { notification })).toMatchObject({ id, name: `replaced ${ctx.mark}`, tags: ['spring'] })
  },
  'notifications.archive': async (call, ctx) => {
    const id = await madeNotification(ctx, 'archive')
    await call(id)
    expect(await ctx.status('GET', `/notifications/${id}`)).toBe(404)
  },
  'notifications.publish': async (call, ctx) => {
    const { id } = await ctx.request('POST', '/notifications', { notification: template(`publish ${ctx.mark}`) })
    await call(id)
    expect(await ctx.request('GET', `/notifications/${id}`)).toMatchObject({ state: 'PUBLISHED' })
  },
  'notifications.listVersions': async (call, ctx) => {
    const id = await madeNotification(ctx, 'versions')
    const version = { version: expect.any(String), created: expect.any(Number) }
    expect((await call(id)).versions).toContainEqual(expect.objectContaining(version))
  },
  'notifications.retrieveContent': async (call, ctx) => {
    const shown = await call(await madeNotification(ctx, 'contents'))
    const element = { type: 'text', id: 'greeting', checksum: expect.any(String) }
    expect(shown).toMatchObject({ version: '2022-01-01' })
    expect(shown.elements).toContainEqual(expect.objectContaining(element))
  },
  'notifications.putContent': async (call, ctx) => {
    const id = await madeNotification(ctx, 'put content')
    const { content } = template('')
    const elements = [expect.objectContaining({ id: 'greeting', checksum: expect.any(String) })]
    expect(await call(id, { content })).toMatchObject({ id, elements, state: 'DRAFT', version: '2022-01-01' })
  },
  'notifications.putElement': async (call, ctx) => {
    const id = await madeNotification(ctx, 'put element')
    expect(await call('greeting', { id, type: 'text', data: { content: 'Changed' } })).toMatchObject({
      id,
      state: 'DRAFT',
    })
    const { blocks } = await ctx.request('GET', `/notifications/${id}/draft/content`)
    expect(blocks).toContainEqual(expect.objectContaining({ id: 'greeting', content: 'Changed' }))
  },
  'notifications.putLocale': async (call, ctx) => {
    const id = await madeNotification(ctx, 'put locale')
    const elements = [{ id: 'greeting', content: 'Hallo' }]
    expect(await call('de', { id, elements })).toMatchObject({ id, state: 'DRAFT' })
    const { blocks } = await ctx.request('GET', `/notifications/${id}/draft/content`)
    expect(blocks).toContainEqual(expect.objectContaining({ id: 'greeting', locales: { de: 'Hallo' } }))
  },
  'notifications.checks.list': shaped(notifications['notifications.getSubmissionChecks'], (id, review) => [
    review,
    { id },
  ]),
  'notifications.checks.update': shaped(notifications['notifications.putSubmissionChecks'], (id, review, body) => [
    review,
    { id, ...body },
  ]),
  'notifications.checks.delete': shaped(notifications['notifications.cancelSubmission'], (id, review) => [
    review,
    { id },
  ]),
}

/** The difference: the last of the ids comes first, the others stand in the body. */
const turned = (key: string) => (first: Made, second: Made, body?: Made) => [second, { [key]: first, ...body }]

const people: Exercises = {
  'lists.subscriptions.subscribeUser': shaped(elder('lists.subscribe'), turned('list_id')),
  'lists.subscriptions.unsubscribeUser': shaped(elder('lists.unsubscribe'), turned('list_id')),
  'tenants.preferences.items.update': shaped(
    added['tenants.createOrReplaceDefaultPreferencesForTopic'],
    turned('tenant_id'),
  ),
  'tenants.preferences.items.delete': shaped(added['tenants.removeDefaultPreferencesForTopic'], turned('tenant_id')),
  'users.preferences.retrieve': preferences['users.getUserPreferenceByTopics'],
  'users.preferences.retrieveTopic': shaped(elder('users.preferences.get'), turned('user_id')),
  'users.preferences.updateOrCreateTopic': shaped(elder('users.preferences.update'), turned('user_id')),
  'users.tenants.list': elder('users.tenants.list'),
  'users.tenants.addMultiple': elder('users.tenants.addMultple'),
  'users.tenants.addSingle': shaped(elder('users.tenants.add'), turned('user_id')),
  'users.tenants.removeAll': elder('users.tenants.removeAll'),
  'users.tenants.removeSingle': shaped(elder('users.tenants.remove'), turned('user_id')),
  'users.tokens.list': elder('users.tokens.list'),
  'users.tokens.addMultiple': elder('users.tokens.addMultiple'),
  'users.tokens.addSingle': shaped(elder('users.tokens.add'), turned('user_id')),
  'users.tokens.retrieve': shaped(elder('users.tokens.get'), turned('user_id')),
  'users.tokens.update': shaped(devices['tokenManagement.patchUserToken'], ({ user_id, token, patch }) => [
    token,
    { user_id, patch },
  ]),
  'users.tokens.delete': shaped(elder('users.tokens.delete'), turned('user_id')),
}

/** Under other names, with the same arguments. */
const renamed: Record<string, string> = {
  'lists.retrieve': 'lists.get',
  'lists.update': 'lists.update',
  'lists.list': 'lists.list',
  'lists.delete': 'lists.delete',
  'lists.subscriptions.list': 'lists.getSubscribers',
  'lists.subscriptions.add': 'lists.addSubscribers',
  'lists.subscriptions.subscribe': 'lists.updateSubscribers',
  'messages.retrieve': 'messages.get',
  'messages.list': 'messages.list',
  'messages.cancel': 'messages.cancel',
  'messages.content': 'messages.getContent',
  'messages.history': 'messages.getHistory',
  'requests.archive': 'messages.archive',
  'bulk.createJob': 'bulk.createJob',
  'bulk.runJob': 'bulk.runJob',
  'bulk.retrieveJob': 'bulk.getJob',
  'bulk.listUsers': 'bulk.getUsers',
  'profiles.retrieve': 'profiles.get',
  'profiles.create': 'profiles.create',
  'profiles.replace': 'profiles.replace',
  'profiles.update': 'profiles.mergeProfile',
  'profiles.delete': 'profiles.delete',
  'profiles.lists.retrieve': 'profiles.getListSubscriptions',
  'profiles.lists.subscribe': 'profiles.subscribeToLists',
  'profiles.lists.delete': 'profiles.deleteListSubscription',
  'tenants.update': 'tenants.createOrReplace',
  'tenants.retrieve': 'tenants.get',
  'tenants.list': 'tenants.list',
  'tenants.delete': 'tenants.delete',
  'tenants.listUsers': 'tenants.getUsersByTenant',
  'audiences.retrieve': 'audiences.get',
  'audiences.update': 'audiences.update',
  'audiences.list': 'audiences.listAudiences',
  'audiences.listMembers': 'audiences.listMembers',
  'audiences.delete': 'audiences.delete',
  'brands.create': 'brands.create',
  'brands.retrieve': 'brands.get',
  'brands.update': 'brands.replace',
  'brands.list': 'brands.list',
  'brands.delete': 'brands.delete',
  'auditEvents.list': 'auditEvents.list',
  'auditEvents.retrieve': 'auditEvents.get',
  'auth.issueToken': 'authTokens.issueToken',
  'inbound.trackEvent': 'inbound.track',
  'notifications.list': 'notifications.list',
}

export const seventh: Exercises = {
  ...Object.fromEntries(Object.entries(renamed).map(([name, old]) => [name, elder(old)])),
  ...people,
  ...integrations,
  ...templates,
  ...automationsOfSeventh,
  'send.message': shaped(added.send, (body, options) => [
    body,
    { headers: { 'Idempotency-Key': options.idempotencyKey } },
  ]),
  'bulk.addUsers': shaped(bulk['bulk.ingestUsers'], ({ jobId, users }) => [jobId, { users }]),
  'lists.restore': shaped(elder('lists.restore'), (id) => [id, {}]),
  ...routingStrategies,
  'translations.retrieve': shaped(added['translations.get'], turned('domain')),
  'translations.update': shaped(added['translations.update'], (domain, locale, body) => [locale, { domain, body }]),
}
