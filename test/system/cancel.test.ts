/** Cancellation: a 200 means that no provider is called any more, a 409 shows the message as it is. */
import { type Postrider, PostriderError } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { figureOf } from './figures.ts'
import { integrate, publish } from './templates.ts'

const MINUTE = 60_000

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  const clock = settableClock()

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open({ clock }), startRecorder()])
    client = app.client
    await integrate(client, { provider: 'webhook' })
    await publish(client, 'greeting', { channels: ['webhook'] })
  })
  afterAll(() => peer.close())

  const to = (path: string) => ({
    event: 'greeting',
    recipient: 'ada',
    profile: { webhook: { url: `${peer.url}/${path}` }, email: 'ada@example.com' },
  })
  const called = (path: string) => peer.all.filter((request) => request.path === `/${path}`).length
  const conflict = async (id: string, by = client): Promise<PostriderError> => {
    const error = await by.messages.cancel(id).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PostriderError)
    return error as PostriderError
  }

  test('a delayed message is canceled and never sent', async () => {
    const due = clock.now() + MINUTE
    const delay = { until: new Date(due).toISOString() }
    const { messageId } = await client.send({ ...to('delayed'), delay })
    const listed = async () => (await client.messages.list({ messageId, include: 'providers' })).results
    expect(await listed()).toMatchObject([{ status: 'DELAYED', until: due }])
    const canceled = await client.messages.cancel(messageId)
    expect(canceled).toMatchObject({ id: messageId, status: 'CANCELED', canceledAt: expect.any(Number) })
    const { results } = await client.messages.history(messageId, { type: 'CANCELED' })
    expect(canceled.canceledBy).toMatch(/^key\/./)
    expect(results).toMatchObject([{ source: canceled.canceledBy }])
    expect(canceled).not.toHaveProperty('until')
    // Ada is found by her id.
    expect(canceled).not.toHaveProperty('address')
    expect(await listed()).toEqual([canceled])
    // A message that came due at the same time shows that its time has passed.
    const { messageId: other } = await client.send({ ...to('other'), delay })
    clock.set(due)
    await peer.waitFor(({ path }) => path === '/other')
    expect(called('delayed')).toBe(0)
    expect((await client.messages.get(other)).id).toBe(other)
    expect(await client.messages.get(messageId)).toEqual(canceled)
  })

  test('canceling twice gives the same reply', async () => {
    const { messageId } = await client.send({ ...to('twice'), delay: { duration: 600_000 } })
    const first = await client.messages.cancel(messageId)
    expect(await client.messages.cancel(messageId)).toEqual(first)
    const types = (await client.messages.history(messageId)).results.map(({ type }) => type)
    expect(types.filter((type) => type === 'CANCELED')).toHaveLength(1)
  })

  const counted = () => figureOf(app.url, 'postrider_messages_finished_total', { status: 'CANCELED' })

  test('two concurrent cancellations cancel once', async () => {
    const before = await counted()
    const { messageId } = await client.send({ ...to('race'), delay: { duration: 600_000 } })
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.messages.cancel(messageId)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect((await counted()) - before).toBe(1)
    const types = (await client.messages.history(messageId)).results.map(({ type }) => type)
    expect(types.filter((type) => type === 'CANCELED')).toHaveLength(1)
  })

  test('between two attempts it can still be canceled', async () => {
    peer.answer('/failing', { status: 500 })
    const { messageId } = await client.send(to('failing'))
    const failedTimes = (times: number) =>
      until(
        () => client.messages.history(messageId, { type: 'DELIVERING' }),
        ({ results }) => results.length === times,
      )
    await failedTimes(1)
    clock.set((await client.messages.get(messageId)).retry?.next_attempt_at ?? 0)
    await failedTimes(2)
    expect(await client.messages.cancel(messageId)).toMatchObject({
      ...{ status: 'CANCELED', canceledBy: expect.stringMatching(/^key\//) },
    })
    const explained = await client.messages.explain(messageId)
    expect(explained.message.status).toBe('CANCELED')
    expect(called('failing')).toBe(2)
  })

  test('while the provider is being called it is too late, and the message continues', async () => {
    const release = peer.hold('/slow')
    const { messageId } = await client.send(to('slow'))
    await peer.waitFor(({ path }) => path === '/slow')
    const answer = await app.call('POST', `/messages/${messageId}/cancel`)
    expect(answer.status).toBe(409)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(answer.json).toMatchObject({
      id: messageId,
      recipient: 'ada',
      event: 'greeting',
      providers: [],
      message: expect.stringMatching(/./),
      type: 'invalid_request_error',
    })
    expect(answer.json.status).not.toBe('CANCELED')
    release()
    const sent = await until(
      () => client.messages.get(messageId),
      ({ status }) => status === 'DELIVERED',
    )
    expect(sent.canceledAt).toBeUndefined()
    expect((await conflict(messageId)).status).toBe(409)
  })

  test('a sent message stays sent', async () => {
    const message = await sendAndSettle(client, to('sent'))
    const error = await conflict(message.id)
    expect(error).toMatchObject({ status: 409, shouldRetry: false, body: { status: 'DELIVERED' } })
    expect(await client.messages.get(message.id)).toEqual(message)
  })

  test('a message of another environment is as unknown as none', async () => {
    const { messageId } = await client.send({ ...to('foreign'), delay: { duration: 600_000 } })
    const { client: otherEnvironment } = await app.key('published', 'test')
    const foreign = await conflict(messageId, otherEnvironment)
    const missing = await conflict('1-65f1a2b3-0a1b2c3d4e5f60718293a4b5', otherEnvironment)
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(missing.body)
    expect((await client.messages.get(messageId)).status).toBe('DELAYED')
  })
})
