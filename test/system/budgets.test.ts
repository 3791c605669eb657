/** One message delays no other: the cost of deciding and rendering it is bounded, and the reason names what cost too much. */
import type { MessageSendBody, Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { withinWork } from '../support/within-work.ts'
import { integrate } from './templates.ts'

withApp((open) => {
  let client: Postrider
  let peer: Recorder

  beforeAll(async () => {
    const app = await open()
    client = app.client
    peer = await startRecorder()
    await integrate(client, { provider: 'webhook' })
    await integrate(client, { provider: 'smtp', settings: { host: '127.0.0.1', fromAddress: 'a@example.com' } })
  })
  afterAll(() => peer.close())

  const to = () => ({ email: 'a@example.com', webhook: { url: `${peer.url}/hook` } })
  // Engines search by skipping ahead; a letter in the middle makes them compare nearly every pair of positions.
  const text = 'a'.repeat(2_900_000)
  const needle = `${'a'.repeat(4_000)}b${'a'.repeat(4_000)}`

  async function settledSend(message: MessageSendBody['message']) {
    const { requestId } = await client.send({ message })
    return settled(client, requestId)
  }

  test('a search in 3 MB of data ends soon, filters its channel and gives the reason', async () => {
    // Most of it is reading and storing 3 MB; before, the search alone took 40 s.
    await withinWork(2_000, async () => {
      const { status, error } = await settledSend({
        to: to(),
        content: { title: 't', body: 'b' },
        data: { text, needle },
        routing: { method: 'single', channels: ['webhook', 'email'] },
        channels: {
          webhook: { if: 'data.text.includes(data.needle)' },
          email: { if: 'data.text.indexOf(data.needle) > 0' },
        },
      })
      expect({ status, error }).toMatchObject({ status: 'FILTERED' })
    })
  })

  test('an element that takes too long ends the message, is named, and leaves the process to others', async () => {
    const element = { type: 'text', content: 'x', if: Array(20).fill('$.item.a.length > 1').join(' || ') }
    await withinWork(2_000, async () => {
      const { status, error } = await settledSend({
        to: to(),
        content: {
          version: '2022-01-01',
          elements: [{ type: 'group', loop: 'data.items', elements: Array(20).fill(element) }],
        },
        data: { items: Array(2_000).fill({ a: 'x' }) },
        routing: { method: 'all', channels: ['webhook', 'email'] },
      })
      expect(status).toBe('UNDELIVERABLE')
      expect(error).toMatch(/elements\.0\.elements\.\d+: Rendering takes more than its share/)
    })
    const { status } = await settledSend({
      to: to(),
      content: { title: 't', body: 'b' },
      routing: { method: 'single', channels: ['webhook'] },
    })
    expect(status).toBe('DELIVERED')
  })

  test('conditions share one budget: the place of the one that had none left is in the explanation', async () => {
    const condition = Array(95).fill('data.list.join("").length > 0').join(' && ')
    const explained = await client.explain({
      message: {
        to: to(),
        content: { title: 't', body: 'b' },
        data: { list: Array(4_000).fill('xxxxx') },
        routing: { method: 'single', channels: [{ channel: 'webhook', if: condition }, 'email'] },
        channels: { email: { if: 'true' } },
      },
    })
    const candidates = explained.candidates.filter(({ provider }) => provider !== 'mailbox')
    expect(candidates.map(({ channel, reason }) => [channel, reason])).toEqual([
      ['webhook', 'FILTERED'],
      ['email', 'FILTERED'],
    ])
    expect(candidates[0]?.error).toMatch(/^routing: the if of webhook: /)
    expect(candidates[1]?.error).toMatch(/^channels\.email\.if: the conditions of the message take too long$/)
  })

  test('Markdown that takes too much work is sent as it was written, explained, and refused by a strict send', async () => {
    const body = "'*_['".repeat(50_000)
    const message = {
      to: to(),
      content: { title: 't', body },
      routing: { method: 'single', channels: ['email', 'webhook'] },
    }
    const explained = await client.explain({ message } as Parameters<typeof client.explain>[0])
    const warning = 'body: its Markdown takes more work than a document may; it is shown as it was written.'
    expect(explained.warnings).toEqual([warning, expect.stringMatching(/ 641 kB: Gmail shows 102 kB /)])
    const strict = client.send({ message } as MessageSendBody, { strict: true })
    await expect(strict).rejects.toThrow(warning)
    // Before, reading it took more than a second.
    await withinWork(1_000, async () => {
      expect(
        await settledSend({
          ...message,
          routing: { method: 'single', channels: ['webhook'] },
        } as MessageSendBody['message']),
      ).toMatchObject({ status: 'DELIVERED' })
    })
  })
})
