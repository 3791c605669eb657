/** Every status and reason a message can end with, with the record and the history the public contract promises. */
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { enqueued, loaded, mapped, nowhere } from './history.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  let hook: string
  let greeting: string

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open(), startRecorder()])
    client = app.client
    hook = (await integrate(client, { provider: 'webhook' })).id
    greeting = await publish(client, 'greeting', { channels: ['webhook'] })
  })
  afterAll(() => peer.close())

  const webhook = (path: string) => ({ webhook: { url: `${peer.url}/${path}` } })
  const called = (path: string) => peer.all.filter((request) => request.path === `/${path}`).length
  const history = async (id: string) => (await client.messages.history(id)).results
  test('UNMAPPED: the event names nothing', async () => {
    const message = await sendAndSettle(client, { event: 'no-such-event', recipient: 'ada' })
    expect(message).toEqual({
      id: message.id,
      status: 'UNMAPPED',
      recipient: 'ada',
      event: 'no-such-event',
      notification: '',
      enqueued: expect.any(Number),
      error: 'Event not mapped to a notification: `no-such-event`',
      findings: ['event_unknown'],
      idempotencyKey: expect.any(String),
      providers: [],
    })
    expect(await history(message.id)).toEqual([
      enqueued('no-such-event', 'ada'),
      {
        type: 'UNMAPPED',
        ts: expect.any(Number),
        event_id: 'no-such-event',
        findings: ['No notification is mapped to the event `no-such-event`.'],
      },
    ])
  })

  test('UNPUBLISHED: there is a draft and nothing else', async () => {
    const content = { title: 'Draft', body: 'Draft' }
    const { id } = await client.notifications.create({ notification: { name: 'draft', content } })
    await client.events.put('unpublished', { id, type: 'notification' })
    const message = await sendAndSettle(client, { event: 'unpublished', recipient: 'ada' })
    expect(message).toMatchObject({ status: 'UNROUTABLE', reason: 'UNPUBLISHED', providers: [] })
    expect(message.error).toBe('Notification is not published')
    expect(await history(message.id)).toEqual([
      enqueued('unpublished', 'ada'),
      { ...mapped('unpublished', id), findings: [`The notification \`${id}\` has no published version.`] },
      { type: 'UNROUTABLE', ...nowhere, reason: 'UNPUBLISHED', error_message: 'Notification is not published' },
    ])
  })

  test('NO_CHANNELS: the notification has no channel', async () => {
    const id = await publish(client, 'no-channels', { channels: [] })
    const message = await sendAndSettle(client, { event: 'no-channels', recipient: 'ada' })
    expect(message).toMatchObject({ status: 'UNROUTABLE', reason: 'NO_CHANNELS', notification: id, providers: [] })
    expect(message.error).toMatch(/^No channels/)
    expect(await history(message.id)).toEqual([
      enqueued('no-channels', 'ada'),
      mapped('no-channels', id),
      loaded({}),
      { type: 'UNROUTABLE', ...nowhere, reason: 'NO_CHANNELS', error_message: message.error },
    ])
  })

  test('INCOMPLETE_PROFILE_DATA: the profile has no address that an integration can use', async () => {
    const id = await publish(client, 'no-address', { channels: ['email'] })
    const profile = { phone_number: '+12025550143' }
    const message = await sendAndSettle(client, { event: 'no-address', recipient: 'ada', profile })
    const reason = 'INCOMPLETE_PROFILE_DATA'
    const error = 'No usable address: email (Mailbox) needs `email` in the profile'
    expect(message).toMatchObject({ status: 'UNROUTABLE', reason, error, providers: [] })
    expect(await history(message.id)).toEqual([
      enqueued('no-address', 'ada', { profile }),
      mapped('no-address', id),
      loaded(profile),
      { type: 'UNROUTABLE', ...nowhere, reason, error_message: error },
    ])
  })

  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

  test.each([
    ['by notification', () => ({ [greeting]: { status: 'OPTED_OUT' as const } })],
    ['by event', () => ({ greeting: { status: 'OPTED_OUT' as const } })],
    ['until tomorrow', () => ({ [greeting]: { rules: [{ type: 'snooze' as const, until: tomorrow() }] } })],
  ])('UNSUBSCRIBED: the recipient has opted out (%s)', async (how, notifications) => {
    const path = `unsubscribed-${how.replaceAll(' ', '-')}`
    const preferences = { notifications: notifications() }
    const message = await sendAndSettle(client, {
      event: 'greeting',
      recipient: 'ada',
      profile: webhook(path),
      preferences,
    })
    expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' })
    expect(message.error).toBe('Notification opted out by user')
    const events = await history(message.id)
    expect(events.map(({ type }) => type)).toEqual(['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'UNDELIVERABLE'])
    expect(events.at(-1)).toEqual({
      type: 'UNDELIVERABLE',
      ...nowhere,
      reason: 'UNSUBSCRIBED',
      error_message: 'Notification opted out by user',
    })
    expect(called(path)).toBe(0)
  })

  test('a snooze that is over does not matter', async () => {
    const rules = [{ type: 'snooze' as const, until: '2021-12-31T00:00:00.000Z' }]
    const preferences = { notifications: { [greeting]: { rules } } }
    const send = { event: 'greeting', recipient: 'ada', profile: webhook('snoozed'), preferences }
    expect((await sendAndSettle(client, send)).status).toBe('DELIVERED')
    expect(called('snoozed')).toBe(1)
  })

  test('PROVIDER_ERROR: the provider refuses', async () => {
    peer.answer('/refused', { status: 400, body: { message: 'no such list' } })
    const data = { name: 'Ada' }
    const send = { event: 'greeting', recipient: 'ada', profile: webhook('refused'), data }
    const message = await sendAndSettle(client, send)
    const error = '400 Bad Request: no such list'
    const channel = { key: 'webhook', name: 'Webhook', template: 'webhook' }
    expect(message).toMatchObject({
      status: 'UNDELIVERABLE',
      reason: 'PROVIDER_ERROR',
      error,
      providers: [{ provider: 'webhook', status: 'UNDELIVERABLE', error, channel, reference: {} }],
    })
    expect(message.sent).toBeUndefined()
    const via = { channel: { id: 'webhook' }, integration: { id: hook, provider: 'webhook' } }
    expect((await history(message.id)).slice(3)).toEqual([
      { type: 'RENDERED', ts: expect.any(Number), ...via, output: expect.any(Object) },
      { type: 'UNDELIVERABLE', ts: expect.any(Number), ...via, error_message: error, reason: 'PROVIDER_ERROR' },
    ])
    expect(called('refused')).toBe(1)
  })

  test('FILTERED: the condition of the notification is not met, and only then', async () => {
    await publish(client, 'large-orders', { channels: ['webhook'], settings: { if: 'data.total > 100' } })
    const send = { event: 'large-orders', recipient: 'ada', profile: webhook('filtered') }
    const small = await sendAndSettle(client, { ...send, data: { total: 99 } })
    expect(small).toMatchObject({ status: 'FILTERED', reason: 'FILTERED', providers: [] })
    const unmet = 'The condition of the notification is not met'
    expect((await history(small.id)).slice(3)).toEqual([
      { type: 'FILTERED', ...nowhere, reason: 'FILTERED', error_message: unmet },
    ])
    expect(called('filtered')).toBe(0)
    expect((await sendAndSettle(client, { ...send, data: { total: 101 } })).status).toBe('DELIVERED')
  })

  test('SIMULATED: a mock key renders and calls no provider', async () => {
    const { client: mock } = await app.key('mock')
    const message = await sendAndSettle(mock, { event: 'greeting', recipient: 'ada', profile: webhook('mocked') })
    expect(message).toMatchObject({ status: 'SIMULATED', providers: [] })
    expect(message.sent).toBeUndefined()
    const events = await history(message.id)
    expect(events.slice(3).map(({ type }) => type)).toEqual(['RENDERED', 'SIMULATED'])
    expect((await client.messages.output(message.id)).results).toHaveLength(1)
    expect(called('mocked')).toBe(0)
  })

  test('DELAYED, then sent: nothing happens before its time', async () => {
    const due = Date.now() + 1_200
    const delay = { until: new Date(due).toISOString() }
    const { messageId } = await client.send({ event: 'greeting', recipient: 'ada', profile: webhook('later'), delay })
    const request = await peer.waitFor(({ path }) => path === '/later')
    expect(request.at).toBeGreaterThanOrEqual(due)
    await until(
      () => client.messages.get(messageId),
      ({ status }) => status === 'DELIVERED',
    )
    const events = await history(messageId)
    expect(events.slice(0, 2)).toEqual([
      enqueued('greeting', 'ada', { profile: expect.any(Object) }),
      { type: 'DELAYED', ts: expect.any(Number), until: due },
    ])
    const types = events.map(({ type }) => type)
    expect(types).toEqual(['ENQUEUED', 'DELAYED', 'MAPPED', 'PROFILE_LOADED', 'RENDERED', 'SENT', 'DELIVERED'])
  })

  test('a duration ends with a whole minute', async () => {
    const { messageId } = await client.send({ event: 'greeting', recipient: 'ada', delay: { duration: 120_000 } })
    const { until, ts } = (await history(messageId)).find((event) => event.type === 'DELAYED')!
    expect(until % 60_000).toBe(0)
    expect(until - ts).toBeGreaterThanOrEqual(120_000)
    expect(until - ts).toBeLessThan(180_000)
  })

  test('CANCELED: stopped in time', async () => {
    const { messageId } = await client.send({ event: 'greeting', recipient: 'ada', delay: { duration: 600_000 } })
    expect(await client.messages.cancel(messageId)).toMatchObject({
      id: messageId,
      status: 'CANCELED',
      canceledAt: expect.any(Number),
      providers: [],
    })
    expect((await history(messageId)).map(({ type }) => type)).toEqual(['ENQUEUED', 'DELAYED', 'CANCELED'])
  })

  test('a draft key sends the draft, every other key the published version', async () => {
    const id = await publish(client, 'reworded', {
      channels: ['webhook'],
      content: { title: 'Old', body: 'Old words' },
    })
    await client.notifications.replaceContent(id, { content: { title: 'New', body: 'New words' } })
    const { client: draft } = await app.key('draft')
    const send = (path: string) => ({ event: 'reworded', recipient: 'ada', profile: webhook(path) })
    const [drafted, published] = await Promise.all([
      sendAndSettle(draft, send('drafted')),
      sendAndSettle(client, send('published')),
    ])
    const words = async (path: string) =>
      JSON.parse((await peer.waitFor((request) => request.path === `/${path}`)).body).content.body
    expect(await words('drafted')).toContain('New words')
    expect(await words('published')).toContain('Old words')
    expect([drafted.status, published.status]).toEqual(['DELIVERED', 'DELIVERED'])
  })

  test('the stored profile is used, and what is sent along wins', async () => {
    await client.profiles.replace('stored', { profile: { name: 'Ada', ...webhook('stored') } })
    const profile = { name: 'Countess' }
    const message = await sendAndSettle(client, { event: 'greeting', recipient: 'stored', profile })
    const [, , event] = await history(message.id)
    expect(event).toMatchObject({
      received_profile: profile,
      stored_profile: { name: 'Ada' },
      merged_profile: { name: 'Countess' },
    })
    expect(called('stored')).toBe(1)
  })

  test('a variable that is missing stays as written, or keeps the message back', async () => {
    await publish(client, 'strict', { channels: ['webhook'], settings: { on_missing_variable: 'fail' } })
    const send = { recipient: 'ada', profile: webhook('missing') }
    await sendAndSettle(client, { ...send, event: 'greeting' })
    expect(JSON.parse(peer.all.find(({ path }) => path === '/missing')!.body).content.body).toContain('{name}')
    const strict = await sendAndSettle(client, { ...send, event: 'strict' })
    expect(strict.status).toBe('UNDELIVERABLE')
    expect(strict.error).toMatch(/name/)
    expect(called('missing')).toBe(1)
  })
})
