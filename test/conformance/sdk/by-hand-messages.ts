/** Each method of generations 1 to 5 for sending, messages, lists and bulk jobs. */
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import {
  EVENT,
  type Exercises,
  ID,
  LAST_PAGE,
  madeDelayed,
  madeJob,
  madeList,
  SUCCESS,
  subscribersOf,
  TIMESTAMP,
} from './exercise.ts'

export const messages = {
  send: async (call, { mark, major, message }) => {
    const body = { eventId: EVENT, recipientId: mark, profile: { email: 'a@b.co' }, data: { name: 'Ada' } }
    expect(await call(body)).toEqual({ messageId: ID })
    const keyed = () => call(body, { idempotencyKey: `key-${mark}` })
    expect(await keyed()).toEqual(await keyed())
    expect(message).toEqual(ID)
    if (major < 3) return
    const second = { to: { user_id: mark }, template: EVENT, data: { name: 'Ada' } }
    expect(await call({ message: second })).toEqual({ requestId: ID })
  },
  'lists.send': async (call, ctx) => {
    const list = await madeList(ctx, 'sent', `${ctx.mark}-s1`, `${ctx.mark}-s2`)
    const { messageId } = await call({ event: EVENT, list, data: { name: 'Ada' } })
    expect(messageId).toEqual(ID)
    const { results } = await until(
      () => ctx.request('GET', `/messages?list=${list}`),
      (page) => page.results.length === 2,
    )
    expect(results).toMatchObject([{ listMessageId: messageId }, { listMessageId: messageId }])
  },
  getMessage: async (call, { message, recipient, notification }) => {
    const providers = [{ provider: 'mailbox', status: 'DELIVERED' }]
    const timestamps = { enqueued: expect.any(Number), sent: expect.any(Number), delivered: expect.any(Number) }
    expect(await call(message)).toMatchObject({
      id: message,
      status: 'DELIVERED',
      event: EVENT,
      notification,
      recipient,
      providers,
      ...timestamps,
    })
  },
  getMessages: async (call, { major, message, recipient }) => {
    // Up to 2.8 the query never leaves the client.
    const ours = { paging: LAST_PAGE, results: [{ id: message }] }
    const page = major < 3 ? { results: expect.arrayContaining([expect.objectContaining({ id: message })]) } : ours
    expect(await call({ recipientId: recipient, status: ['DELIVERED', 'SENT'] })).toMatchObject(page)
    if (major < 3) return
    expect(await call({ recipientId: recipient, tags: 'orders,other' })).toMatchObject(page)
    expect(await call({ recipientId: recipient, tags: 'other' })).toMatchObject({ results: [] })
  },
  getMessageHistory: async (call, { message }) => {
    const types = (await call(message)).results.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'RENDERED', 'SENT', 'DELIVERED'])
  },
  getMessageOutput: async (call, { message }) => {
    const content = { subject: expect.stringMatching(/^Hello/), blocks: expect.any(Array) }
    expect(await call(message)).toMatchObject({ results: [{ channel: 'email', content }] })
  },
  cancelMessage: async (call, ctx) => {
    const id = await madeDelayed(ctx)
    expect(await call(id)).toMatchObject({ id, status: 'CANCELED', canceledAt: expect.any(Number) })
  },
} satisfies Exercises

export const lists = {
  'lists.put': async (call, { mark, request }) => {
    await call(`${mark}.put`, { name: 'Put' })
    expect(await request('GET', `/lists/${mark}.put`)).toMatchObject({ name: 'Put' })
  },
  'lists.get': async (call, ctx) => {
    const id = await madeList(ctx, 'get')
    expect(await call(id)).toEqual({ id, name: 'get', created: TIMESTAMP, updated: TIMESTAMP })
  },
  'lists.list': async (call, ctx) => {
    await madeList(ctx, 'list')
    const record = { id: expect.any(String), name: expect.any(String), created: TIMESTAMP, updated: TIMESTAMP }
    const { items, paging } = await call({})
    expect([paging.more, items[0]]).toEqual([expect.any(Boolean), expect.objectContaining(record)])
  },
  'lists.delete': async (call, ctx) => {
    const id = await madeList(ctx, 'delete')
    await call(id)
    expect(await ctx.status('GET', `/lists/${id}`)).toBe(404)
  },
  'lists.restore': async (call, ctx) => {
    const id = await madeList(ctx, 'restore')
    await ctx.request('DELETE', `/lists/${id}`)
    await call(id)
    expect(await ctx.status('GET', `/lists/${id}`)).toBe(200)
  },
  'lists.getSubscriptions': async (call, ctx) => {
    const id = await madeList(ctx, 'subscriptions', 'r1')
    expect(await call(id, {})).toMatchObject({ paging: LAST_PAGE, items: [{ recipientId: 'r1', created: TIMESTAMP }] })
  },
  'lists.putSubscriptions': async (call, ctx) => {
    const id = await madeList(ctx, 'replaced', 'r1')
    await call(id, [{ recipientId: 'r2' }])
    expect(await subscribersOf(ctx, id)).toEqual(['r2'])
  },
  'lists.postSubscriptions': async (call, ctx) => {
    const id = await madeList(ctx, 'added', 'r1')
    await call(id, [{ recipientId: 'r2' }])
    expect(await subscribersOf(ctx, id)).toEqual(['r1', 'r2'])
  },
  'lists.subscribe': async (call, ctx) => {
    const id = await madeList(ctx, 'subscribed')
    await call(id, 'r1')
    await call(id, 'r2', { notifications: {}, categories: {} })
    expect(await subscribersOf(ctx, id)).toEqual(['r1', 'r2'])
  },
  'lists.unsubscribe': async (call, ctx) => {
    const id = await madeList(ctx, 'left', 'r1', 'r2')
    await call(id, 'r1')
    expect(await subscribersOf(ctx, id)).toEqual(['r2'])
  },
  'lists.findByRecipientId': async (call, ctx) => {
    const id = await madeList(ctx, 'found', `${ctx.mark}-found`)
    expect(await call(`${ctx.mark}-found`, {})).toMatchObject({ paging: LAST_PAGE, results: [{ id, name: 'found' }] })
  },
  getRecipientSubscriptions: async (call, ctx) => {
    const id = await madeList(ctx, 'again', `${ctx.mark}-again`)
    expect(await call({ recipientId: `${ctx.mark}-again` })).toMatchObject({ results: [{ id }] })
  },
  addRecipientToLists: async (call, ctx) => {
    const joined = `${ctx.mark}.joined`
    expect(await call({ recipientId: 'r1', lists: [{ listId: joined }] })).toMatchObject(SUCCESS)
    expect(await subscribersOf(ctx, joined)).toEqual(['r1'])
  },
  removeRecipientFromAllLists: async (call, ctx) => {
    const id = await madeList(ctx, 'removed', `${ctx.mark}-removed`)
    expect(await call({ recipientId: `${ctx.mark}-removed` })).toMatchObject(SUCCESS)
    expect(await subscribersOf(ctx, id)).toEqual([])
  },
} satisfies Exercises

export const bulk = {
  'bulk.createJob': async (call) => {
    expect(await call({ message: { event: EVENT } })).toEqual({ jobId: ID })
    const message = { template: EVENT, data: { name: 'you' } }
    expect(await call({ message: { message } })).toEqual({ jobId: ID })
  },
  'bulk.ingestUsers': async (call, ctx) => {
    const users = ['u1', 'u1', 'u2'].map((recipient) => ({ recipient, profile: { email: 'a@b.co' } }))
    const errors = [{ error: 'Duplicate user', user: users[0] }]
    expect(await call({ jobId: await madeJob(ctx), users })).toEqual({ total: 2, errors })
  },
  'bulk.runJob': async (call, ctx) => {
    const jobId = await madeJob(ctx, 'u1')
    await call({ jobId })
    await until(
      () => ctx.request('GET', `/bulk/${jobId}`),
      ({ job }) => job.status === 'COMPLETED',
    )
  },
  'bulk.getJob': async (call, ctx) => {
    const job = { definition: { event: expect.any(String) }, received: 2, enqueued: 0, failures: 0, status: 'CREATED' }
    expect(await call({ jobId: await madeJob(ctx, 'u1', 'u2') })).toEqual({ job })
  },
  'bulk.getJobUsers': async (call, ctx) => {
    const items = [{ recipient: 'u1', status: 'PENDING' }]
    expect(await call({ jobId: await madeJob(ctx, 'u1') })).toMatchObject({ items, paging: LAST_PAGE })
  },
} satisfies Exercises
