/** Configuration changes while messages are on their way: none is decided on something half forgotten. */
import { expect, test } from 'vitest'
import { settled, withApp } from '../support/app.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  test('no mapped event is lost while other events are mapped and unknown ones are sent', async () => {
    const app = await open()
    const { client } = app
    const names = ['one', 'two', 'three']
    const id = await publish(client, 'one', { channels: ['inbox'] })
    for (const name of names) await client.events.put(name, { id, type: 'notification' })
    let sending = true
    const changes = (async () => {
      for (let n = 0; sending; n += 1) await client.events.put(`other-${n % 5}`, { id, type: 'notification' })
    })()
    const sent = await Promise.all(
      Array.from({ length: 240 }, async (_, n) => {
        const event = n % 4 === 0 ? `nothing-${n}` : (names[n % 3] ?? 'one')
        return { event, id: (await client.send({ event, recipient: `user-${n}` })).messageId }
      }),
    )
    const ended = await Promise.all(
      sent.map(async ({ event, id }) => ({ event, status: (await settled(client, id)).status })),
    )
    sending = false
    await changes
    expect(ended.filter(({ event, status }) => !event.startsWith('nothing') && status !== 'DELIVERED')).toEqual([])
    expect(ended.filter(({ event, status }) => event.startsWith('nothing') && status !== 'UNMAPPED')).toEqual([])
  })

  test('a way that a routing names twice is gone once', async () => {
    const app = await open()
    const { client } = app
    const sink = await startRecorder()
    await integrate(client, { provider: 'webhook', settings: { url: sink.url } })
    const event = await publish(client, 'both', {
      routing: { method: 'all', channels: ['webhook', 'inbox', 'webhook'] },
    })
    const { messageId } = await client.send({ event, recipient: 'ada' })
    const message = await until(
      () => client.messages.get(messageId),
      ({ providers }) => providers.length === 2,
    )
    expect(sink.all).toHaveLength(1)
    expect(message.providers.map(({ provider, status }) => [provider, status])).toEqual([
      ['webhook', 'DELIVERED'],
      ['mailbox', 'DELIVERED'],
    ])
    await sink.close()
  })

  test('deciding again for one candidate does not affect an at-most-once call of another candidate', async () => {
    const app = await open()
    const { client } = app
    const [slow, refusing, second] = await Promise.all([startRecorder(), startRecorder(), startRecorder()])
    const releaseSlow = slow.hold(() => true, { status: 201, body: { sid: 'SM1' } })
    // Longer than loaded facts are kept: the next attempt is decided anew, while the text message is still in flight.
    refusing.answer(() => true, { status: 400, delayMs: 1_300 })
    const twilio = { accountSid: 'AC1', authToken: 'token', from: '+12025550100', baseUrl: slow.url }
    await integrate(client, { provider: 'twilio', settings: twilio })
    await integrate(client, { provider: 'webhook', settings: { url: refusing.url }, priority: 1 })
    await integrate(client, { provider: 'webhook', settings: { url: second.url }, priority: 2 })
    const event = await publish(client, 'once', {
      routing: { method: 'all', channels: ['sms', 'webhook'] },
      settings: { delivery_policy: 'at_most_once' },
    })
    const { messageId } = await client.send({ event, recipient: 'ada', profile: { phone_number: '+12025550123' } })
    await second.waitForCount(1)
    releaseSlow()
    const message = await until(
      () => client.messages.get(messageId),
      ({ providers }) => providers.filter(({ status }) => status !== 'UNDELIVERABLE').length === 2,
    )
    expect(message.providers.map(({ provider, status }) => [provider, status])).toEqual([
      ['twilio', 'SENT'],
      ['webhook', 'UNDELIVERABLE'],
      ['webhook', 'DELIVERED'],
    ])
    expect([slow.all.length, refusing.all.length, second.all.length]).toEqual([1, 1, 1])
    const { results } = await client.messages.history(messageId, { type: 'UNDELIVERABLE' })
    expect(results).toMatchObject([{ integration: { provider: 'webhook' } }])
    await Promise.all([slow.close(), refusing.close(), second.close()])
  })
})
