/** The documented calls of the second send body and of sending to many; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { publish } from '../../system/templates.ts'
import { call, EVENT, ID, nothing, refused } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    await publish(app.client, EVENT, { channels: ['email'] })
  })

  const send = (message: object) => call(app, 'POST', '/send', { body: { message } })
  const pageOf = (query: string, count: number) =>
    until(
      async () => (await call(app, 'GET', `/messages?${query}`)).json.results,
      (results) => results.length >= count,
    )

  test('case 4: one recipient: the request is the message', async () => {
    const answer = await send({ to: { user_id: 'u1' }, template: EVENT, data: {} })
    expect([answer.status, answer.json]).toEqual([202, { requestId: expect.stringMatching(ID) }])
    const message = await call(app, 'GET', `/messages/${answer.json.requestId}`)
    expect([message.status, message.json.recipient]).toEqual([200, 'u1'])
  })

  test('case 5: without content and template it is refused with the documented message', async () => {
    const answer = await send({ to: { email: 'a@b.c' } })
    refused(answer, 400)
    expect(answer.json.message).toBe("Invalid Request. Either 'content' or 'template' must be defined.")
  })

  test('case 6: 501 recipients are refused by both numbers', async () => {
    const to = Array.from({ length: 501 }, (_, n) => ({ user_id: `u${n}` }))
    const answer = await send({ to, template: EVENT })
    refused(answer, 400)
    expect(answer.json.message).toMatch(/\b501\b.*\b500\b/)
  })

  test('case 7: two recipients: two messages, found by the request', async () => {
    const answer = await send({ to: [{ user_id: 'u1' }, { user_id: 'u2' }], template: EVENT })
    const { requestId } = answer.json
    expect(answer.status).toBe(202)
    const none = await call(app, 'GET', `/messages/${requestId}`)
    refused(none, 404)
    expect(none.json.message).toBe('Message not found')
    const messages = await pageOf(`traceId=${requestId}`, 2)
    expect(messages.map(({ recipient }: { recipient: string }) => recipient).sort()).toEqual(['u1', 'u2'])
  })

  test('case 8: a send to a list makes a message for each subscriber, with the list in it', async () => {
    const recipients = ['r1', 'r2', 'r3'].map((recipientId) => ({ recipientId }))
    nothing(await call(app, 'PUT', '/lists/ExampleListId/subscriptions', { body: { recipients } }))
    const answer = await call(app, 'POST', '/send/list', { body: { list: 'ExampleListId', event: EVENT } })
    expect([answer.status, answer.json]).toEqual([200, { messageId: expect.stringMatching(ID) }])
    const messages = await pageOf('list=ExampleListId', 3)
    expect(messages).toHaveLength(3)
    for (const message of messages)
      expect(message).toMatchObject({ listId: 'ExampleListId', listMessageId: answer.json.messageId })
  })
})
