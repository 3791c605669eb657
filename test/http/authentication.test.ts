/** Which credentials are accepted, and for which operations. */
import { Agent, request } from 'node:http'
import { accessOf, type Operation, operations } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { openApp, withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { until } from '../support/until.ts'

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const callWithHeader = (authorization: string) =>
    api.call('GET', '/events', { apiKey: '', headers: { authorization } })
  const send = (key: string) => api.call('POST', '/send', { apiKey: key, body: { event: 'e', recipient: 'r' } })

  test.each([
    ['bearer', `Bearer ${keys.production}`],
    ['bearer in small letters', `bearer  ${keys.production}`],
    ['basic, the key as the password', basic(`me@example.com:${keys.production}`)],
    ['basic, the key as the user name', basic(`${keys.production}:`)],
  ])('%s is let in', async (_title, authorization) => {
    expect((await callWithHeader(authorization)).status).toBe(200)
  })

  test.each([
    ['no header', '', /^The header `Authorization` is missing\. Send `Authorization: Bearer <API key>`$/],
    ['a key alone', keys.production, /^The header `Authorization` must be `Bearer <API key>`/],
    ['another scheme', `ApiKey ${keys.production}`, /^The header `Authorization` must be `Bearer <API key>`/],
    ['an empty pair', basic(':'), /^The header `Authorization` must be `Bearer <API key>`/],
    ['another key', `Bearer ${keys.production.slice(0, -1)}`, /^Unknown API key\. It was revoked, .*keys list$/],
    ['another token', 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x', /^The token is not valid: it has expired/],
  ])('%s is refused with what to send', async (_title, authorization, message) => {
    const headers = authorization === '' ? {} : { authorization }
    const { status, json } = await api.call('GET', '/events', { apiKey: '', headers })
    expect([status, json]).toMatchObject([401, { type: 'authentication_error', code: 'unauthorized' }])
    expect(json.message).toMatch(message)
  })

  test('a revoked key has the message of one that never was', async () => {
    const { id, key } = (await api.call('POST', '/keys', { body: { name: 'n' } })).json
    await api.call('DELETE', `/keys/${id}`)
    const other = key.replace(/.{4}$/, 'aaaa')
    const answers = await Promise.all([key, other].map((apiKey) => api.call('GET', '/events', { apiKey })))
    expect(answers[0]?.json).toEqual(answers[1]?.json)
  })

  test('a key without a name is called by its kind', async () =>
    expect((await api.call('POST', '/keys', { body: { kind: 'mock' } })).json).toMatchObject({ name: 'mock' }))

  test('a body with a misspelt kind makes no key', async () => {
    const before = (await api.call('GET', '/keys')).text
    const answer = await api.call('POST', '/keys', { body: { knd: 'mock' } })
    expect([answer.status, answer.json.message]).toEqual([400, 'Unknown field `knd`. Did you mean `kind`?'])
    expect((await api.call('GET', '/keys')).text).toBe(before)
  })

  test('a key makes no mightier one', async () => {
    const fromTest = await api.call('POST', '/keys', {
      apiKey: keys.test,
      body: { name: 'n', environment: 'production' },
    })
    const fromDraft = await api.call('POST', '/keys', { apiKey: keys.draft, body: { name: 'n' } })
    for (const answer of [fromTest, fromDraft])
      expect([answer.status, answer.json.type]).toEqual([403, 'authorization_error'])
  })

  describe('a draft or mock key changes nothing that a recipient of another key could notice', () => {
    const refused = operations.filter((operation) => accessOf(operation) === 'published')
    test('every change is refused but what the contract lets them do', () => expect(refused.length).toBeGreaterThan(80))

    test.each(refused.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
      const { method, path, example, body } = operation as Operation
      const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => example?.params?.[name] ?? name)
      for (const key of [keys.draft, keys.mock]) {
        const answer = await api.call(method, filled, { apiKey: key, ...(body && { body: example?.body }) })
        expect([answer.status, answer.json]).toMatchObject([
          403,
          {
            code: 'published_key_required',
            message: `Only a published key can do this; this is a ${key === keys.mock ? 'mock' : 'draft'} key`,
          },
        ])
      }
    })

    test('they send, read and write drafts, and do not publish', async () => {
      const notification = {
        name: 'n',
        content: { version: '2022-01-01', elements: [{ type: 'text', content: 'Hi' }] },
      }
      for (const key of [keys.draft, keys.mock]) {
        expect((await send(key)).status).toBe(200)
        expect((await api.call('GET', '/providers', { apiKey: key })).status).toBe(200)
        const create = (body: object) => api.call('POST', '/notifications', { apiKey: key, body })
        const made = await create({ notification })
        expect([made.status, made.json.state ?? 'DRAFT']).toEqual([201, 'DRAFT'])
        expect((await create({ notification, state: 'PUBLISHED' })).json.code).toBe('published_key_required')
        const path = `/notifications/${made.json.id}`
        expect((await api.call('POST', `${path}/publish`, { apiKey: key })).json.code).toBe('published_key_required')
        const content = { content: notification.content }
        const write = (state: string) =>
          api.call('PUT', `${path}/content`, { apiKey: key, body: { ...content, state } })
        expect([(await write('DRAFT')).status, (await write('PUBLISHED')).status]).toEqual([200, 403])
        // Sends name a template by its alias.
        const named = { notification: { ...notification, alias: 'free-alias' } }
        expect((await create(named)).json.code).toBe('published_key_required')
        const renamed = { notification: { ...notification, alias: 'welcome' }, state: 'DRAFT' }
        expect((await api.call('PUT', path, { apiKey: key, body: renamed })).json.code).toBe('published_key_required')
      }
    })
  })

  test('a revoked key is refused at once, and by other nodes as soon as they are notified', async () => {
    const node = await openApp({ pipeline: 'recording', engine: api.engine })
    try {
      const { id, key } = (await api.call('POST', '/keys', { body: { name: 'n' } })).json
      expect((await send(key)).status).toBe(200)
      expect((await node.call('GET', '/keys', { apiKey: key })).status).toBe(200)
      expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
      expect((await send(key)).status).toBe(401)
      await until(
        async () => (await node.call('GET', '/keys', { apiKey: key })).status,
        (status) => status === 401,
      )
    } finally {
      await node.stop()
    }
  })

  test('a node that is not notified refuses a revoked key within a second', async () => {
    const deaf = { ...api.engine, notify: async () => undefined }
    const node = await openApp({ pipeline: 'recording', engine: deaf })
    try {
      const { id, key } = (await api.call('POST', '/keys', { body: { name: 'n' } })).json
      expect((await send(key)).status).toBe(200)
      expect((await node.call('DELETE', `/keys/${id}`)).status).toBe(204)
      api.time.now += 1_000
      expect((await send(key)).status).toBe(401)
    } finally {
      await node.stop()
    }
  })

  test('on one kept connection each request is authenticated by its own key', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    const over = (key: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const sent = request(`${api.url}/send`, { agent, method: 'POST', headers }, (reply) => {
          ports.add(reply.socket.localPort)
          reply.resume().once('end', () => resolve(reply.statusCode))
        })
        sent.once('error', reject).end('{"event":"e","recipient":"r"}')
      })
    try {
      const before = api.sends.length
      const { id, key } = (await api.call('POST', '/keys', { body: { name: 'n' } })).json
      const used = [key, key, `${key.slice(0, -1)}_`, keys.test, key, keys.mock]
      const answers: unknown[] = []
      for (const connection of used) answers.push(await over(connection))
      expect(answers).toEqual([200, 200, 401, 200, 200, 200])
      const [first, , test, , mock] = api.sends.slice(before)
      expect([first?.mode, test?.mode, mock?.mode]).toEqual(['live', 'live', 'mock'])
      expect(test?.workspaceId).not.toBe(first?.workspaceId)
      expect(await over(key)).toBe(200)
      expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
      expect(await over(key)).toBe(401)
      expect(ports.size).toBe(1)
    } finally {
      agent.destroy()
    }
  })

  test('a key that is gone is in no list, and cannot be revoked again', async () => {
    const { id } = (await api.call('POST', '/keys', { body: { name: 'n' } })).json
    expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
    expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(404)
    expect((await api.call('GET', '/keys')).json.results.map((each: { id: string }) => each.id)).not.toContain(id)
  })

  test('the last published key of an environment stays, also with two deletions at once', async () => {
    const { results } = (await api.call('GET', '/keys', { apiKey: keys.test })).json
    const answers = await Promise.all(
      results.map(({ id }: { id: string }) => api.call('DELETE', `/keys/${id}`, { apiKey: keys.test })),
    )
    const last = answers.filter(({ status }) => status === 409)
    expect(last).toHaveLength(1)
    expect(last[0]?.json).toMatchObject({ type: 'invalid_request_error', message: expect.stringMatching(/./) })
    expect(last[0]?.headers.get('x-should-retry')).toBe('false')
  })
})
