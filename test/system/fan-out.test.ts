/** One call for many: every recipient once, each with what is theirs, and the way there to be read. */
import type { MessageRouting, Postrider } from '@postrider/client'
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

  describe('to a list', () => {
    const email: MessageRouting = { method: 'single', channels: ['email'] }
    const recipientsOf = (found: readonly { recipient: string }[]) => found.map(({ recipient }) => recipient).toSorted()

    test('everybody on it gets one, found by the list and by the send', async () => {
      const { client } = house
      await client.lists.replaceSubscriptions('team.blue', {
        recipients: [{ recipientId: 'l1' }, { recipientId: 'l2' }],
      })
      const { messageId } = await client.lists.send({ list: 'team.blue', event: 'welcome', data: { name: 'all' } })
      await completed(client, messageId)
      const found = (await client.messages.list({ list: 'team.blue' })).results
      expect(recipientsOf(found)).toEqual(['l1', 'l2'])
      expect(found.map(({ listId, listMessageId }) => [listId, listMessageId])).toEqual([
        ['team.blue', messageId],
        ['team.blue', messageId],
      ])
      expect((await client.messages.list({ messageId })).results).toHaveLength(2)
    })

    test('by pattern, who is on several lists gets one', async () => {
      const { client } = house
      await client.lists.replaceSubscriptions('wing.a', { recipients: [{ recipientId: 'p1' }, { recipientId: 'p2' }] })
      await client.lists.replaceSubscriptions('wing.b', { recipients: [{ recipientId: 'p2' }, { recipientId: 'p3' }] })
      const { requestId } = await client.send({ message: { to: { list_pattern: 'wing.*' }, content, routing: email } })
      expect((await completed(client, requestId)).enqueued).toBe(3)
      const { results } = await client.messages.list({ traceId: requestId })
      expect(recipientsOf(results)).toEqual(['p1', 'p2', 'p3'])
    })

    test('one that does not exist, or is deleted, has nobody on it', async () => {
      const { client } = house
      await client.lists.replaceSubscriptions('gone', { recipients: [{ recipientId: 'g1' }] })
      await client.lists.delete('gone')
      for (const list of ['gone', 'never-was']) {
        const { messageId } = await client.lists.send({ list, event: 'welcome' })
        expect((await completed(client, messageId)).enqueued).toBe(0)
      }
    })

    test('a delayed one is for those who are on it then', async () => {
      const { client } = house
      await client.lists.replaceSubscriptions('later', { recipients: [{ recipientId: 'd1' }, { recipientId: 'd2' }] })
      const until = new Date(Date.now() + 3_000).toISOString()
      const { messageId } = await client.lists.send({ list: 'later', event: 'welcome', delay: { until } })
      await client.lists.unsubscribe('later', 'd1')
      expect((await completed(client, messageId)).enqueued).toBe(1)
    })

    test('who leaves while a message waits for its hours gets none', async () => {
      const { client } = house
      await client.lists.replaceSubscriptions('hours', { recipients: [{ recipientId: 'h1' }] })
      const minute = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000).toISOString().slice(11, 16)
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
      const { client } = house
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
      const { client } = house
      const many = Array.from({ length: 6_000 }, (_, n) => ({ recipientId: `long-${n}` }))
      await client.lists.replaceSubscriptions('long', { recipients: many }, { timeoutMs: 60_000 })
      await client.lists.replaceSubscriptions('short', { recipients: [{ recipientId: 'short-1' }] })
      const long = await client.lists.send({ list: 'long', event: 'welcome' })
      const short = await client.lists.send({ list: 'short', event: 'welcome' })
      await until(
        async () => (await client.messages.list({ messageId: short.messageId })).results[0]?.status,
        (status) => status !== undefined && status !== 'ENQUEUED',
        60_000,
      )
      expect((await client.requests.get(long.messageId)).enqueued).toBeLessThan(6_000)
    })

    test('both a list and a pattern, or neither, are refused', async () => {
      const both = { list: 'a', pattern: 'b', event: 'welcome' }
      for (const body of [both, { event: 'welcome' }])
        await expect(house.client.lists.send(body)).rejects.toMatchObject({ status: 400 })
      await expect(house.client.lists.send({ pattern: '**', event: 'welcome' })).rejects.toMatchObject({ status: 400 })
    })
  })

  test('to an audience, everybody whom its filter matches', async () => {
    const { client } = house
    await client.profiles.replace('dev-1', { profile: { title: 'Engineer', email: 'dev-1@example.com' } })
    await client.profiles.replace('dev-2', { profile: { title: 'Cook', email: 'dev-2@example.com' } })
    await client.audiences.put('engineers', { filter: { operator: 'EQ', path: 'title', value: 'Engineer' } })
    // Not counted yet: the send waits for it.
    const { requestId } = await client.send({ message: { to: { audience_id: 'engineers' }, content } })
    await completed(client, requestId)
    const [message, ...others] = await messagesOf(client, requestId, 1)
    expect([message?.recipient, message?.status, others.length]).toEqual(['dev-1', 'DELIVERED', 0])
  })

  test('to a tenant, its members get it in its context; narrowed, only who is in the other one as well', async () => {
    const { client } = house
    await client.tenants.put('acme', { name: 'Acme', user_profile: { email: 'office@acme.example' } })
    await client.tenants.put('acme-north', { name: 'Acme North', parent_tenant_id: 'acme' })
    await client.memberships.put('t1', 'acme', {})
    await client.memberships.put('t2', 'acme-north', {})
    const direct = await client.send({ message: { to: { tenant_id: 'acme' }, content } })
    expect((await completed(client, direct.requestId)).enqueued).toBe(1)
    const whole = await client.send({ message: { to: { tenant_id: 'acme', include_children: true }, content } })
    expect((await completed(client, whole.requestId)).enqueued).toBe(2)
    const found = await messagesOf(client, whole.requestId, 2)
    expect(found.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED'])
    expect((await client.messages.list({ tenant_id: 'acme' })).results.length).toBe(3)

    await client.lists.replaceSubscriptions('of-tenants', {
      recipients: [{ recipientId: 't1' }, { recipientId: 't9' }],
    })
    const filters = [{ operator: 'MEMBER_OF', path: 'tenant_id', value: 'acme' }] as const
    const narrowed = await client.send({ message: { to: { list_id: 'of-tenants', filters: [...filters] }, content } })
    await completed(client, narrowed.requestId)
    const { results } = await client.messages.list({ traceId: narrowed.requestId })
    expect(results.map(({ recipient }) => recipient)).toEqual(['t1'])
  })

  describe('a bulk job', () => {
    test('has its whole time from its run', async () => {
      const { client } = house
      const { jobId } = await client.bulk.create({ message: { event: 'welcome', timeout: { message: 1_500 } } })
      await client.bulk.ingest(jobId, { users: [{ recipient: 'late', profile: { email: 'late@example.com' } }] })
      const created = (await client.requests.get(jobId)).created
      await until(
        async () => Date.now(),
        (now) => now > created + 2_000,
      )
      await client.bulk.run(jobId)
      await completed(client, jobId)
      const [message] = await messagesOf(client, jobId, 1)
      expect(message?.status).toBe('DELIVERED')
    })

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
  })
})
