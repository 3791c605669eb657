/** `postrider copy` between two servers: whatever applies to a user there applies here, also after a copy that ended anywhere. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { publish } from '../system/templates.ts'
import { run } from './in-process.ts'

let source: App
let target: App
/** Stands before the target, and refuses writes from one of them on. */
let gate: Server
let writes = 0
let refusedFrom = Number.POSITIVE_INFINITY
let copyKey: string
let offers: string
let account: string
let news: string
let order: string

beforeAll(async () => {
  ;[source, target] = await Promise.all([openApp(), openApp()])
  copyKey = (await target.key('published')).apiKey
  gate = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'GET') writes += 1
    if (request.method !== 'GET' && writes >= refusedFrom) {
      response.writeHead(403).end('{"message":"Forbidden","type":"authorization_error"}')
      return
    }
    const { method = 'GET', url } = request
    const headers = new Headers({ authorization: request.headers.authorization ?? '' })
    for (const name of ['content-type', 'if-none-match', 'idempotency-key'])
      if (request.headers[name] !== undefined) headers.set(name, String(request.headers[name]))
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const reply = await fetch(`${target.url}${url}`, { method, headers, ...body })
    const text = await reply.text()
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text)
  }).listen(0, '127.0.0.1')
  await fill(source.client)
})
afterAll(async () => {
  gate.close()
  await Promise.all([source.stop(), target.stop()])
})

const users = ['ada', 'grace', 'alan', 'edith', 'mary']
const tenants = ['acme', 'branch']

async function fill(client: Postrider): Promise<void> {
  const { id: section } = await client.sections.create({ name: 'Shop' })
  const topic = async (name: string, default_status: 'OPTED_IN' | 'OPTED_OUT') =>
    (await client.topics.create(section, { name, default_status })).id
  offers = await topic('Offers', 'OPTED_IN')
  account = await topic('Account', 'OPTED_OUT')
  news = await topic('News', 'OPTED_IN')
  order = await publish(client, 'order', {
    content: { title: 'Order', body: 'On its way' },
    subscription: { topic_id: offers },
  })
  await client.tenants.put('acme', {
    ...{ name: 'Acme', properties: { plan: 'gold' }, user_profile: { locale: 'de' } },
    default_preferences: { items: [{ id: news, status: 'OPTED_OUT' }] },
  })
  await client.tenants.put('branch', { name: 'Branch', parent_tenant_id: 'acme' })
  await client.lists.put('team', { name: 'Team', preferences: { notifications: { [order]: { status: 'OPTED_OUT' } } } })
  for (const id of users) await fillUser(client, id)
  await client.profiles.subscribe('alan', {
    lists: [{ listId: 'club', preferences: { notifications: { [order]: { status: 'OPTED_OUT' } } } }],
  })
  await client.audiences.put('gold', {
    name: 'Gold',
    operator: 'OR',
    filter: { operator: 'EQ', path: 'plan', value: 'gold' },
  })
  await client.topics.replace(section, news, { name: 'News', default_status: 'OPTED_IN', topic_data: { color: 'red' } })
  await client.brands.create({
    id: 'shop',
    name: 'Shop',
    settings: {},
    snippets: { items: [{ name: 'sign', value: 'Bye' }] },
  })
  await client.notifications.create({
    notification: { name: 'Next', alias: 'next', content: { title: 'Soon', body: 'Wait' } },
  })
  await client.preferences.merge('ada', {
    notifications: { [order]: { status: 'OPTED_OUT' } },
    categories: { ads: { status: 'OPTED_OUT' } },
  })
}

async function fillUser(client: Postrider, id: string): Promise<void> {
  await client.profiles.replace(id, { profile: { email: `${id}@example.com`, nested: { [id]: [1, null] } } })
  await client.memberships.add(id, {
    tenants: [{ tenant_id: 'acme', profile: { desk: id } }, { tenant_id: 'branch' }],
  })
  await client.deviceTokens.put(id, `token-${id}`, { provider_key: 'expo', expiry_date: '2099-01-01T00:00:00.000Z' })
  await client.profiles.subscribe(id, { lists: [{ listId: 'team' }] })
  // The default of the topic, and the opposite of what the user chose elsewhere.
  await client.preferences.putTopic(id, account, { topic: { status: 'OPTED_IN' } })
  await client.preferences.putTopic(id, account, { topic: { status: 'OPTED_OUT' } }, { tenant_id: 'acme' })
  await client.preferences.putTopic(id, news, { topic: { status: 'OPTED_IN' } }, { tenant_id: 'branch' })
  await client.preferences.putTopic(id, offers, {
    topic: { status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['sms', 'email'] },
  })
}

const copy = (...args: string[]) =>
  run(['copy', source.url, ...args], {
    env: {
      ...{ POSTRIDER_URL: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`, POSTRIDER_API_KEY: copyKey },
      POSTRIDER_SOURCE_API_KEY: source.apiKey,
    },
  })

/** Everything of a user, without times. */
async function stateOf({ client }: App, id: string) {
  const topics = async (query: { tenant_id?: string } = {}) =>
    (await client.preferences.topics(id, query)).items
      .map(({ topic_id, status, custom_routing }) => [topic_id, status, custom_routing])
      .sort()
  const lists: unknown[] = []
  for await (const list of client.profiles.lists(id))
    lists.push([list.id, Object.values(list.preferences?.notifications ?? {})])
  return {
    profile: (await client.profiles.get(id)).profile,
    topics: await topics(),
    tenants: await Promise.all(tenants.map((tenant_id) => topics({ tenant_id }))),
    memberships: (await client.memberships.list(id)).items,
    tokens: (await client.deviceTokens.list(id)).tokens.map(({ token, expiry_date, status }) => [
      token,
      expiry_date,
      status,
    ]),
    lists,
    preferences: await withoutIds(client, id),
  }
}

/** Preferences by template and category, the template by its name. */
async function withoutIds(client: Postrider, id: string) {
  const { notifications, categories } = await client.preferences.get(id)
  const named = Object.entries(notifications ?? {}).map(async ([template, choice]) => [
    (await client.notifications.get(template)).name,
    choice,
  ])
  return { notifications: await Promise.all(named), categories }
}

/** How messages to the user are decided, by the name that programs have for the template, and in a tenant. */
async function decisionsOf({ client }: App, id: string) {
  const contexts = [{}, { context: { tenant_id: 'acme' } }]
  return Promise.all(
    contexts.map(async (context) => {
      const { decision } = await client.explain({ message: { to: { user_id: id, ...context }, template: order } })
      return [decision.status, decision.reason]
    }),
  )
}

test('a copy that ends after every one of its writes is completed by repetitions', {
  timeout: 60_000,
}, async () => {
  refusedFrom = 2
  let runs = 0
  for (let code = 1; code !== 0; runs += 1) {
    writes = 0
    const result = await copy('--concurrency', '1')
    code = result.code
    expect(code === 0 ? '' : result.err).toMatch(code === 0 ? /^$/ : /Forbidden/)
    expect(runs).toBeLessThan(100)
  }
  expect(runs).toBeGreaterThan(30)
  refusedFrom = Number.POSITIVE_INFINITY
  expect(writes).toBeLessThanOrEqual(1)
  for (const id of users) {
    expect(await stateOf(target, id)).toEqual(await stateOf(source, id))
    expect(await decisionsOf(target, id)).toEqual(await decisionsOf(source, id))
  }
  expect(await decisionsOf(target, 'ada')).toEqual([
    expect.arrayContaining(['UNSUBSCRIBED']),
    expect.arrayContaining(['UNSUBSCRIBED']),
  ])
})

test('a user arrives in one run as well', async () => {
  await fillUser(source.client, 'tim')
  writes = 0
  expect((await copy('--only', 'users', '--json')).code).toBe(0)
  expect(writes).toBeLessThan(12)
  expect(await stateOf(target, 'tim')).toEqual(await stateOf(source, 'tim'))
})

const copyUsers = async () => expect((await copy('--json')).code).toBe(0)
const statusHere = async (id: string, topic: string, query: { tenant_id?: string } = {}) =>
  (await target.client.preferences.topic(id, topic, query)).topic.status

test('an opt-out arrives however it came about', async () => {
  const [there, here] = [source.client, target.client]
  // No profile, and no choice but by template.
  await there.profiles.subscribe('vera', { lists: [{ listId: 'team' }] })
  await there.preferences.merge('vera', { notifications: { [order]: { status: 'OPTED_OUT' } } })
  // Another choice by name was changed here.
  await there.profiles.replace('carl', { profile: {} })
  await there.preferences.merge('carl', { notifications: { [order]: { status: 'OPTED_IN' } } })
  // A choice that is the default here, and not in a tenant.
  const [section] = (await there.sections.list()).results
  const tips = (await there.topics.create(section?.id ?? '', { name: 'Tips', default_status: 'OPTED_IN' })).id
  await here.topics.create(section?.id ?? '', { id: tips, name: 'Tips', default_status: 'OPTED_OUT' })
  await there.tenants.put('late', { name: 'Late', default_preferences: { items: [{ id: tips, status: 'OPTED_IN' }] } })
  await there.profiles.replace('dora', { profile: {} })
  await there.memberships.add('dora', { tenants: [{ tenant_id: 'late' }] })
  await there.preferences.putTopic('dora', tips, { topic: { status: 'OPTED_OUT' } })
  await copyUsers()
  expect(await decisionsOf(target, 'vera')).toEqual(await decisionsOf(source, 'vera'))
  expect(await statusHere('dora', tips, { tenant_id: 'late' })).toBe('OPTED_OUT')
  await here.preferences.merge('carl', { categories: { ads: { status: 'OPTED_OUT' } } })
  await there.preferences.merge('carl', { notifications: { [order]: { status: 'OPTED_OUT' } } })
  // Deleted here, and copied anew.
  await here.profiles.delete('dora')
  await copyUsers()
  expect(await decisionsOf(target, 'carl')).toEqual(await decisionsOf(source, 'carl'))
  expect(await statusHere('dora', tips, { tenant_id: 'late' })).toBe('OPTED_OUT')
})

test('a choice that was made here applies in each tenant', async () => {
  const [there, here] = [source.client, target.client]
  for (const [id, status] of [
    ['anna', 'OPTED_IN'],
    ['bert', 'OPTED_OUT'],
  ] as const) {
    await there.profiles.replace(id, { profile: {} })
    await there.memberships.add(id, { tenants: [{ tenant_id: 'acme' }] })
    await there.preferences.putTopic(id, account, { topic: { status } })
  }
  await there.preferences.putTopic('bert', offers, { topic: { status: 'OPTED_OUT' } })
  await copyUsers()
  expect(await statusHere('bert', offers, { tenant_id: 'acme' })).toBe('OPTED_OUT')
  await here.preferences.putTopic('bert', offers, { topic: { status: 'OPTED_IN' } })
  await here.preferences.putTopic('anna', account, { topic: { status: 'OPTED_OUT' } })
  await here.preferences.putTopic('bert', account, { topic: { status: 'OPTED_IN' } })
  await copyUsers()
  for (const query of [{}, { tenant_id: 'acme' }]) {
    expect(await statusHere('anna', account, query)).toBe('OPTED_OUT')
    expect(await statusHere('bert', account, query)).toBe('OPTED_IN')
    expect(await statusHere('bert', offers, query)).toBe('OPTED_IN')
  }
})

test('users wait for their lists, which have preferences of their own', async () => {
  const { client } = source
  await client.lists.put('late', { name: 'Late', preferences: { notifications: { [order]: { status: 'OPTED_OUT' } } } })
  await client.profiles.replace('lisa', { profile: {} })
  await client.profiles.subscribe('lisa', { lists: [{ listId: 'late' }] })
  const early = await copy('--only', 'users')
  expect([early.code, early.out]).toEqual([
    1,
    expect.stringContaining('users lisa: lists: The list late is not on this server'),
  ])
  await copyUsers()
  expect((await target.client.lists.get('late')).preferences).toBeDefined()
  expect((await target.client.profiles.lists('lisa')).results).toHaveLength(1)
})

test('preferences of a list name the template by its id here', async () => {
  const { id } = await target.client.notifications.get(order)
  const { preferences } = await target.client.lists.get('team')
  expect(preferences).toEqual({ notifications: { [id]: { status: 'OPTED_OUT' } } })
})

test('brands, topics, audiences and drafts come with all of their parts', async () => {
  const [there, here] = [source.client, target.client]
  const parts = async (client: Postrider) => {
    const { items } = (await client.brands.get('shop')).snippets
    const { filter, operator, name } = await client.audiences.get('gold')
    const { state, content } = await client.notifications.get('next')
    const mapped = client === here ? (await client.events.get((await there.notifications.get('next')).id)).id : 'next'
    expect((await client.notifications.get(mapped)).alias).toBe('next')
    const topics = (await client.sections.list()).results.flatMap(({ topics }) =>
      topics.filter(({ id }) => id === news),
    )
    const { default_preferences, user_profile, properties } = await client.tenants.get('acme')
    return {
      ...{ items, filter, operator, name, state, content, default_preferences, user_profile, properties },
      topics: topics.map(({ id, topic_data, default_status }) => [id, topic_data, default_status]),
    }
  }
  expect(await parts(here)).toEqual(await parts(there))
})

test('a repetition writes nothing', async () => {
  writes = 0
  expect((await copy('--json')).code).toBe(0)
  expect(writes).toBe(0)
})
