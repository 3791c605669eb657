/**
 * An official SDK with a key that was used: the same send and one with other content get the first reply, one for another
 * recipient an error.
 * @module-tag safety
 */
import { CourierClient as Courier3 } from 'courier3'
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { rejectedCalls } from '../../system/figures.ts'
import { publish } from '../../system/templates.ts'

type Send = (recipient: string, data: Record<string, unknown>, idempotencyKey: string) => Promise<unknown>

interface HandWritten {
  send(params: object, config: { idempotencyKey: string }): Promise<unknown>
}

const byHand =
  (client: unknown): Send =>
  (recipientId, data, idempotencyKey) =>
    (client as HandWritten).send({ eventId: 'greeting', recipientId, data }, { idempotencyKey })

const message = (user_id: string, data: Record<string, unknown>) => ({
  message: { to: { user_id }, template: 'greeting', data },
})

const sends: [string, (baseUrl: string, apiKey: string) => Send][] = [
  ['3.16', (baseUrl, authorizationToken) => byHand(Courier3({ baseUrl, authorizationToken }))],
  ['5.7', (baseUrl, authorizationToken) => byHand(Courier5({ baseUrl, authorizationToken }))],
  [
    '6.6',
    (baseUrl, authorizationToken) => {
      const client = new Courier6({ authorizationToken, environment: baseUrl } as never)
      return (user, data, idempotencyKey) => client.send(message(user, data) as never, { idempotencyKey })
    },
  ],
  [
    '7.10',
    (baseURL, apiKey) => {
      const client = new Courier7({ baseURL, apiKey })
      return (user, data, key) =>
        client.send.message(message(user, data) as never, { headers: { 'Idempotency-Key': key } })
    },
  ],
]

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    await publish(app.client, 'greeting', { channels: ['email'] })
  })

  describe.each(sends)('generation %s', (name, open) => {
    const key = `key-${name}`
    const of = async (recipient: string) => (await app.client.messages.list({ recipient })).results.length
    let send: Send
    beforeAll(() => {
      send = open(app.url, app.apiKey)
    })

    test('the first reply again, also to other content; an error for another recipient, once', async () => {
      const first = await send(`ada-${name}`, { at: 1 }, key)
      expect(await send(`ada-${name}`, { at: 1 }, key)).toEqual(first)
      expect(await send(`ada-${name}`, { at: 2 }, key)).toEqual(first)
      const before = await rejectedCalls(app.url, 'send.send')
      await expect(send(`bea-${name}`, { at: 1 }, key)).rejects.toThrow()
      // A generation that repeats a 409 gets `x-should-retry: false`.
      expect((await rejectedCalls(app.url, 'send.send')) - before).toBe(1)
      expect([await of(`ada-${name}`), await of(`bea-${name}`)]).toEqual([1, 0])
    })
  })
})
