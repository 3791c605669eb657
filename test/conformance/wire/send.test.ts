/** The documented calls of sending; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { publish } from '../../system/templates.ts'
import { call, EVENT, ID, refused, sendAs } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    await publish(app.client, EVENT, { channels: ['sms', 'email'] })
  })

  const documented = {
    event: EVENT,
    recipient: '8ec8c99a-c5f7-455b-9f60-8222b8a27056',
    profile: { email: 'hello@example.com', phone_number: '2025550125' },
    data: { name: 'Jane Doe', age: 27 },
  }

  test('case 1: the documented call answers with a message id and nothing else', async () => {
    const answer = await call(app, 'POST', '/send', { body: documented })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ messageId: expect.stringMatching(ID) })
  })

  test.each(['application/x-www-form-urlencoded', 'application/json'])('case 2: as a form under %s', async (type) => {
    const fields = {
      event: EVENT,
      recipient: 'form',
      'profile[email]': 'a@b.co',
      'data[name]': 'Jane',
      'data[deep][a]': '1',
    }
    const body = new URLSearchParams(fields).toString()
    const answer = await call(app, 'POST', '/send', { body, headers: { 'content-type': type } })
    expect(answer.status).toBe(200)
    const { json } = await call(app, 'GET', `/messages/${answer.json.messageId}/history?type=ENQUEUED`)
    expect(json.results[0]).toMatchObject({
      profile: { email: 'a@b.co' },
      data: { name: 'Jane', deep: { a: '1' } },
    })
  })

  test('case 3: without a recipient it is refused', async () => {
    refused(await call(app, 'POST', '/send', { body: { event: EVENT } }), 400)
  })

  test('case 9: an unknown event becomes UNMAPPED', async () => {
    const message = await sendAs(app, { event: 'no-such-event', recipient: 'r' })
    expect(message.status).toBe('UNMAPPED')
    const { json } = await call(app, 'GET', `/messages/${message.id}/history`)
    expect(json.results.map(({ type }: { type: string }) => type)).toEqual(['ENQUEUED', 'UNMAPPED'])
  })

  test('case 10: who cannot be reached becomes UNROUTABLE', async () => {
    expect(await sendAs(app, { event: EVENT, recipient: 'r', profile: {} })).toMatchObject({
      status: 'UNROUTABLE',
      // The documented words, `No providers added`, would be untrue: there is one, and no address for it.
      reason: 'INCOMPLETE_PROFILE_DATA',
      error: expect.stringMatching(/^No usable address: .*email \(.+\) needs `email` in the profile$/),
      providers: [],
    })
  })

  test('case 11: who opted out is not sent to', async () => {
    const preferences = { notifications: { [EVENT]: { status: 'OPTED_OUT' } } }
    expect(await sendAs(app, { ...documented, preferences })).toMatchObject({
      status: 'UNDELIVERABLE',
      reason: 'UNSUBSCRIBED',
      error: 'Notification opted out by user',
    })
  })

  test('case 13: of several channels the first that can reach the recipient is used', async () => {
    const used = async (profile: object) =>
      (await sendAs(app, { event: EVENT, recipient: 'r', profile })).providers.map(
        (provider: { channel: { key: string } }) => provider.channel.key,
      )
    expect(await used(documented.profile)).toEqual(['sms'])
    expect(await used({ email: 'a@b.co' })).toEqual(['email'])
  })

  test('case 14: with `all` each channel is used once', async () => {
    await publish(app.client, 'all', { routing: { method: 'all', channels: ['sms', 'email'] } })
    const message = await sendAs(app, { ...documented, event: 'all' })
    await until(
      () => call(app, 'GET', `/mailbox?message_id=${message.id}`),
      ({ json }) => json.results.length === 2,
    )
    const { providers } = (await call(app, 'GET', `/messages/${message.id}`)).json
    expect(providers.map((provider: { channel: { key: string } }) => provider.channel.key).sort()).toEqual([
      'email',
      'sms',
    ])
  })

  test('case 20: the same key answers the same', async () => {
    const headers = { 'idempotency-key': 'case-20' }
    const [first, second] = [
      await call(app, 'POST', '/send', { body: documented, headers }),
      await call(app, 'POST', '/send', { body: documented, headers }),
    ]
    expect([second.status, second.text]).toEqual([first.status, first.text])
  })

  test('case 21: a key whose call has no reply yet is a 409', async () => {
    const burst = (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: 8 }, () => call(app, 'POST', '/send', { body: documented, headers })))
    let tries = 0
    const answers = await until(
      () => burst({ 'idempotency-key': `case-21-${tries++}` }),
      (all) => all.some(({ status }) => status === 409),
    )
    const accepted = answers.filter(({ status }) => status === 200)
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1)
    for (const answer of answers) if (!accepted.includes(answer)) refused(answer, 409)
  })

  test('case 21: a refused call does not use up its key', async () => {
    const headers = { 'idempotency-key': 'case-21' }
    refused(await call(app, 'POST', '/send', { body: { event: EVENT }, headers }), 400)
    expect((await call(app, 'POST', '/send', { body: documented, headers })).status).toBe(200)
  })

  test('case 22: a variable without a value stays as it is written', async () => {
    await publish(app.client, 'greeting', { channels: ['email'], content: { title: 'T', body: 'Hello {name}' } })
    const message = await sendAs(app, { event: 'greeting', recipient: 'r', profile: { email: 'a@b.co' } })
    const { json } = await call(app, 'GET', `/messages/${message.id}/output`)
    expect(json.results[0].content.text).toContain('Hello {name}')
  })

  test('case 23: a loop writes a line for each item', async () => {
    const text = { type: 'text', content: '{{$.item.name}} listed at {{$.item.price}}', loop: 'data.products' }
    await publish(app.client, 'products', {
      channels: ['email'],
      content: { version: '2022-01-01', elements: [text] },
    })
    const products = [
      { name: 'Mouse', price: '$10' },
      { name: 'Keyboard', price: '$20' },
    ]
    const message = await sendAs(app, {
      event: 'products',
      recipient: 'r',
      profile: { email: 'a@b.co' },
      data: { products },
    })
    const { json } = await call(app, 'GET', `/messages/${message.id}/output`)
    const lines = json.results[0].content.text.split('\n').filter((line: string) => line.trim() !== '')
    expect(lines).toEqual(['Mouse listed at $10', 'Keyboard listed at $20'])
  })
})
