/** The official SDKs work as they are: every call they share with this service, in four generations. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../../support/app.ts'
import { rejectedCalls } from '../../system/figures.ts'
import { publish } from '../../system/templates.ts'
import { generations, type SdkClient } from './sdk-clients.ts'

const ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/

withApp((open) => {
  let app: App
  let notification: string

  beforeAll(async () => {
    app = await open()
    notification = await publish(app.client, 'order-shipped', { channels: ['email'], tags: ['orders'] })
  })

  describe.each(generations)('generation $name', ({ name, open: openClient }) => {
    let sdk: SdkClient
    let id: string
    const recipient = `user@${name}|a b`
    const send = {
      event: 'order-shipped',
      recipient,
      profile: { email: 'ada@example.com' },
      data: { name: 'Ada', nested: { list: [1, 2] } },
    }

    beforeAll(async () => {
      sdk = openClient(app.url, app.apiKey)
      id = (await sdk.send(send)).messageId
      await settled(app.client, id)
    })

    test('it sends', async () => {
      expect(id).toMatch(ID)
      expect(await app.client.messages.get(id)).toMatchObject({ status: 'DELIVERED', recipient })
    })

    test('it repeats a send with the same key', async () => {
      const first = await sdk.send(send, `key-${name}`)
      expect(await sdk.send(send, `key-${name}`)).toEqual(first)
      expect(first.messageId).not.toBe(id)
    })

    test('it writes, reads and deletes profiles', async () => {
      const user = `profile@${name}`
      expect(await sdk.replaceProfile(user, { a: 1, deep: { b: 2 } })).toMatchObject({ status: 'SUCCESS' })
      expect(await sdk.mergeProfile(user, { deep: { c: 3 } })).toMatchObject({ status: 'SUCCESS' })
      const profile: Record<string, unknown> = { a: 1, deep: { b: 2, c: 3 } }
      expect(await sdk.getProfile(user)).toMatchObject({ profile })
      if (sdk.patchProfile) {
        await sdk.patchProfile(user, [{ op: 'add', path: '/email', value: 'ada@example.com' }])
        profile.email = 'ada@example.com'
        expect(await sdk.getProfile(user)).toMatchObject({ profile })
      }
      expect((await app.client.profiles.get(user)).profile).toEqual(profile)
      await sdk.deleteProfile(user)
      await expect(sdk.getProfile(user)).rejects.toThrow()
    })

    test('it reads a message, its history and its content', async () => {
      expect(await sdk.message(id)).toMatchObject({
        id,
        status: 'DELIVERED',
        event: 'order-shipped',
        notification,
        recipient,
        enqueued: expect.any(Number),
        delivered: expect.any(Number),
        providers: [{ provider: 'mailbox', status: 'DELIVERED' }],
      })
      const history = (await sdk.history(id)) as { results: { type: string; ts: number }[] }
      expect(history.results.map(({ type }) => type)).toEqual([
        'ENQUEUED',
        'MAPPED',
        'PROFILE_LOADED',
        'RENDERED',
        'SENT',
        'DELIVERED',
      ])
      expect(await sdk.output(id)).toMatchObject({
        results: [{ channel: 'email', content: { subject: 'Hello Ada', blocks: expect.any(Array) } }],
      })
    })

    test('it lists messages and follows the pages', async () => {
      expect(await sdk.messages({ recipient, event: 'order-shipped' })).toMatchObject({
        paging: { more: false },
        results: expect.arrayContaining([expect.objectContaining({ id })]),
      })
      const reader = `reader@${name}`
      for (let n = 0; n < 11; n += 1) await sdk.send({ ...send, recipient: reader })
      type Page = { paging: { more: boolean; cursor?: string }; results: { id: string }[] }
      const first = (await sdk.messages({ recipient: reader })) as Page
      expect(first.paging.more).toBe(true)
      expect(first.results).toHaveLength(10)
      const rest = (await sdk.messages({ recipient: reader, cursor: first.paging.cursor! })) as Page
      expect(rest.paging.more).toBe(false)
      expect(new Set([...first.results, ...rest.results].map((message) => message.id)).size).toBe(11)
    })

    test('it reports an unknown message', async () => {
      const error = await sdk.message('1-65f1a2b3-0a1b2c3d4e5f60718293a4b5').catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      const printed = JSON.stringify([
        String(error),
        error,
        (error as { response?: { data?: unknown } }).response?.data,
      ])
      // Generation 3 has the status only; all others have the message too.
      expect(printed).toMatch(name === '3.16' ? /404/ : /Message not found/)
    })

    test('it lists notifications', async () => {
      expect(await sdk.notifications()).toMatchObject({
        paging: { more: false },
        results: expect.arrayContaining([
          expect.objectContaining({ id: notification, title: 'order-shipped', created_at: expect.any(Number) }),
        ]),
      })
    })

    // The first generation here has no such call.
    const cancels = name === '3.16' ? [] : [name]
    test.each(cancels)('it cancels a waiting message, and gets an error for one that cannot be canceled', async () => {
      const { messageId } = await app.client.send({ ...send, delay: { duration: 600_000 } })
      expect(await sdk.cancel?.(messageId)).toMatchObject({ id: messageId, status: 'CANCELED' })
      const before = await rejectedCalls(app.url, 'messages.cancel')
      await expect(sdk.cancel?.(id)).rejects.toThrow()
      // A generation that repeats every 409 gets `x-should-retry: false`.
      expect((await rejectedCalls(app.url, 'messages.cancel')) - before).toBe(1)
    })
  })
})
