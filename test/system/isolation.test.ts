/** Two environments never see each other: to a stranger a foreign id is exactly a missing one, in every operation. */
import { operations } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { ownParams, pathWith } from '../support/fixtures.ts'
import { type Answer, eachHouse, type House, type Keyed, sendAndSettle } from './house.ts'
import { publish } from './templates.ts'

/** Every operation that names something by an id. */
const named = operations.filter(({ params }) => params !== undefined)

interface Owned {
  ids: Record<string, string>
  /** Of each operation, with what its path names. */
  params: Map<string, Record<string, string>>
}

const MISSING = '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5'

/** One of everything, with names that only its owner uses. */
async function furnish(house: House, name: string): Promise<Owned> {
  const { client } = house
  const notification = await publish(client, `${name}-event`, { channels: ['email'], alias: `${name}-alias` })
  await client.profiles.replace(`${name}-user`, { profile: { email: `${name}@example.com` } })
  const integration = await client.providers.create({
    provider: 'twilio',
    settings: { accountSid: 'A', authToken: 't' },
  })
  const message = await sendAndSettle(client, { event: `${name}-event`, recipient: `${name}-user` })
  await client.lists.put(`${name}.list`, { name: `${name} alone` })
  await client.lists.subscribe(`${name}.list`, `${name}-user`)
  const kept = (await client.mailbox.list({ message_id: message.id })).results[0]
  const key = await client.keys.create()
  const ids = {
    profiles: `${name}-user`,
    lists: `${name}.list`,
    events: `${name}-event`,
    messages: message.id,
    notifications: notification,
    providers: integration.id,
    keys: key.id,
    mailbox: kept!.id,
  }
  const here = Object.entries(ids).map(([resource, id]) => {
    const parameter = Object.keys(operations.find((one) => one.id === `${resource}.get`)?.params?.properties ?? {})[0]
    return [`${resource}.${parameter ?? 'id'}`, async () => id] as const
  })
  const params = new Map<string, Record<string, string>>()
  for (const operation of named)
    params.set(operation.id, await ownParams(operation, house, name, Object.fromEntries(here)))
  return { ids, params }
}

/** Ids of nobody in place of what has an owner. */
const missingOf = (own: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, name === 'render_id' || name === 'part' ? value : MISSING]),
  )

eachHouse((open) => {
  let house: House
  let stranger: Keyed
  let owned: Owned

  beforeAll(async () => {
    house = await open()
    stranger = await house.key('published', 'test')
    owned = await furnish(house, 'ours')
  })

  const everything = async () => {
    const { client } = house
    const { ids } = owned
    return JSON.stringify([
      await client.profiles.get(ids.profiles!),
      await client.profiles.lists(ids.profiles!),
      await client.lists.get(ids.lists!),
      await client.lists.subscriptions(ids.lists!),
      await client.events.get(ids.events!),
      await client.messages.get(ids.messages!),
      await client.messages.history(ids.messages!),
      await client.notifications.get(ids.notifications!),
      await client.notifications.versions(ids.notifications!),
      await client.providers.get(ids.providers!),
      await client.keys.list(),
      await client.mailbox.get(ids.mailbox!),
      await client.tenants.list(),
      await client.memberships.list('ours-user'),
      await client.deviceTokens.list('ours-user'),
      await client.preferences.get('ours-user'),
      await client.preferences.topics('ours-user'),
      await client.sections.list(),
    ])
  }
  // What the reply repeats of the path beside the request id differs.
  const shown = ({ status, text, headers }: Answer, params: Record<string, string>) => ({
    status,
    text: Object.values(params).reduce((said, value) => said.replaceAll(value, '*'), text),
    type: headers.get('content-type'),
  })

  const cases = named.map((operation) => [operation.id, operation] as const)

  test.each(cases)('%s: a foreign id is answered like a missing one, and stays untouched', async (_id, operation) => {
    const before = await everything()
    const { body } = operation.example ?? {}
    const own = owned.params.get(operation.id) ?? {}
    const ask = async (params: Record<string, string>) => {
      const answer = await house.ask(operation.method, pathWith(operation.path, params), {
        apiKey: stranger.apiKey,
        ...(body === undefined ? {} : { body }),
      })
      return shown(answer, params)
    }
    expect(await ask(own)).toEqual(await ask(missingOf(own)))
    expect(await everything()).toBe(before)
  })

  const reads = cases.filter(([, { method }]) => method === 'GET')

  test.each(reads)('%s: its owner is answered', async (_id, operation) => {
    const path = pathWith(operation.path, owned.params.get(operation.id) ?? {})
    expect((await house.ask('GET', path)).status).toBe(200)
  })

  test('no list of a stranger shows anything of ours', async () => {
    const lists = operations.filter(({ id, params }) => /\.list$/.test(id) && !params)
    expect(lists.length).toBeGreaterThan(5)
    // Whoever writes to a list makes it: the stranger has one with the id of ours, and with another name.
    const { lists: _made, ...ids } = owned.ids
    for (const { path } of lists) {
      const answer = await house.ask('GET', path, { apiKey: stranger.apiKey })
      expect(answer.status).toBe(200)
      for (const id of [...Object.values(ids), 'ours-alias', 'ours alone', 'ours-tenant'])
        expect(answer.text).not.toContain(id)
    }
  })

  test('no filter of a stranger finds anything of ours', async () => {
    const { ids } = owned
    const { client } = stranger
    expect((await client.messages.list({ messageId: ids.messages! })).results).toEqual([])
    expect((await client.messages.list({ recipient: ids.profiles! })).results).toEqual([])
    expect((await client.messages.list({ notification: ids.notifications! })).results).toEqual([])
    expect((await client.mailbox.list({ message_id: ids.messages! })).results).toEqual([])
    const ours = await house.client.messages.list({ recipient: ids.profiles! })
    expect(ours.results.map(({ id }) => id)).toEqual([ids.messages])
  })

  test('a cursor of ours gives a stranger rows of his own only', async () => {
    const { ids } = owned
    for (let count = 0; count < 11; count += 1)
      await house.client.send({ event: 'ours-event', recipient: ids.profiles!, delay: { duration: 600_000 } })
    const { paging } = await house.client.messages.list()
    expect(paging.more).toBe(true)
    const theirs = await stranger.client.messages.list({ cursor: paging.cursor! })
    for (const { recipient } of theirs.results) expect(recipient).not.toBe(ids.profiles)
  })

  test('a name of ours sends nothing of ours for a stranger', async () => {
    for (const event of [owned.ids.events!, owned.ids.notifications!, 'ours-alias']) {
      const message = await sendAndSettle(stranger.client, { event, recipient: owned.ids.profiles! })
      expect(message.status).toBe('UNMAPPED')
    }
    const explained = await stranger.client.explain({ event: 'welcome', recipient: owned.ids.profiles! })
    expect(JSON.stringify(explained)).not.toContain('ours@example.com')
  })

  test('the same names can be used on both sides', async () => {
    await publish(stranger.client, owned.ids.events!, { channels: ['email'], alias: 'ours-alias' })
    const profile = { email: 'theirs@example.com' }
    await stranger.client.profiles.replace(owned.ids.profiles!, { profile })
    expect((await house.client.profiles.get(owned.ids.profiles!)).profile).toEqual({ email: 'ours@example.com' })
    expect((await stranger.client.profiles.get(owned.ids.profiles!)).profile).toEqual(profile)
  })
})
