/** One call for many: every recipient once, each with what is theirs, and the way there to be read. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { completed, content, messagesOf } from './requests.ts'

const MINUTE = 60_000

withApp((open) => {
  let app: App
  const clock = settableClock()
  beforeAll(async () => {
    app = await open({ clock })
  })

  describe('a message to several', () => {
    test('each recipient gets one, with their own data over the shared', async () => {
      const { client } = app
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
      const messages = await messagesOf(client, requestId, 2)
      expect(messages.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED'])
      const ann = messages.find(({ recipient }) => recipient === 'ann')
      const anonymous = messages.filter(({ recipient }) => recipient.startsWith('anon_'))
      expect(anonymous).toHaveLength(1)
      // Their ids say nothing; those of users do.
      const listed = (await client.messages.list({ traceId: requestId, include: 'providers' })).results
      expect(listed.map(({ id, address }) => [id === anonymous[0]?.id, address]).sort()).toEqual([
        [false, undefined],
        [true, 'bob@example.com'],
      ])
      const output = await client.messages.output(ann?.id ?? '')
      expect(output.results[0]?.content).toMatchObject({ subject: 'News for Ann', text: 'Hello Ann, welcome.' })
      await expect(client.messages.get(requestId)).rejects.toMatchObject({ status: 404, message: 'Message not found' })
    })

    test('a single one is the request itself', async () => {
      const { client } = app
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

  test('to an audience, every user whom its filter matches', async () => {
    const { client } = app
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
    const { client } = app
    await client.tenants.put('acme', { name: 'Acme', user_profile: { email: 'office@acme.example' } })
    await client.tenants.put('acme-north', { name: 'Acme North', parent_tenant_id: 'acme' })
    await client.memberships.put('t1', 'acme', {})
    await client.memberships.put('t2', 'acme-north', {})
    const direct = await client.send({ message: { to: { tenant_id: 'acme' }, content } })
    expect((await completed(client, direct.requestId)).enqueued).toBe(1)
    const whole = await client.send({ message: { to: { tenant_id: 'acme', include_children: true }, content } })
    expect((await completed(client, whole.requestId)).enqueued).toBe(2)
    const messages = await messagesOf(client, whole.requestId, 2)
    expect(messages.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED'])
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
      const { client } = app
      const { jobId } = await client.bulk.create({ message: { event: 'welcome', timeout: { message: MINUTE } } })
      await client.bulk.ingest(jobId, { users: [{ recipient: 'late', profile: { email: 'late@example.com' } }] })
      clock.set((await client.requests.get(jobId)).created + 2 * MINUTE)
      await client.bulk.run(jobId)
      await completed(client, jobId)
      const [message] = await messagesOf(client, jobId, 1)
      expect(message?.status).toBe('DELIVERED')
    })

    test('adds each user once, sends when it is run, and lists the message of each user', async () => {
      const { client } = app
      const { jobId } = await client.bulk.create({ message: { event: 'welcome', data: { greeting: 'hi' } } })
      const user = (name: string) => ({ recipient: name, profile: { email: `${name}@example.com` }, data: { name } })
      expect(await client.bulk.ingest(jobId, { users: [user('u1'), user('u1'), user('u2')] })).toEqual({
        total: 2,
        errors: [{ error: 'Duplicate user', user: user('u1') }],
      })
      const { profile, data, ...id } = user('u2')
      expect(await client.bulk.ingest(jobId, { users: [{ data, ...id, profile }, user('u3')] })).toEqual({
        total: 1,
        errors: [{ error: 'Duplicate user', user: user('u2') }],
      })
      // Another message for a recipient, such as a second invoice, in the job or in the call.
      const other = (name: string) => ({ ...user(name), data: { name: 'another' } })
      const { errors } = await client.bulk.ingest(jobId, { users: [other('u2'), other('u3')] })
      const error = 'Duplicate user with other data: a job has one message for each recipient'
      expect(errors).toEqual(['u2', 'u3'].map((name) => ({ error, user: other(name) })))
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
