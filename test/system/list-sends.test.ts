/** Sends to lists: every subscriber at that time, once, found by list and by send. */
import type { MessageRouting } from '@postrider/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { until } from '../support/until.ts'
import { completed, content } from './requests.ts'

const MINUTE = 60_000

withApp((open) => {
  let app: App
  const clock = settableClock()
  beforeAll(async () => {
    app = await open({ clock })
  })

  describe('to a list', () => {
    const email: MessageRouting = { method: 'single', channels: ['email'] }
    const recipientsOf = (messages: readonly { recipient: string }[]) =>
      messages.map(({ recipient }) => recipient).toSorted()

    test('every subscriber gets one message, found by the list and by the send', async () => {
      const { client } = app
      await client.lists.replaceSubscriptions('team.blue', {
        recipients: [{ recipientId: 'l1' }, { recipientId: 'l2' }],
      })
      const { messageId } = await client.lists.send({ list: 'team.blue', event: 'welcome', data: { name: 'all' } })
      await completed(client, messageId)
      const messages = (await client.messages.list({ list: 'team.blue' })).results
      expect(recipientsOf(messages)).toEqual(['l1', 'l2'])
      expect(messages.map(({ listId, listMessageId }) => [listId, listMessageId])).toEqual([
        ['team.blue', messageId],
        ['team.blue', messageId],
      ])
      expect((await client.messages.list({ messageId })).results).toHaveLength(2)
    })

    test('by pattern, who is on several lists gets one', async () => {
      const { client } = app
      await client.lists.replaceSubscriptions('wing.a', { recipients: [{ recipientId: 'p1' }, { recipientId: 'p2' }] })
      await client.lists.replaceSubscriptions('wing.b', { recipients: [{ recipientId: 'p2' }, { recipientId: 'p3' }] })
      const { requestId } = await client.send({ message: { to: { list_pattern: 'wing.*' }, content, routing: email } })
      expect((await completed(client, requestId)).enqueued).toBe(3)
      const { results } = await client.messages.list({ traceId: requestId })
      expect(recipientsOf(results)).toEqual(['p1', 'p2', 'p3'])
    })

    test('one that does not exist, or is deleted, has no subscribers', async () => {
      const { client } = app
      await client.lists.replaceSubscriptions('gone', { recipients: [{ recipientId: 'g1' }] })
      await client.lists.delete('gone')
      for (const list of ['gone', 'never-was']) {
        const { messageId } = await client.lists.send({ list, event: 'welcome' })
        expect((await completed(client, messageId)).enqueued).toBe(0)
      }
    })

    test('a delayed one is for those who are on it then', async () => {
      const { client } = app
      await client.lists.replaceSubscriptions('later', { recipients: [{ recipientId: 'd1' }, { recipientId: 'd2' }] })
      const until = new Date(clock.now() + MINUTE).toISOString()
      const { messageId } = await client.lists.send({ list: 'later', event: 'welcome', delay: { until } })
      await client.lists.unsubscribe('later', 'd1')
      clock.set(until)
      expect((await completed(client, messageId)).enqueued).toBe(1)
    })

    test('a recipient who leaves while a message waits for its opening hours gets none', async () => {
      const { client } = app
      await client.lists.replaceSubscriptions('hours', { recipients: [{ recipientId: 'h1' }] })
      const minute = new Date(clock.now() + 30 * MINUTE).toISOString().slice(11, 16)
      const delay = { until: `Mo-Su ${minute}-${minute}` }
      const { requestId } = await client.send({ message: { to: { list_id: 'hours' }, content, delay } })
      await completed(client, requestId)
      const [message] = (await client.messages.list({ traceId: requestId })).results
      await until(
        () => client.messages.get(message?.id ?? ''),
        ({ status }) => status === 'DELAYED',
      )
      await client.lists.delete('hours')
      const { decision } = await client.messages.explain(message?.id ?? '')
      expect(decision).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' })
    })

    test('data of a list stay with the request, also large ones', async () => {
      const { client } = app
      const recipients = Array.from({ length: 300 }, (_, n) => ({ recipientId: `big-${n}` }))
      await client.lists.replaceSubscriptions('big', { recipients })
      const data = { name: 'big', more: 'x'.repeat(500_000) }
      const routing: MessageRouting = { method: 'single', channels: ['inbox'] }
      const { requestId } = await client.send({
        message: { to: { list_id: 'big', data }, content: { body: 'Hello {name}' }, routing },
      })
      expect((await completed(client, requestId)).enqueued).toBe(300)
      const [first] = (await client.messages.list({ traceId: requestId })).results
      await settled(client, first?.id ?? '')
      const { results } = await client.messages.output(first?.id ?? '')
      expect(results[0]?.content.text).toBe('Hello big')
    })

    test('a short one is not behind a long one', async () => {
      const { client } = app
      const many = Array.from({ length: 6_000 }, (_, n) => ({ recipientId: `long-${n}` }))
      await client.lists.replaceSubscriptions('long', { recipients: many }, { timeoutMs: 60_000 })
      await client.lists.replaceSubscriptions('short', { recipients: [{ recipientId: 'short-1' }] })
      // Both become due at once, so that the short one is there while the long one has most of its messages to make.
      const delay = { until: new Date(clock.now() + MINUTE).toISOString() }
      const long = await client.lists.send({ list: 'long', event: 'welcome', delay })
      const short = await client.lists.send({ list: 'short', event: 'welcome', delay })
      clock.set(delay.until)
      for (const { messageId } of [short, long]) await completed(client, messageId)
      // The ids of all messages of a send have its time, so that a list has no newest one.
      const last = async ({ messageId }: { messageId: string }) => {
        let latest = 0
        for await (const { enqueued } of client.messages.list({ messageId, limit: 100 }))
          latest = Math.max(latest, enqueued)
        return latest
      }
      expect(await last(short)).toBeLessThan(await last(long))
    })

    test('both a list and a pattern, or neither, are refused', async () => {
      const both = { list: 'a', pattern: 'b', event: 'welcome' }
      for (const body of [both, { event: 'welcome' }])
        await expect(app.client.lists.send(body)).rejects.toMatchObject({ status: 400 })
      await expect(app.client.lists.send({ pattern: '**', event: 'welcome' })).rejects.toMatchObject({ status: 400 })
    })
  })
})
