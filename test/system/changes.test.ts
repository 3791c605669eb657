/** Configuration changes while messages are on their way: none is decided on something half forgotten. */
import { expect, test } from 'vitest'
import { startRecorder } from '../support/recorder.ts'
import { eachHouse, sendAndSettle, settled } from './house.ts'
import { integrate, publish } from './templates.ts'

eachHouse((open) => {
  test('no mapped event is lost while other events are mapped and unknown ones are sent', async () => {
    const house = await open()
    const { client } = house
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
    const house = await open()
    const { client } = house
    const sink = await startRecorder()
    await integrate(client, { provider: 'webhook', settings: { url: sink.url } })
    const event = await publish(client, 'both', {
      routing: { method: 'all', channels: ['webhook', 'inbox', 'webhook'] },
    })
    const message = await sendAndSettle(client, { event, recipient: 'ada' })
    expect(message.status).toBe('DELIVERED')
    expect(sink.all).toHaveLength(1)
    expect(message.providers.map(({ provider, status }) => [provider, status])).toEqual([
      ['webhook', 'DELIVERED'],
      ['mailbox', 'DELIVERED'],
    ])
    await sink.close()
  })
})
