/** `postrider copy`: what another server of the API has arrives here once, under its ids, and changes nothing that is here. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { run } from './in-process.ts'

const sourceKey = 'pk_prod_of_the_source'
const topicId = 'TX2ZQ5G0M84K7WQ1V9B3C6D8F0HJ'
const sectionId = 'SX2ZQ5G0M84K7WQ1V9B3C6D8F0HJ'
const templateId = 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA'
const designerId = 'DQ4M9R2K7T1WXBHN5D8C3VFJ6PYA'

type Replies = Record<string, unknown>
/** Replies in the shapes of the public API, by path and query; the lists of newer servers are absent. */
const replies: Replies = {
  '/brands': { paging: { more: false }, results: [brand('shop')] },
  '/routing-strategies': { paging: { more: false }, results: [{ id: 'rs_1', name: 'Mail first', created: 1 }] },
  '/routing-strategies/rs_1': { id: 'rs_1', name: 'Mail first', routing: { method: 'single', channels: ['email'] } },
  '/preferences/sections': { results: [{ id: sectionId, name: 'Shop', routing_options: ['email'] }] },
  [`/preferences/sections/${sectionId}/topics`]: {
    results: [{ id: topicId, name: 'Offers', default_status: 'OPTED_IN', creator: 'x', updater: null }],
  },
  '/notifications': {
    paging: { more: false },
    results: [
      { id: templateId, name: 'Order', created: 1, creator: 'x', state: 'PUBLISHED', tags: ['orders'] },
      {
        id: designerId,
        title: 'Old mail',
        created_at: 1,
        tags: { data: [{ id: 't', name: 'old' }] },
        topic_id: topicId,
      },
    ],
  },
  [`/notifications/${templateId}`]: {
    ...{ id: templateId, alias: 'order', name: 'Order', state: 'PUBLISHED', tags: ['orders'], brand: { id: 'shop' } },
    ...{ subscription: { topic_id: topicId }, routing: { strategy_id: 'rs_1' } },
    content: {
      version: '2022-01-01',
      elements: [
        { type: 'meta', title: 'Order {id}' },
        { type: 'text', content: 'It is on its way.' },
      ],
    },
  },
  [`/notifications/${designerId}/content`]: {
    blocks: [
      { id: 'block_1', type: 'text', content: 'Good day {name}', locales: { de: 'Guten Tag {name}' } },
      { id: 'block_2', type: 'action', content: 'Track it' },
      { id: 'block_3', type: 'divider' },
      { id: 'block_4', type: 'constructor', content: 'Not a block' },
    ],
    channels: [
      { id: 'c1', type: 'email', content: { subject: 'Hello', title: '' }, locales: { de: { subject: 'Hallo' } } },
      { id: 'c2', type: 'push', content: { subject: '', title: 'Ahoy' }, locales: {} },
    ],
    checksum: 'x',
  },
  '/events': { results: [{ event: 'ORDER_PLACED', id: templateId, type: 'notification' }] },
  '/tenants': {
    ...{ type: 'list', has_more: true, cursor: 'second', url: '/tenants' },
    items: [{ id: 'branch', name: 'Branch', parent_tenant_id: 'acme', properties: {}, user_profile: null }],
  },
  '/tenants?cursor=second': {
    ...{ type: 'list', has_more: false, cursor: null, url: '/tenants' },
    items: [{ id: 'acme', name: 'Acme', brand_id: 'shop', properties: { plan: 'gold' } }],
  },
  '/tenants/acme/users': { type: 'list', has_more: false, items: [{ user_id: 'ada', profile: { desk: 7 } }] },
  '/tenants/branch/users': { type: 'list', has_more: false, items: [] },
  '/lists': { paging: { more: false }, items: [{ id: 'news', name: 'News', created: 'x', updated: 'x' }] },
  '/lists/news/subscriptions': { paging: { cursor: 'c2', more: true }, items: [{ recipientId: 'ada', created: 'x' }] },
  '/lists/news/subscriptions?cursor=c2': { paging: { more: false }, items: [{ recipientId: 'grace' }] },
  '/audiences': { paging: { more: false }, items: [{ id: 'gold', name: 'Gold', filter: filter('plan', 'gold') }] },
  '/audiences/gold/members': { paging: { more: false }, items: [{ member_id: 'alan', audience_id: 'gold' }] },
  '/profiles/ada': {
    profile: { email: 'ada@example.com', plan: 'gold' },
    preferences: { notifications: {}, categories: {} },
  },
  '/profiles/grace': {
    profile: { email: 'grace@example.com' },
    preferences: { notifications: { [templateId]: { status: 'OPTED_OUT' } } },
  },
  '/profiles/alan': { profile: { plan: 'gold' } },
  '/profiles/edith': { profile: { email: 'edith@example.com' } },
  '/users/ada/preferences': { items: [choice('OPTED_OUT')], paging: { more: false } },
  '/users/ada/preferences?tenant_id=acme': { items: [choice('OPTED_IN')], paging: { more: false } },
  '/users/grace/preferences': { items: [choice('OPTED_IN')], paging: { more: false } },
  '/users/ada/tokens': { tokens: [{ token: 'a1', provider_key: 'expo', expiry_date: false, device: null }] },
}

function brand(id: string) {
  return { id, name: 'Shop', created: 1, updated: 1, settings: { colors: { primary: '#112233' } }, snippets: null }
}
function filter(path: string, value: string) {
  return { operator: 'EQ', path, value }
}
function choice(status: string) {
  return { topic_id: topicId, topic_name: 'Offers', default_status: 'OPTED_IN', status, has_custom_routing: false }
}

let courier: Server
let target: App
/** The key of the copy; `target.client` is another program here. */
let copyKey: string
let calls: string[]

const forbidden = new Set<string>()
const limited = new Set(['/profiles/ada', '/lists/news/subscriptions?cursor=c2'])
const overrides = new Map<string, unknown>()
const ABSENT = Symbol('404')

beforeAll(async () => {
  courier = createServer((request, response) => {
    const url = decodeURIComponent(request.url ?? '')
    calls.push(`${request.method} ${url}`)
    const isLimited = limited.delete(url)
    const isAuthorized = request.headers.authorization === `Bearer ${sourceKey}` && !forbidden.has(url)
    const reply = overrides.get(url) ?? replies[url] ?? ABSENT
    // As gateways answer for a path that they do not have.
    const isUnknown = url.startsWith('/preferences/') && reply === ABSENT
    const status = !isAuthorized ? 401 : isUnknown ? 403 : isLimited ? 429 : reply === ABSENT ? 404 : 200
    response.writeHead(status, { 'content-type': 'application/json', ...(isLimited && { 'retry-after': '0' }) })
    response.end(JSON.stringify(status === 200 ? reply : { message: 'Not Found', type: 'invalid_request_error' }))
  }).listen(0, '127.0.0.1')
  target = await openApp()
  copyKey = (await target.key('published')).apiKey
})
afterAll(async () => {
  courier.close()
  await target.stop()
})
beforeEach(() => {
  calls = []
  overrides.clear()
})

const address = () => `http://127.0.0.1:${(courier.address() as AddressInfo).port}`
const copy = (args: string[] = [], env: Record<string, string> = {}) =>
  run(['copy', address(), ...args], {
    env: { POSTRIDER_URL: target.url, POSTRIDER_API_KEY: copyKey, POSTRIDER_SOURCE_API_KEY: sourceKey, ...env },
  })
const fileOf = (text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), 'postrider-copy-')), 'ids.txt')
  writeFileSync(path, text)
  return path
}
const idsFile = fileOf('edith\n\nada\n')

test('a dry run counts and writes nothing', async () => {
  const { code, out } = await copy(['--dry-run', '--users', idsFile])
  expect([code, out]).toEqual([0, expect.stringMatching(/^KIND +TO COPY +PRESENT +FAILED\n/)])
  expect(out).toMatch(/\nusers +4 +0 +0\n/)
  expect((await target.client.profiles.list()).results).toEqual([])
  expect((await target.client.lists.list()).results).toEqual([])
})

test('everything arrives under its id, and the source is only read', async () => {
  const { code, out, err } = await copy(['--users', idsFile, '--json'])
  expect(JSON.parse(out)).toMatchObject({ failures: [], notServed: [] })
  expect(code).toBe(0)
  expect(JSON.parse(out).counts.map(({ kind, copied }: Record<string, unknown>) => `${kind} ${copied}`)).toEqual([
    ...['brands 1', 'routing-strategies 1', 'sections 1', 'topics 1', 'templates 2', 'events 1'],
    ...['tenants 2', 'lists 1', 'audiences 1', 'users 4'],
  ])
  expect(err).toContain(`templates ${designerId}: It was made in the designer`)
  expect(err).toContain(`templates ${designerId}: The action block block_2 is not copied.`)
  expect(err).toContain(`templates ${designerId}: The title for push is not copied.`)
  expect(err).toContain(`templates ${designerId}: The constructor block block_4 is not copied.`)
  expect(calls.every((call) => call.startsWith('GET '))).toBe(true)
  // Once for all of her tenants.
  expect(calls.filter((call) => call === 'GET /users/ada/preferences')).toHaveLength(1)
  const { client } = target
  expect((await client.profiles.get('ada')).profile).toEqual({ email: 'ada@example.com', plan: 'gold' })
  expect((await client.profiles.get('alan')).profile).toEqual({ plan: 'gold' })
  expect((await client.lists.subscriptions('news')).items.map(({ recipientId }) => recipientId).sort()).toEqual([
    'ada',
    'grace',
  ])
  expect((await client.tenants.get('branch')).parent_tenant_id).toBe('acme')
  expect((await client.memberships.list('ada')).items).toMatchObject([{ tenant_id: 'acme', profile: { desk: 7 } }])
  expect((await client.deviceTokens.list('ada')).tokens).toMatchObject([{ token: 'a1', expiry_date: false }])
  expect((await client.preferences.topic('ada', topicId)).topic.status).toBe('OPTED_OUT')
  expect((await client.preferences.topic('grace', topicId)).topic.status).toBe('OPTED_IN')
  expect((await client.audiences.get('gold')).filter).toMatchObject({ path: 'plan', value: 'gold' })
})

test('templates are sent by the names that programs know, with their brand, topic and routing', async () => {
  const { client } = target
  const order = await client.notifications.get('order')
  expect(order).toMatchObject({
    ...{ state: 'PUBLISHED', brand: { id: 'shop' }, subscription: { topic_id: topicId } },
    routing: { strategy_id: 'rs_1' },
  })
  for (const template of ['order', templateId, 'ORDER_PLACED']) {
    const { rendered } = await client.explain({ message: { to: { user_id: 'edith' }, template, data: { id: 'A17' } } })
    expect(rendered[0]?.content?.subject, template).toBe('Order A17')
  }
  const designed = await client.notifications.get(designerId)
  expect(designed).toMatchObject({
    name: 'Old mail',
    state: 'DRAFT',
    tags: ['old'],
    subscription: { topic_id: topicId },
  })
  expect(designed.content.elements).toEqual([
    { type: 'meta', title: 'Hello', locales: { de: { title: 'Hallo' } } },
    { type: 'text', content: 'Good day {name}', locales: { de: { content: 'Guten Tag {name}' } } },
    { type: 'divider' },
  ])
  // Grace opted out of it by the id that it has at the source.
  const { decision } = await client.explain({ message: { to: { user_id: 'grace' }, template: 'order' } })
  expect(decision).toMatchObject({ reason: 'UNSUBSCRIBED' })
})

test('a repetition leaves everything as it is here, and --overwrite replaces it', async () => {
  const { client } = target
  await client.profiles.merge('ada', { profile: { email: 'new@example.com' } })
  await client.preferences.putTopic('ada', topicId, { topic: { status: 'OPTED_IN' } })
  await client.lists.unsubscribe('news', 'grace')
  const again = await copy(['--json'])
  expect(
    JSON.parse(again.out).counts.every(({ copied, failed }: Record<string, number>) => copied === 0 && failed === 0),
  ).toBe(true)
  expect((await client.profiles.get('ada')).profile.email).toBe('new@example.com')
  expect((await client.preferences.topic('ada', topicId)).topic.status).toBe('OPTED_IN')
  expect((await client.lists.subscriptions('news')).items).toHaveLength(1)
  const replaced = await copy(['--overwrite', '--only', 'users'])
  expect([replaced.code, replaced.out]).toEqual([0, expect.stringMatching(/^KIND .*\nusers +4 +0 +0\n?$/)])
  expect((await client.profiles.get('ada')).profile.email).toBe('ada@example.com')
  expect((await client.preferences.topic('ada', topicId)).topic.status).toBe('OPTED_OUT')
})

test('a choice that a user made here stays, although the user has no profile here', async () => {
  const { client } = target
  overrides.set('/lists/news/subscriptions', { paging: { more: false }, items: [{ recipientId: 'mary' }] })
  overrides.set('/users/mary/preferences', {
    items: [{ ...choice('OPTED_IN'), has_custom_routing: true, custom_routing: ['sms'] }],
  })
  await client.preferences.putTopic('mary', topicId, { topic: { status: 'OPTED_OUT' } })
  expect((await copy(['--only', 'users'])).code).toBe(0)
  expect((await client.preferences.topic('mary', topicId)).topic.status).toBe('OPTED_OUT')
})

test('an opt-out that was made at the source after a copy arrives, and so does what the overwritten user left', async () => {
  const { client } = target
  const ofEve = (status: string) => overrides.set('/users/eve/preferences', { items: [choice(status)] })
  const subscribers = (...ids: string[]) =>
    overrides.set('/lists/news/subscriptions', {
      paging: { more: false },
      items: ids.map((recipientId) => ({ recipientId })),
    })
  const statusOfEve = async () => (await client.preferences.topic('eve', topicId)).topic.status
  const copyEve = (...args: string[]) => copy(['--only', 'users', '--users', fileOf('eve\n'), ...args])
  overrides.set('/profiles/eve', { profile: { email: 'eve@example.com' } })
  subscribers('eve')
  ofEve('OPTED_IN')
  overrides.set('/users/eve/preferences', {
    items: [{ ...choice('OPTED_IN'), has_custom_routing: true, custom_routing: ['sms'] }],
  })
  await copyEve()
  expect((await client.preferences.topic('eve', topicId)).topic.custom_routing).toEqual(['sms'])
  ofEve('OPTED_OUT')
  subscribers()
  expect((await copyEve('--dry-run')).out).toMatch(/\nusers +1 +/)
  expect(await statusOfEve()).toBe('OPTED_IN')
  // The source lists her no longer.
  await copy(['--only', 'users'])
  expect(await statusOfEve()).toBe('OPTED_OUT')
  await client.preferences.putTopic('eve', topicId, { topic: { status: 'OPTED_IN' } })
  await copyEve()
  expect(await statusOfEve()).toBe('OPTED_IN')
  expect((await client.profiles.lists('eve')).results).toHaveLength(1)
  overrides.set('/profiles/eve', ABSENT)
  await copyEve('--overwrite')
  expect(await statusOfEve()).toBe('OPTED_OUT')
  expect((await client.profiles.lists('eve')).results).toEqual([])
  expect((await client.profiles.get('eve')).profile).toEqual({ email: 'eve@example.com' })
  const changes = async () => (await client.preferences.history('eve')).results.length
  const before = await changes()
  await copyEve('--overwrite')
  expect(await changes()).toBe(before)
  // Channels of an opt-out have no effect.
  overrides.set('/users/eve/preferences', {
    items: [{ ...choice('OPTED_OUT'), has_custom_routing: true, custom_routing: ['email'] }],
  })
  await copyEve()
  expect(await changes()).toBe(before)
  ofEve('OPTED_IN')
  await copyEve('--overwrite')
  expect(await statusOfEve()).toBe('OPTED_IN')
})

test('a record that this server refuses is named, and the others are copied', async () => {
  overrides.set('/lists', {
    paging: { more: false },
    items: [
      { id: 'too.many.parts.in.it', name: 'Deep' },
      { id: 'offers', name: 'Offers' },
    ],
  })
  overrides.set('/lists/offers/subscriptions', { paging: { more: false }, items: [{ recipientId: 'joan' }] })
  overrides.set('/users/joan/tokens', { tokens: [{ token: 'j1', provider_key: 'pigeon' }] })
  const { code, out } = await copy(['--only', 'lists,users'])
  expect(code).toBe(1)
  expect(out).toMatch(/\nlists too\.many\.parts\.in\.it: .+\n/)
  expect(out).toMatch(/\nusers joan: device token: .*provider_key.*\n/)
  expect((await target.client.lists.get('offers')).name).toBe('Offers')
  expect((await target.client.profiles.get('joan')).profile).toEqual({})
})

test('one value that is refused keeps no other back, and is named again by a repetition', async () => {
  const { client } = target
  const names = { [templateId]: { status: 'OPTED_OUT' }, order: { status: 'OPTED_IN' } }
  const notifications = { ...names, strange: { status: 'PERHAPS' } }
  overrides.set('/profiles/rosa', { profile: { email: 'rosa@example.com' }, preferences: { notifications } })
  overrides.set('/users/rosa/preferences', {
    ...{ items: [{ ...choice('OPTED_OUT'), topic_id: 'gone' }], paging: { more: true, cursor: 'p2' } },
  })
  overrides.set('/users/rosa/preferences?cursor=p2', { items: [choice('OPTED_OUT')], paging: { more: false } })
  for (const attempt of [1, 2]) {
    const { code, out } = await copy(['--only', 'users', '--users', fileOf('rosa')])
    expect([attempt, code]).toEqual([attempt, 1])
    expect(out).toMatch(/\nusers +0 +\d+ +1\n/)
    expect(out).toContain('users rosa: preferences: gone: Unknown topic')
    // A user who is here gets opt-outs only.
    if (attempt === 1) expect(out).toMatch(/users rosa: preferences: notifications\.strange\.status must be/)
  }
  expect((await client.preferences.topic('rosa', topicId)).topic.status).toBe('OPTED_OUT')
  const { id } = await client.notifications.get('order')
  expect((await client.preferences.get('rosa')).notifications).toEqual({ [id]: { status: 'OPTED_OUT' } })
  expect((await client.profiles.get('rosa')).profile.email).toBe('rosa@example.com')
})

test('defaults of the source opt users out of topics that are here, and in to none', async () => {
  const { client } = target
  await client.topics.create(sectionId, { id: 'quiet', name: 'Quiet', default_status: 'OPTED_OUT' })
  overrides.set('/profiles/zoe', { profile: { email: 'zoe@example.com' } })
  overrides.set('/users/zoe/preferences', {
    items: [
      { ...choice('OPTED_OUT'), default_status: 'OPTED_OUT' },
      { ...choice('OPTED_IN'), topic_id: 'quiet' },
      { ...choice('OPTED_OUT'), default_status: 'OPTED_OUT', topic_id: 'gone' },
    ],
  })
  expect((await copy(['--only', 'users', '--users', fileOf('zoe')])).code).toBe(0)
  expect((await client.preferences.topic('zoe', topicId)).topic.status).toBe('OPTED_OUT')
  expect((await client.preferences.topic('zoe', 'quiet')).topic.status).toBe('OPTED_OUT')
})

test('a user without the tenants that are not copied yet has no profile until they are', async () => {
  const { client } = target
  overrides.set('/tenants', { ...{ type: 'list', has_more: false }, items: [{ id: 'late', name: 'Late' }] })
  overrides.set('/tenants/late/users', { type: 'list', has_more: false, items: [{ user_id: 'ruth' }] })
  overrides.set('/profiles/ruth', { profile: { email: 'ruth@example.com' } })
  expect((await copy(['--only', 'users'])).code).toBe(1)
  await expect(client.profiles.get('ruth')).rejects.toMatchObject({ kind: 'not_found' })
  expect((await copy(['--only', 'tenants,users'])).code).toBe(0)
  expect((await client.memberships.list('ruth')).items).toMatchObject([{ tenant_id: 'late' }])
  expect((await client.profiles.get('ruth')).profile.email).toBe('ruth@example.com')
})

test('a user whom the source fails to show is a failure, and the others are copied', async () => {
  overrides.set('/users/bad/preferences', 'not an object')
  overrides.set('/profiles/good', { profile: { email: 'good@example.com' } })
  overrides.set('/profiles/bad', { profile: { email: 'bad@example.com' } })
  const { code, out } = await copy(['--only', 'users', '--users', fileOf('bad\ngood\n'), '--concurrency', '1'])
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('users bad: The reply to GET /users/bad/preferences is not a list'),
  ])
  expect((await target.client.profiles.get('good')).profile.email).toBe('good@example.com')
})

test('a source that fails for user after user ends the copy', async () => {
  const ids = Array.from({ length: 15 }, (_, index) => `failing-${index}`)
  for (const id of ids) overrides.set(`/users/${id}/preferences`, 'not an object')
  for (const id of ids) overrides.set(`/profiles/${id}`, { profile: {} })
  const { code, out, err } = await copy(['--only', 'users', '--users', fileOf(ids.join('\n')), '--concurrency', '1'])
  expect([code, err]).toEqual([1, expect.stringContaining('is not a list')])
  expect(out).toContain('users failing-8: The reply to')
})

test('an id that is a step up in a path is no other call', async () => {
  overrides.set('/profiles/dot', { profile: { email: 'dot@example.com' } })
  overrides.set('/users/dot/tokens', { tokens: [{ token: '..', provider_key: 'expo' }] })
  const { code, out } = await copy(['--only', 'users', '--users', fileOf('dot\n..\n')])
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('users dot: device token: The id ".." cannot stand in a path'),
  ])
  expect(out).toContain('users ..: The id ".." cannot stand in a path')
  expect((await target.client.profiles.get('dot')).profile.email).toBe('dot@example.com')
})

test('events wait for their templates, and an event of this server stays', async () => {
  const { client } = target
  overrides.set('/events', {
    results: [
      { event: 'EARLY', id: 'not-here' },
      { event: 'welcome', id: templateId },
    ],
  })
  const before = await client.events.get('welcome')
  const { code, out } = await copy(['--only', 'events'])
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('events EARLY: Its template `not-here` is not on this server'),
  ])
  expect(await client.events.get('welcome')).toEqual(before)
  await copy(['--only', 'events', '--overwrite'])
  expect((await client.events.get('welcome')).id).toBe((await client.notifications.get('order')).id)
  await client.events.put('welcome', { id: before.id, type: 'notification' })
})

test('--overwrite replaces a template, and keeps its id', async () => {
  const { client } = target
  const before = await client.notifications.get('order')
  await client.notifications.replace(before.id, {
    notification: { name: 'Mine', alias: 'order', content: { title: 'Mine', body: 'Mine' } },
    state: 'PUBLISHED',
  })
  const welcome = (await client.events.get('welcome')).id
  await client.events.put(templateId, { id: welcome, type: 'notification' })
  await copy(['--only', 'templates'])
  expect((await client.notifications.get('order')).name).toBe('Mine')
  expect((await client.events.get(templateId)).id).toBe(welcome)
  await copy(['--only', 'templates', '--overwrite'])
  expect(await client.notifications.get('order')).toMatchObject({ name: 'Order', id: before.id })
  expect((await client.events.get(templateId)).id).toBe(before.id)
})

test('a template of this server with the same alias is not that of the source', async () => {
  const { client } = target
  const notification = { name: 'Of this server', alias: 'taken', content: { title: 'Here', body: 'Here' } }
  const { id } = await client.notifications.create({ notification })
  overrides.set('/notifications', { paging: { more: false }, results: [{ id: 'source-7', name: 'Of the source' }] })
  overrides.set('/notifications/source-7', {
    ...{ id: 'source-7', alias: 'taken', name: 'Of the source', state: 'PUBLISHED' },
    content: { version: '2022-01-01', elements: [{ type: 'text', content: 'There' }] },
  })
  const { code, out } = await copy(['--only', 'templates'])
  expect([code, out]).toEqual([1, expect.stringContaining('Another template of this server has the alias `taken`')])
  await expect(client.events.get('source-7')).rejects.toMatchObject({ kind: 'not_found' })
  expect((await client.notifications.get('taken')).id).toBe(id)
})

test('a list without an end is not read for ever', async () => {
  overrides.set('/lists', { paging: { more: true, cursor: 'a' }, items: [] })
  overrides.set('/lists?cursor=a', { paging: { more: true, cursor: 'b' }, items: [] })
  overrides.set('/lists?cursor=b', { paging: { more: true, cursor: 'a' }, items: [] })
  const { code, err } = await copy(['--only', 'lists'])
  expect([code, err]).toEqual([1, expect.stringContaining('The reply to GET /lists has the same cursor twice')])
})

test('a copy that ends in the middle of a user is completed by a repetition', async () => {
  const { client } = target
  overrides.set('/lists/news/subscriptions', { paging: { more: false }, items: [{ recipientId: 'tim' }] })
  overrides.set('/profiles/tim', { profile: { email: 'tim@example.com' } })
  overrides.set('/users/tim/tokens', { tokens: [{ token: 't1', provider_key: 'expo' }] })
  forbidden.add('/users/tim/preferences')
  const { code, err } = await copy(['--only', 'users'])
  expect([code, err]).toEqual([1, expect.stringContaining('rejected the API key')])
  await expect(client.profiles.get('tim')).rejects.toMatchObject({ kind: 'not_found' })
  forbidden.clear()
  expect((await copy(['--only', 'users'])).out).toMatch(/\nusers +1 +\d+ +0\n/)
  expect((await client.deviceTokens.list('tim')).tokens).toHaveLength(1)
})

test('an id that the source does not have makes no user here', async () => {
  const { code, out } = await copy(['--only', 'users', '--users', fileOf('id\nada\n')])
  expect([code, out]).toEqual([1, expect.stringContaining('users id: The other server has nothing of this user')])
  await expect(target.client.profiles.get('id')).rejects.toMatchObject({ kind: 'not_found' })
})

test('a list that the source does not have is named', async () => {
  overrides.set('/routing-strategies', ABSENT)
  const { code, out } = await copy(['--only', 'routing-strategies'])
  expect([code, out]).toEqual([0, expect.stringContaining('does not have, or not for this key: routing-strategies.')])
})

test('wrong keys, addresses and kinds are named before anything is written', async () => {
  const wrongKey = await copy([], { POSTRIDER_SOURCE_API_KEY: 'nope' })
  expect([wrongKey.code, wrongKey.err]).toEqual([
    1,
    expect.stringContaining(`The server at ${address()} rejected the API key`),
  ])
  const noKey = await copy([], { POSTRIDER_SOURCE_API_KEY: '' })
  expect([noKey.code, noKey.err]).toEqual([2, expect.stringContaining('hint: Set POSTRIDER_SOURCE_API_KEY.')])
  const kind = await copy(['--only', 'userz'])
  expect([kind.code, kind.err]).toEqual([2, expect.stringContaining('Unknown kind `userz`. The kinds are brands, ')])
  const draftKey = await copy([], { POSTRIDER_API_KEY: (await target.key('draft')).apiKey })
  expect([draftKey.code, draftKey.err]).toEqual([2, expect.stringContaining('cannot write everything that is copied')])
  const page = await run(['copy', `${address()}/nowhere`], {
    env: { POSTRIDER_URL: target.url, POSTRIDER_API_KEY: copyKey, POSTRIDER_SOURCE_API_KEY: sourceKey },
  })
  expect([page.code, page.err]).toEqual([1, expect.stringContaining('has no list of this API')])
  const itself = await run(['copy', target.url], {
    env: { POSTRIDER_URL: target.url, POSTRIDER_API_KEY: copyKey, POSTRIDER_SOURCE_API_KEY: copyKey },
  })
  expect([itself.code, itself.err]).toEqual([2, expect.stringContaining('The other server is this one')])
  const secret = await run(['copy', 'http://me:secret@127.0.0.1:1'], { env: { POSTRIDER_URL: target.url } })
  expect([secret.code, secret.err]).toEqual([2, expect.not.stringContaining('secret')])
  const scheme = await run(['copy', 'api.courier.com'], { env: { POSTRIDER_URL: target.url } })
  expect([scheme.code, scheme.err]).toEqual([2, expect.stringContaining('`api.courier.com` is not an address')])
})
