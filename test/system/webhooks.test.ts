/** Webhooks get every change of a message, signed, with retries until they reply, and never at the cost of others. */
import { createHmac } from 'node:crypto'
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, clientOf, sendAndSettle, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type Recorded, type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until, untilTime } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const payloadOf = ({ body }: Recorded) => JSON.parse(body)

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open(), startRecorder()])
    client = app.client
    await integrate(client, { provider: 'webhook', settings: { url: `${peer.url}/provider` } })
    await publish(client, 'news', { channels: ['webhook'] })
  })
  afterAll(() => peer.close())

  const hook = (path: string, more: object = {}) => client.webhooks.create({ url: `${peer.url}/${path}`, ...more })
  const callsOf = (path: string) => peer.all.filter((request) => request.path === `/${path}`)
  const of = (path: string, recipient: string) => (request: Recorded) =>
    request.path === `/${path}` && payloadOf(request).data.recipient === recipient
  const send = (recipient: string) => client.send({ event: 'news', recipient })
  const deliveries = async (id: string, status?: 'WAITING' | 'DELIVERED' | 'FAILED') =>
    (await client.webhooks.deliveries(id, status && { status })).results

  test('a change is delivered with the message as it is, in order and with the signature that receivers check', async () => {
    const { id, secret } = await hook('signed')
    const message = await sendAndSettle(client, { event: 'news', recipient: 'signed' })
    const request = await peer.waitFor(of('signed', 'signed'))
    const body = JSON.parse(request.body)
    expect(Object.keys(body)).toEqual(['data', 'type'])
    expect(body).toEqual({ data: { ...message, recipientId: 'signed' }, type: 'message:updated' })
    expect(body.data.status).toBe('DELIVERED')
    expect(JSON.stringify(body)).toBe(request.body)
    expect(request.method).toBe('POST')
    expect(request.headers['content-type']).toBe('application/json')
    const [, t = '', signature] =
      /^t=(\d+),signature=([0-9a-f]{64})$/.exec(request.headers['courier-signature'] ?? '') ?? []
    expect(signature).toBe(createHmac('sha256', secret!).update(`${t}.${request.body}`).digest('hex'))
    expect(Number(t)).toBeGreaterThanOrEqual(message.enqueued)
    expect(Number(t)).toBeLessThanOrEqual(request.at)
    const [delivery] = await until(
      () => deliveries(id, 'DELIVERED'),
      ({ length }) => length === 1,
    )
    expect(delivery).toMatchObject({ message_id: message.id, attempts: 1, id: request.headers['webhook-id'] })
    await client.webhooks.delete(id)
  })

  test('a delivery shows the reply to its last attempt, and is replayed under the id of the first', async () => {
    const { id } = await hook('replayed', { secret: null })
    peer.answer('/replayed', { status: 422, body: `No such order ${'x'.repeat(2_000)}` }, 1)
    await sendAndSettle(client, { event: 'news', recipient: 'replayed' })
    const [failed] = await until(
      () => deliveries(id, 'FAILED'),
      ({ length }) => length === 1,
    )
    expect(failed).toMatchObject({ attempts: 1, error: '422 Unprocessable Entity', reply: { status: 422 } })
    expect(failed!.reply!.body).toMatch(/^No such order x{986}$/)
    const replay = await client.webhooks.replay(id, failed!.id)
    expect(replay).toMatchObject({
      status: 'WAITING',
      attempts: 0,
      replay_of: failed!.id,
      message_id: failed!.message_id,
    })
    const [delivered] = await until(
      () => deliveries(id, 'DELIVERED'),
      ({ length }) => length === 1,
    )
    expect(delivered).toMatchObject({ id: replay.id, attempts: 1, reply: { status: 200, body: '{}' } })
    const twice = await client.webhooks.replay(id, replay.id)
    expect(twice.replay_of).toBe(failed!.id)
    await until(
      async () => callsOf('replayed'),
      ({ length }) => length === 3,
    )
    expect(new Set(callsOf('replayed').map(({ headers }) => headers['webhook-id']))).toEqual(new Set([failed!.id]))
    expect(new Set(callsOf('replayed').map(({ body }) => body)).size).toBe(1)
    await expect(client.webhooks.replay(id, 'none')).rejects.toMatchObject({ status: 404 })
    await client.webhooks.delete(id)
  })

  test('each status is delivered, and without a secret nothing is signed', async () => {
    const { id } = await hook('states', { secret: null })
    peer.answer('/provider', { status: 500 }, 1)
    const { messageId } = await send('states')
    const first = await peer.waitFor(of('states', 'states'))
    expect(first.headers['courier-signature']).toBeUndefined()
    const last = await peer.waitFor(
      (request) => of('states', 'states')(request) && payloadOf(request).data.delivered > 0,
    )
    expect(payloadOf(last).data).toMatchObject({ id: messageId, status: 'DELIVERED' })
    const statuses = callsOf('states').map((request) => payloadOf(request).data.status)
    expect(statuses).toEqual(['ROUTED', 'DELIVERED'])
    await client.webhooks.delete(id)
  })

  test('messages that ended without a provider are delivered, and so are canceled ones', async () => {
    const { id } = await hook('ends')
    await client.send({ event: 'no-such-event', recipient: 'unmapped' })
    expect(payloadOf(await peer.waitFor(of('ends', 'unmapped'))).data).toMatchObject({
      status: 'UNMAPPED',
      error: 'Event not mapped to a notification: `no-such-event`',
      providers: [],
    })
    const { messageId } = await client.send({ event: 'news', recipient: 'canceled', delay: { duration: 3_600_000 } })
    await client.messages.cancel(messageId)
    await client.messages.cancel(messageId)
    expect(payloadOf(await peer.waitFor(of('ends', 'canceled'))).data).toMatchObject({
      id: messageId,
      status: 'CANCELED',
    })
    const canceledOnce = (await deliveries(id)).filter(({ message_id }) => message_id === messageId)
    expect(canceledOnce).toHaveLength(1)
    await client.webhooks.delete(id)
  })

  test('a published notification is delivered, to each webhook that subscribes to it', async () => {
    const { id } = await hook('published', { types: ['notification:published'] })
    const { id: notification } = await client.notifications.create({
      notification: { name: 'draft', content: { title: 'a', body: 'b' } },
    })
    await client.notifications.publish(notification)
    await send('no-subscriber')
    const request = await peer.waitFor(({ path }) => path === '/published')
    expect(payloadOf(request)).toEqual({
      data: { id: notification, published_at: expect.any(Number) },
      type: 'notification:published',
    })
    expect(callsOf('published')).toHaveLength(1)
    await client.webhooks.delete(id)
  })

  test('an audience is delivered when it is written and when it is deleted', async () => {
    const { id } = await hook('audiences', {
      types: ['audiences:created', 'audiences:updated', 'audiences:deleted'],
    })
    const filter = { operator: 'EQ' as const, path: 'title', value: 'Engineer' }
    await client.audiences.put('engineers', { name: 'Engineers', filter })
    await client.audiences.put('engineers', { name: 'Them' })
    await client.audiences.delete('engineers')
    await until(
      async () => callsOf('audiences').length,
      (count) => count === 3,
    )
    const calls = callsOf('audiences').map(payloadOf)
    expect(calls).toEqual(
      expect.arrayContaining([
        { data: { audience_id: 'engineers', audience_version: 1, filter }, type: 'audiences:created' },
        { data: { audience_id: 'engineers', audience_version: 2, filter }, type: 'audiences:updated' },
        { data: { audience_id: 'engineers' }, type: 'audiences:deleted' },
      ]),
    )
    for (const { body } of callsOf('audiences')) expect(JSON.stringify(JSON.parse(body))).toBe(body)
    await client.webhooks.delete(id)
  })

  test('the other environment gets nothing', async () => {
    const { client: other } = await app.key('published', 'test')
    const { id } = await other.webhooks.create({ url: `${peer.url}/foreign` })
    const webhook = await hook('own')
    await send('mine')
    await peer.waitFor(of('own', 'mine'))
    expect((await other.webhooks.deliveries(id)).results).toEqual([])
    expect(callsOf('foreign')).toEqual([])
    await Promise.all([client.webhooks.delete(webhook.id), other.webhooks.delete(id)])
  })

  describe('failures', () => {
    // Both wait for a second attempt, each in an environment of its own.
    test.concurrent('deliveries for a disabled webhook wait, and go out when it is enabled', async () => {
      const { client: other } = await app.key('published', 'test')
      const { id } = await other.webhooks.create({ url: `${peer.url}/paused` })
      const waiting = async () => (await other.webhooks.deliveries(id, { status: 'WAITING' })).results
      peer.answer('/paused', { status: 500 }, 1)
      await other.send({ event: 'no-such-event', recipient: 'paused' })
      await until(waiting, (deliveries) => deliveries[0]?.error !== undefined)
      await other.webhooks.update(id, { enabled: false, url: `${peer.url}/resumed` })
      const [delivery] = await waiting()
      await untilTime(delivery!.next_attempt_at! + 1_200)
      expect(callsOf('resumed')).toEqual([])
      await other.webhooks.update(id, { enabled: true })
      await peer.waitFor(({ path }) => path === '/resumed')
      expect(callsOf('paused')).toHaveLength(1)
      await other.webhooks.delete(id)
    })

    test.concurrent('58: a 500 is retried after five seconds as the same delivery, a 400 is not', async () => {
      const failing = await hook('failing')
      const refusing = await hook('refusing')
      peer.answer('/failing', { status: 500 }, 1)
      peer.answer('/refusing', { status: 400 })
      await send('retried')
      const [waiting] = await until(
        () => deliveries(failing.id, 'WAITING'),
        (deliveries) => deliveries[0]?.error !== undefined,
      )
      expect(waiting).toMatchObject({ attempts: 1, error: '500 Internal Server Error' })
      await until(
        async () => callsOf('failing'),
        ({ length }) => length === 2,
      )
      const [first, second] = callsOf('failing')
      // 5 s ± 20 % after the attempt; the end of the table would be minutes.
      expect(waiting!.next_attempt_at! - first!.at).toBeGreaterThanOrEqual(4_000)
      expect(waiting!.next_attempt_at! - first!.at).toBeLessThan(60_000)
      expect(second!.at).toBeGreaterThanOrEqual(waiting!.next_attempt_at!)
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
      expect(callsOf('refusing')).toHaveLength(1)
      expect(await deliveries(refusing.id)).toMatchObject([{ status: 'FAILED', attempts: 1, error: '400 Bad Request' }])
      await until(
        () => deliveries(failing.id),
        (deliveries) => deliveries[0]?.status === 'DELIVERED',
      )
      await Promise.all([client.webhooks.delete(failing.id), client.webhooks.delete(refusing.id)])
    })

    test('a redirect is not followed', async () => {
      const { id } = await hook('moved')
      peer.answer('/moved', { status: 302, headers: { location: `${peer.url}/elsewhere` } })
      await send('moved')
      const [failed] = await until(
        () => deliveries(id, 'FAILED'),
        ({ length }) => length === 1,
      )
      expect(failed?.error).toBe('302 Found')
      expect(callsOf('elsewhere')).toEqual([])
      await client.webhooks.delete(id)
    })

    test('410 switches the webhook off', async () => {
      const { id } = await hook('gone')
      peer.answer('/gone', { status: 410 })
      await send('gone')
      const off = await until(
        () => client.webhooks.get(id),
        ({ enabled }) => !enabled,
      )
      expect(off.enabled).toBe(false)
      expect(callsOf('gone')).toHaveLength(1)
      await client.webhooks.delete(id)
    })

    test('one that hangs keeps neither messages nor other webhooks waiting', async () => {
      const stuck = await hook('stuck')
      const well = await hook('well')
      peer.answer('/stuck', { instead: 'hang' })
      await Promise.all(Array.from({ length: 20 }, (_, n) => send(`crowd-${n}`)))
      await until(
        async () => callsOf('stuck').length,
        (count) => count >= 16,
      )
      const message = await sendAndSettle(client, { event: 'news', recipient: 'late' })
      await peer.waitFor(of('well', 'late'))
      expect(message.status).toBe('DELIVERED')
      // All its slots are taken, and none of its calls has run out of time: another would have started.
      expect(callsOf('stuck')).toHaveLength(16)
      await Promise.all([client.webhooks.delete(stuck.id), client.webhooks.delete(well.id)])
    })
  })

  test('private addresses are refused unless they are opened', async () => {
    const place = await databaseEnvironment()
    const before = await open({ env: place })
    const { id } = await before.client.webhooks.create({ url: `${peer.url}/private` })
    await before.stop()
    const { url } = await open({ env: { ...place, POSTRIDER_ALLOW_PRIVATE_NETWORK: 'false' } })
    const guarded = clientOf(url, before.apiKey)
    await guarded.send({ event: 'no-such-event', recipient: 'ada' })
    const failed = () => guarded.webhooks.deliveries(id, { status: 'FAILED' })
    const { results } = await until(failed, (page) => page.results.length === 1)
    expect(results[0]?.error).toMatch(/^address_refused: .*POSTRIDER_ALLOW_PRIVATE_NETWORK/)
    expect(callsOf('private')).toEqual([])
  })
})
