/**
 * A call with a key is done once: repeated calls get the first reply, refused ones leave the key free.
 * @module-tag safety
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { type App, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let peer: Recorder

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open(), startRecorder()])
    await integrate(app.client, { provider: 'webhook' })
    await publish(app.client, 'greeting', { channels: ['webhook'] })
  })
  afterAll(() => peer.close())

  const body = (recipient: string) => ({
    event: 'greeting',
    recipient,
    profile: { webhook: { url: `${peer.url}/${recipient}` } },
  })
  const send = (key: string, content: unknown, apiKey = app.apiKey) =>
    app.call('POST', '/send', { apiKey, body: content, headers: { 'idempotency-key': key } })
  const messagesOf = async (recipient: string) => (await app.client.messages.list({ recipient })).results

  test('a repeated send answers the same, and one message is sent', async () => {
    const first = await send('repeat', body('repeated'))
    const second = await send('repeat', body('repeated'))
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(first.status).toBe(200)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('content-type')).toBe('application/json')
    await settled(app.client, first.json.messageId)
    expect(await messagesOf('repeated')).toMatchObject([{ id: first.json.messageId, idempotencyKey: 'repeat' }])
    expect(peer.all.filter(({ path }) => path === '/repeated')).toHaveLength(1)
  })

  describe('another body with the same key', () => {
    const mismatch = ({ headers }: ApiReply) => headers.get('idempotency-mismatch')

    test('gets the first reply, also to another body, with a warning', async () => {
      const first = await send('other-body', body('first'))
      const second = await send('other-body', body('second'))
      expect([second.status, second.json]).toEqual([first.status, first.json])
      expect([mismatch(first), mismatch(second)]).toEqual([null, 'true'])
      expect(second.headers.get('idempotent-replayed')).toBe('true')
      expect(await messagesOf('second')).toEqual([])
    })

    test('is a call with other content, in any order of keys and with any spaces', async () => {
      const { event, recipient, profile } = body('reordered')
      await send('reordered', { event, recipient, profile })
      const same = await send('reordered', JSON.stringify({ profile, recipient, event }, undefined, 2))
      expect([same.headers.get('idempotent-replayed'), mismatch(same)]).toEqual(['true', null])
      expect(mismatch(await send('reordered', { event, recipient, profile, data: {} }))).toBe('true')
    })

    test('gets 409 from a strict send, and does nothing; the same body is still replayed', async () => {
      const strictly = (content: unknown) =>
        app.call('POST', '/send?strict=true', { body: content, headers: { 'idempotency-key': 'strict-body' } })
      const named = (recipient: string) => ({ ...body(recipient), data: { name: 'Ada' } })
      const first = await strictly(named('strict-first'))
      expect([first.status, first.text]).toEqual([200, expect.stringContaining('messageId')])
      for (const other of [
        named('strict-second'),
        { message: { template: 'greeting', to: [{ user_id: 'x' }, { user_id: 'y' }] } },
      ]) {
        const second = await strictly(other)
        expect([second.status, second.headers.get('x-should-retry'), second.json.type]).toEqual([
          409,
          'false',
          'invalid_request_error',
        ])
        expect(second.json.message).toMatch(/^This Idempotency-Key was used with another body/)
      }
      expect(await messagesOf('strict-second')).toEqual([])
      const again = await strictly(named('strict-first'))
      expect([again.status, again.text, mismatch(again)]).toEqual([200, first.text, null])
    })

    test('is named by sends to many and by every other POST, too', async () => {
      const headers = { 'idempotency-key': 'others' }
      const toMany = (...ids: string[]) => ({
        message: { template: 'greeting', to: ids.map((user_id) => ({ user_id })) },
      })
      const made: [string, unknown, unknown][] = [
        ['/send', toMany('a', 'b'), toMany('a', 'c')],
        ['/profiles/others', { profile: { a: 1 } }, { profile: { a: 2 } }],
      ]
      for (const [path, firstBody, other] of made) {
        const first = await app.call('POST', path, { body: firstBody, headers })
        const again = await app.call('POST', path, { body: firstBody, headers })
        const second = await app.call('POST', path, { body: other, headers })
        expect([path, first.status < 300, mismatch(first), mismatch(again), mismatch(second)]).toEqual([
          path,
          true,
          null,
          null,
          'true',
        ])
        expect(second.text).toBe(first.text)
      }
      expect((await app.client.profiles.get('others')).profile).toEqual({ a: 1 })
    })
  })

  test('one of many concurrent sends is accepted; the others get its reply or a retryable error', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('burst', body('burst'))))
    const accepted = answers.filter(({ status }) => status === 200)
    const waiting = answers.filter(({ status }) => status === 409)
    expect(accepted.length).toBeGreaterThan(0)
    expect(accepted.length + waiting.length).toBe(20)
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1)
    // A repetition helps here, unlike with other conflicts.
    for (const answer of waiting) expect(answer.headers.get('x-should-retry')).not.toBe('false')
    expect(await messagesOf('burst')).toHaveLength(1)
    expect((await send('burst', body('burst'))).json).toEqual(accepted[0]!.json)
  })

  test('a refused call leaves its key free', async () => {
    expect((await send('refused', { event: 'greeting' })).status).toBe(400)
    const answer = await send('refused', body('free'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('idempotent-replayed')).toBeNull()
    expect(await messagesOf('free')).toHaveLength(1)
  })

  test('the key of another environment is another key', async () => {
    const { apiKey } = await app.key('published', 'test')
    const ours = await send('shared', body('shared'))
    const theirs = await send('shared', body('shared'), apiKey)
    expect(theirs.status).toBe(200)
    expect(theirs.headers.get('idempotent-replayed')).toBeNull()
    expect(theirs.json.messageId).not.toBe(ours.json.messageId)
  })

  test('the key of a mock key is another key: what it simulated answers no live send', async () => {
    const { apiKey: mock, client } = await app.key('mock')
    const simulated = await send('shared-with-mock', body('kate'), mock)
    await settled(client, simulated.json.messageId)
    const sent = await send('shared-with-mock', body('kate'))
    expect(sent.headers.get('idempotent-replayed')).toBeNull()
    expect((await settled(app.client, sent.json.messageId)).status).toBe('DELIVERED')
    expect(peer.all.filter(({ path }) => path === '/kate')).toHaveLength(1)
    expect((await send('shared-with-mock', body('kate'), mock)).json).toEqual(simulated.json)
  })

  test('a reply with a secret is repeated to the key that made it, and to no other one', async () => {
    const { apiKey: other } = await app.key('published')
    const create = async (path: string, content: object, apiKey = app.apiKey) =>
      (await app.call('POST', path, { apiKey, body: content, headers: { 'idempotency-key': 'with-secret' } })).json
    for (const [path, content, secret] of [
      ['/webhooks', { url: 'https://example.com/hook' }, 'secret'],
      ['/keys', { name: 'made-once' }, 'key'],
      ['/auth/issue-token', { scope: 'user_id:ada read:preferences', expires_in: '1 day' }, 'token'],
    ] as const) {
      const first = await create(path, content)
      expect(first[secret]).toEqual(expect.any(String))
      expect(await create(path, content)).toEqual(first)
      expect((await create(path, content, other))[secret]).not.toBe(first[secret])
    }
  })

  test('the same key on another path is another key', async () => {
    const headers = { 'idempotency-key': 'paths' }
    const ours = await send('paths', body('paths'))
    const made = await app.call('POST', '/profiles/paths', { body: { profile: { a: 1 } }, headers })
    expect([ours.status, made.status, made.headers.get('idempotent-replayed')]).toEqual([200, 200, null])
  })

  test('every other POST does its work once as well', async () => {
    const headers = { 'idempotency-key': 'create' }
    const notification = { name: 'Once', content: { title: 'Once', body: 'Once' } }
    const first = await app.call('POST', '/notifications', { body: { notification }, headers })
    const second = await app.call('POST', '/notifications', { body: { notification }, headers })
    expect(first.status).toBe(201)
    expect([second.status, second.json]).toEqual([first.status, first.json])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    const names = (await app.client.notifications.list()).results.map(({ name }) => name)
    expect(names.filter((name) => name === 'Once')).toHaveLength(1)
  })

  test('sends without a key are all sent', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => app.call('POST', '/send', { body: body('keyless') })))
    expect(new Set(answers.map(({ json }) => json.messageId)).size).toBe(3)
    expect(await messagesOf('keyless')).toHaveLength(3)
  })
})
