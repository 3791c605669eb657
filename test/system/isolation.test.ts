/**
 * Two environments never see each other: not through filters, cursors, names or sends.
 * @module-tag safety
 */
import type { Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, type KeyedClient, sendAndSettle, withApp } from '../support/app.ts'
import { publish } from './templates.ts'

interface Owned {
  user: string
  event: string
  notification: string
  message: string
}

/** Resources that can be found by name, with names that only their owner uses. */
async function prepareEnvironment(client: Postrider, name: string): Promise<Owned> {
  const [user, event] = [`${name}-user`, `${name}-event`]
  const notification = await publish(client, event, { channels: ['email'], alias: `${name}-alias` })
  await client.profiles.replace(user, { profile: { email: `${name}@example.com` } })
  const { id: message } = await sendAndSettle(client, { event, recipient: user })
  return { user, event, notification, message }
}

withApp((open) => {
  let app: App
  let otherEnvironment: KeyedClient
  let owned: Owned

  beforeAll(async () => {
    app = await open()
    otherEnvironment = await app.key('published', 'test')
    owned = await prepareEnvironment(app.client, 'ours')
  })

  test('no filter of another environment finds anything of the owner', async () => {
    const { client } = otherEnvironment
    expect((await client.messages.list({ messageId: owned.message })).results).toEqual([])
    expect((await client.messages.list({ recipient: owned.user })).results).toEqual([])
    expect((await client.messages.list({ notification: owned.notification })).results).toEqual([])
    expect((await client.mailbox.list({ message_id: owned.message })).results).toEqual([])
    const ours = await app.client.messages.list({ recipient: owned.user })
    expect(ours.results.map(({ id }) => id)).toEqual([owned.message])
  })

  test('a cursor of the owner gives another environment rows of its own only', async () => {
    for (let count = 0; count < 11; count += 1)
      await app.client.send({ event: 'ours-event', recipient: owned.user, delay: { duration: 600_000 } })
    const { paging } = await app.client.messages.list()
    expect(paging.more).toBe(true)
    const theirs = await otherEnvironment.client.messages.list({ cursor: paging.cursor! })
    for (const { recipient } of theirs.results) expect(recipient).not.toBe(owned.user)
  })

  test('a name of the owner sends nothing of the owner for another environment', async () => {
    for (const event of [owned.event, owned.notification, 'ours-alias']) {
      const message = await sendAndSettle(otherEnvironment.client, { event, recipient: owned.user })
      expect(message.status).toBe('UNMAPPED')
    }
    const explained = await otherEnvironment.client.explain({ event: 'welcome', recipient: owned.user })
    expect(JSON.stringify(explained)).not.toContain('ours@example.com')
  })

  test('the same names can be used on both sides', async () => {
    await publish(otherEnvironment.client, owned.event, { channels: ['email'], alias: 'ours-alias' })
    const profile = { email: 'theirs@example.com' }
    await otherEnvironment.client.profiles.replace(owned.user, { profile })
    expect((await app.client.profiles.get(owned.user)).profile).toEqual({ email: 'ours@example.com' })
    expect((await otherEnvironment.client.profiles.get(owned.user)).profile).toEqual(profile)
  })
})
