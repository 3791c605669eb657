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
    const expectReused = (reply: ApiReply) =>
      expect([reply.status, reply.headers.get('x-should-retry'), reply.json.code, reply.json.type]).toEqual([
        ...[409, 'false', 'idempotency_key_reused', 'invalid_request_error'],
      ])

    test('is refused for another recipient, who is never lost without an error', async () => {
      const first = await send('other-body', body('first'))
      for (const other of [
        body('second'),
        { ...body('first'), profile: body('second').profile },
        { message: { template: 'greeting', to: [{ user_id: 'first' }, { user_id: 'second' }] } },
      ])
        expectReused(await send('other-body', other))
      expect(await messagesOf('second')).toEqual([])
      expect((await send('other-body', body('first'))).json).toEqual(first.json)
      // The key that the second person gets instead.
      expect((await send('own-body', body('second'))).status).toBe(200)
      expect(await messagesOf('second')).toHaveLength(1)
    })

    test('is refused for other content, and replayed in any order of keys and with any spaces', async () => {
      const { event, recipient, profile } = body('reordered')
      await send('reordered', { event, recipient, profile })
      const same = await send('reordered', JSON.stringify({ profile, recipient, event }, undefined, 2))
      expect([same.status, same.headers.get('idempotent-replayed'), mismatch(same)]).toEqual([200, 'true', null])
      expectReused(await send('reordered', { event, recipient, profile, data: { invoice: 2 } }))
    })

    test('is refused whether the send is strict or lenient', async () => {
      const call = (query: string, content: unknown) =>
        app.call('POST', `/send${query}`, { body: content, headers: { 'idempotency-key': 'strict-body' } })
      const named = (recipient: string) => ({ ...body(recipient), data: { name: 'Ada' } })
      const first = await call('?strict=true', named('strict-first'))
      expect([first.status, first.text]).toEqual([200, expect.stringContaining('messageId')])
      for (const query of ['?strict=true', '?strict=false', '']) {
        expectReused(await call(query, named('strict-second')))
        const again = await call(query, named('strict-first'))
        expect([again.status, again.text, mismatch(again)]).toEqual([200, first.text, null])
      }
      expect(await messagesOf('strict-second')).toEqual([])
    })

    test('gets the first reply from a send of an official SDK that has other content, and a 409 for anything else', async () => {
      const sdk = (content: unknown, key = 'sdk', query = '') =>
        app.call('POST', `/send${query}`, {
          body: content,
          headers: { 'idempotency-key': key, 'user-agent': 'courier-node/5.7.0' },
        })
      const first = await sdk({ ...body('sdk-first'), data: { at: 1 } })
      const second = await sdk({ ...body('sdk-first'), data: { at: 2 } })
      expect([second.status, second.text, mismatch(second)]).toEqual([200, first.text, 'true'])
      expect(second.headers.get('idempotent-replayed')).toBe('true')
      expect(await messagesOf('sdk-first')).toHaveLength(1)
      expectReused(await sdk({ ...body('sdk-second'), data: { at: 1 } }))
      expect(await messagesOf('sdk-second')).toEqual([])
      expectReused(await sdk({ ...body('sdk-first'), data: { at: 2 } }, 'sdk', '?strict=true'))
      // Another operation is compared as a whole: its data can name the recipient.
      const invoke = (user: string) =>
        app.call('POST', '/automations/invoke', {
          body: {
            automation: { steps: [{ action: 'send', template: 'greeting', recipient: { $ref: 'data.user' } }] },
            data: { user },
          },
          headers: { 'idempotency-key': 'sdk', 'user-agent': 'courier-node/5.7.0' },
        })
      expect((await invoke('ada')).status).toBe(200)
      expectReused(await invoke('bea'))
      // The users of a job come later, and would get the data of the first one.
      const job = (at: number) =>
        app.call('POST', '/bulk', {
          body: { message: { event: 'greeting', data: { at } } },
          headers: { 'idempotency-key': 'sdk-job', 'user-agent': 'courier-node/5.7.0' },
        })
      expect((await job(1)).status).toBe(201)
      expectReused(await job(2))
    })

    test('is refused for sends to many, jobs and every other POST', async () => {
      const headers = { 'idempotency-key': 'others' }
      const toMany = (...ids: string[]) => ({
        message: { template: 'greeting', to: ids.map((user_id) => ({ user_id })) },
      })
      const { jobId } = await app.client.bulk.create({ message: { event: 'greeting' } })
      const made: [string, unknown, unknown][] = [
        ['/send', toMany('a', 'b'), toMany('a', 'c')],
        ['/send/list', { list: 'one', event: 'greeting' }, { list: 'two', event: 'greeting' }],
        ['/bulk', { message: { event: 'greeting' } }, { message: { event: 'greeting', data: { a: 1 } } }],
        [`/bulk/${jobId}`, { users: [{ recipient: 'a' }] }, { users: [{ recipient: 'c' }] }],
        ['/profiles/others', { profile: { a: 1 } }, { profile: { a: 2 } }],
      ]
      for (const [path, firstBody, other] of made) {
        const first = await app.call('POST', path, { body: firstBody, headers })
        expect([path, first.status < 300, first.text]).toEqual([path, true, first.text])
        expectReused(await app.call('POST', path, { body: other, headers }))
        const again = await app.call('POST', path, { body: firstBody, headers })
        expect([path, again.text, mismatch(again)]).toEqual([path, first.text, null])
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
