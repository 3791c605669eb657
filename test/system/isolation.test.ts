/** Two environments never see each other: to a stranger a foreign id is exactly a missing one, in every operation. */
import type { Postrider } from '@postrider/client'
import { type Operation, operations } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { type Answer, eachHouse, type House, type Keyed, sendAndSettle } from './house.ts'
import { publish } from './templates.ts'

/** Every operation that names something by an id. */
const named = operations.filter(({ params }) => params !== undefined)

interface Owned {
  ids: Record<string, string>
  render: string
}

const MISSING = '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5'

/** One of everything, with names that only its owner uses. */
async function furnish(client: Postrider, name: string): Promise<Owned> {
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
  return {
    ids: {
      profiles: `${name}-user`,
      lists: `${name}.list`,
      events: `${name}-event`,
      messages: message.id,
      notifications: notification,
      providers: integration.id,
      keys: key.id,
      mailbox: kept!.id,
    },
    render: '0',
  }
}

function pathOf({ id, path }: Operation, { ids, render }: Owned, foreign: boolean): string {
  const own = foreign ? ids[id.split('.')[0] ?? ''] : MISSING
  if (own === undefined) throw new Error(`No id is known for ${id}`)
  return path.replace(':render_id', render).replace(':part', 'text').replace(/:\w+/, encodeURIComponent(own))
}

eachHouse((open) => {
  let house: House
  let stranger: Keyed
  let owned: Owned

  beforeAll(async () => {
    house = await open()
    stranger = await house.key('published', 'test')
    owned = await furnish(house.client, 'ours')
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
    ])
  }
  // The reply repeats nothing of the request beside the request id.
  const shown = ({ status, text, headers }: Answer) => ({ status, text, type: headers.get('content-type') })

  const cases = named.map((operation) => [operation.id, operation] as const)

  test.each(cases)('%s: a foreign id is answered like a missing one, and stays untouched', async (_id, operation) => {
    const before = await everything()
    const { body } = operation.example ?? {}
    const ask = (foreign: boolean) =>
      house.ask(operation.method, pathOf(operation, owned, foreign), {
        apiKey: stranger.apiKey,
        ...(body === undefined ? {} : { body }),
      })
    const missing = await ask(false)
    const foreign = await ask(true)
    expect(shown(foreign)).toEqual(shown(missing))
    expect(await everything()).toBe(before)
  })

  const reads = cases.filter(([, { method }]) => method === 'GET')

  test.each(reads)('%s: its owner is answered', async (_id, operation) => {
    expect((await house.ask('GET', pathOf(operation, owned, true))).status).toBe(200)
  })

  test('no list of a stranger shows anything of ours', async () => {
    const lists = operations.filter(({ id, params }) => /\.list$/.test(id) && !params)
    expect(lists.length).toBeGreaterThan(5)
    // Whoever writes to a list makes it: the stranger has one with the id of ours, and with another name.
    const { lists: _made, ...ids } = owned.ids
    for (const { path } of lists) {
      const answer = await house.ask('GET', path, { apiKey: stranger.apiKey })
      expect(answer.status).toBe(200)
      for (const id of [...Object.values(ids), 'ours-alias', 'ours alone']) expect(answer.text).not.toContain(id)
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
