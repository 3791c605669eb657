/** One call for many: every recipient once, each with what is theirs, and the way there to be read. */
import type { Postrider } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { eachHouse, type House, settled } from './house.ts'

const content = { title: 'News for {name}', body: 'Hello {name}, {greeting}.' }

async function completed(client: Postrider, requestId: string, timeoutMs = 20_000) {
  const request = await until(
    () => client.requests.get(requestId),
    ({ status }) => status === 'COMPLETED' || status === 'ERROR',
    timeoutMs,
  )
  expect(request.status).toBe('COMPLETED')
  return request
}

async function messagesOf(client: Postrider, requestId: string, count: number) {
  return until(
    async () => {
      const found = []
      for await (const message of client.messages.list({ traceId: requestId })) found.push(message)
      return found
    },
    (found) => found.length >= count && found.every(({ status }) => finalStatuses.has(status)),
    20_000,
  )
}

eachHouse((open) => {
  let house: House
  beforeAll(async () => {
    house = await open()
  })

  describe('a message to several', () => {
    test('each recipient gets one, with their own data over the shared', async () => {
      const { client } = house
      const { requestId } = await client.send({
        message: {
          to: [
            { user_id: 'ann', email: 'ann@example.com', data: { name: 'Ann' } },
            { email: 'bob@example.com' },
            { user_id: 'ann', email: 'twice@example.com' },
          ],
          content,
          data: { name: 'you', greeting: 'welcome' },
          routing: { method: 'single', channels: ['email'] },
        },
      })
      expect((await completed(client, requestId)).enqueued).toBe(2)
      const found = await messagesOf(client, requestId, 2)
      expect(found.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED'])
      const ann = found.find(({ recipient }) => recipient === 'ann')
      expect(found.filter(({ recipient }) => recipient.startsWith('anon_'))).toHaveLength(1)
      const output = await client.messages.output(ann?.id ?? '')
      expect(output.results[0]?.content).toMatchObject({ subject: 'News for Ann', text: 'Hello Ann, welcome.' })
      await expect(client.messages.get(requestId)).rejects.toMatchObject({ status: 404, message: 'Message not found' })
    })

    test('a single one is the request itself', async () => {
      const { client } = house
      const { requestId } = await client.send({
        message: {
          to: { user_id: 'cleo', email: 'cleo@example.com' },
          content,
          metadata: { tags: ['spring'], trace_id: 't-1' },
        },
      })
      const message = await settled(client, requestId)
      expect(message).toMatchObject({
        id: requestId,
        status: 'DELIVERED',
        tags: ['spring'],
        event: '',
        notification: '',
      })
      expect((await client.messages.list({ traceId: 't-1' })).results).toHaveLength(1)
      expect(await client.requests.get(requestId)).toMatchObject({ status: 'COMPLETED', enqueued: 1 })
      const history = await client.messages.history(requestId)
      expect(history.results.map(({ type }) => type)).toEqual([
        'ENQUEUED',
        'PROFILE_LOADED',
        'RENDERED',
        'SENT',
        'DELIVERED',
      ])
    })
  })

  describe('a bulk job', () => {
    test('adds each user once, sends when it is run, and says who got what', async () => {
      const { client } = house
      const { jobId } = await client.bulk.create({ message: { event: 'welcome', data: { greeting: 'hi' } } })
      const user = (name: string) => ({ recipient: name, profile: { email: `${name}@example.com` }, data: { name } })
      expect(await client.bulk.ingest(jobId, { users: [user('u1'), user('u1'), user('u2')] })).toEqual({
        total: 2,
        errors: [{ error: 'Duplicate user', user: user('u1') }],
      })
      expect((await client.bulk.ingest(jobId, { users: [user('u2'), user('u3')] })).total).toBe(1)
      expect((await client.bulk.get(jobId)).job).toMatchObject({ received: 3, enqueued: 0, status: 'CREATED' })
      expect(await client.bulk.run(jobId)).toEqual({ status: 'ACCEPTED' })
      await expect(client.bulk.run(jobId)).rejects.toMatchObject({ status: 400, message: 'Job has already been run' })
      await completed(client, jobId)
      const { items } = await client.bulk.users(jobId)
      expect(items.map(({ recipient, status }) => [recipient, status])).toEqual([
        ['u1', 'ENQUEUED'],
        ['u2', 'ENQUEUED'],
        ['u3', 'ENQUEUED'],
      ])
      const message = await settled(client, items[2]?.messageId ?? '')
      expect(message).toMatchObject({ recipient: 'u3', jobId, status: 'DELIVERED' })
      expect((await client.bulk.get(jobId)).job).toMatchObject({
        received: 3,
        enqueued: 3,
        failures: 0,
        status: 'COMPLETED',
      })
    })

    test('of 10,000 users makes exactly one message each', async () => {
      const { client } = house
      const { jobId } = await client.bulk.create({
        message: { content, routing: { method: 'single', channels: ['sms'] } },
      })
      for (let from = 0; from < 10_000; from += 1_000) {
        const users = Array.from({ length: 1_000 }, (_, n) => ({
          recipient: `many-${from + n}`,
          profile: { phone_number: '+12025550143' },
        }))
        expect((await client.bulk.ingest(jobId, { users })).total).toBe(1_000)
      }
      await client.bulk.run(jobId)
      expect((await completed(client, jobId, 60_000)).enqueued).toBe(10_000)
    }, 90_000)
  })
})
