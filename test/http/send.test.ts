/** A send reaches the pipeline with its inputs; a key makes any POST safe to repeat. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openApp, withApp } from '../support/app.ts'
import { type Accepted, keys, type RecordingApp } from '../support/recording-app.ts'

const day = 86_400_000

withApp((open) => {
  let api: RecordingApp
  let outcome: Accepted | undefined
  beforeAll(async () => {
    api = await open({
      pipeline: 'recording',
      replace: {
        pipeline: {
          accept: async (send) => outcome ?? { kind: 'accepted', messageId: `m${api.sends.push(send)}` },
        },
      },
    })
  })
  beforeEach(() => {
    outcome = undefined
    api.sends.length = 0
  })

  const send = (body: unknown, headers: Record<string, string> = {}) => api.call('POST', '/send', { body, headers })

  test('every part arrives, absent ones stay absent', async () => {
    const input = {
      event: 'e',
      recipient: 'r',
      profile: { email: 'a@b.c' },
      data: { n: 1 },
      override: { sendgrid: { body: {} } },
      preferences: { notifications: {} },
      brand: 'B',
    }
    const answer = await send(input)
    expect([answer.status, answer.json]).toEqual([200, { messageId: 'm1' }])
    await send({
      event: 'e',
      recipient: 42,
      profile: null,
      data: null,
      brand: null,
      preferences: null,
      override: null,
      delay: null,
    })
    expect(api.sends).toEqual([
      { workspaceId: 1, mode: 'live', input },
      { workspaceId: 1, mode: 'live', input: { event: 'e', recipient: '42' } },
    ])
  })

  test.each([
    [
      'a form',
      'application/x-www-form-urlencoded',
      'event=e&recipient=r+1&profile[email]=a%40b.c&data[a][b]=1&data[l][]=x',
    ],
    [
      'a form with the type of JSON',
      'application/json',
      'event=e&recipient=r+1&profile[email]=a%40b.c&data[a][b]=1&data[l][]=x',
    ],
    [
      'JSON with the type of a form',
      'application/x-www-form-urlencoded',
      '{"event":"e","recipient":"r 1","profile":{"email":"a@b.c"},"data":{"a":{"b":"1"},"l":["x"]}}',
    ],
  ])('%s is read', async (_title, type, body) => {
    expect((await send(body, { 'content-type': type })).status).toBe(200)
    expect(api.sends[0]?.input).toEqual({
      event: 'e',
      recipient: 'r 1',
      profile: { email: 'a@b.c' },
      data: { a: { b: '1' }, l: ['x'] },
    })
  })

  test('a body without a type is read, and a type without a body does not matter', async () => {
    const headers = { authorization: `Bearer ${keys.production}` }
    const body = new TextEncoder().encode('{"event":"e","recipient":"r"}')
    expect((await fetch(`${api.url}/send`, { method: 'POST', headers, body })).status).toBe(200)
    const bare = { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' } }
    expect((await fetch(`${api.url}/lists/l/subscriptions/u`, bare)).status).toBe(204)
  })

  test.each([
    [{ duration: 120_000 }, Date.UTC(2026, 0, 5, 12, 3)],
    [{ duration: 0 }, undefined],
    [{ until: '2026-01-05T13:00:00+01:00' }, undefined],
    [{ until: '2026-01-05T13:00:00Z' }, Date.UTC(2026, 0, 5, 13)],
  ])('a delay of %j is due at %s', async (delay, due) => {
    await send({ event: 'e', recipient: 'r', delay })
    expect(api.sends[0]?.notBefore).toBe(due)
  })

  test('the idempotency key and its lifetime are handed on', async () => {
    const { now } = api.time
    const at = now + 40 * day
    const lifetimes = [
      [undefined, now + 25 * 3_600_000],
      [String(at), at],
      [String(Math.floor(at / 1_000)), Math.floor(at / 1_000) * 1_000],
      [new Date(at).toISOString(), at],
      [String(now), now + day],
      ['1 Day', now + day],
      ['40 days', at],
      ['P40D', at],
      ['soon', now + 25 * 3_600_000],
      [String(now + 1_000 * day), now + 365 * day],
    ] as const
    for (const [expiration, expires] of lifetimes) {
      const headers = { 'idempotency-key': 'k', ...(expiration ? { 'x-idempotency-expiration': expiration } : {}) }
      await send({ event: 'e', recipient: 'r' }, headers)
      expect(api.sends.at(-1)?.idempotency).toMatchObject({ route: 'send.send', key: 'k', expires })
    }
  })

  test.each([['a key of 256 characters', { 'idempotency-key': 'k'.repeat(256) }]])(
    '%s is a 400',
    async (_title, headers) => {
      expect((await send({ event: 'e', recipient: 'r' }, headers)).status).toBe(400)
      expect(api.sends).toEqual([])
    },
  )

  test('a replay is byte for byte; a key in use can be retried', async () => {
    outcome = { kind: 'replayed', status: 200, reply: '{"messageId":"of then"}' }
    const replayed = await send({ event: 'e', recipient: 'r' })
    expect([replayed.status, replayed.text]).toEqual([200, '{"messageId":"of then"}'])
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect(replayed.headers.get('content-type')).toBe('application/json')
    outcome = { kind: 'in_flight' }
    const busy = await send({ event: 'e', recipient: 'r' })
    expect([busy.status, busy.headers.get('x-should-retry'), busy.headers.get('retry-after')]).toEqual([409, null, '1'])
  })

  describe('any other POST with a key', () => {
    const create = (key: string, body: object = { name: 'once' }, caller = keys.production) =>
      api.call('POST', '/keys', { apiKey: caller, body, headers: { 'idempotency-key': key } })
    const count = async () => (await api.call('GET', '/keys')).json.results.length

    test('is done once and answered twice, secrets included', async () => {
      const before = await count()
      const first = await create('a')
      const second = await create('a')
      expect((await create('a', { name: 'another body' })).json.code).toBe('idempotency_key_reused')
      expect([second.status, second.text]).toEqual([201, first.text])
      expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
      expect(await count()).toBe(before + 1)
      const { rows } = await api.engine.run({ text: 'select reply from idempotency_keys', values: [] })
      expect(JSON.stringify(rows)).not.toContain(first.json.key)
    })

    test('is done once also when two come at once', async () => {
      const before = await count()
      const answers = await Promise.all([create('b'), create('b'), create('b')])
      expect(answers.map(({ status }) => status).every((status) => status === 201 || status === 409)).toBe(true)
      expect(await count()).toBe(before + 1)
    })

    test('belongs to one environment and one path', async () => {
      const here = await create('c')
      const there = await create('c', { name: 'there' }, keys.test)
      expect(there.json.key).not.toBe(here.json.key)
    })

    test('stays free after a rejected call', async () => {
      expect((await create('d', { name: 'd', kind: 'golden' })).status).toBe(400)
      expect((await create('d', { name: 'd', kind: 'draft', environment: 'production' }, keys.draft)).status).toBe(403)
      expect((await create('d')).headers.get('idempotent-replayed')).toBeNull()
    })

    test('belongs to what the path names, however it is written', async () => {
      const merge = (path: string) =>
        api.call('POST', path, { body: { profile: {} }, headers: { 'idempotency-key': 'path' } })
      const replayed = async (path: string) => (await merge(path)).headers.get('idempotent-replayed')
      expect(await replayed('/profiles/a%7Cb')).toBeNull()
      expect(await replayed('/profiles/a|b/')).toBe('true')
      expect(await replayed('//profiles/%61%7cb?x=')).toBe('true')
      expect(await replayed('/profiles/a')).toBeNull()
      expect(await replayed(`/profiles/${encodeURIComponent('ü'.repeat(512))}`)).toBeNull()
    })

    test('a call that another node answers meanwhile is left to that node, whatever its result here', async () => {
      const other = await openApp({ pipeline: 'recording', engine: api.engine })
      const headers = { 'idempotency-key': 'nodes' }
      const body = { notification: { name: 'n', alias: 'nodes', content: { title: 't', body: 'b' } } }
      const nodes = [api, other].map((node) => () => node.call('POST', '/notifications', { body, headers }))
      const answers = await Promise.all(nodes.map((callNode) => callNode()))
      expect(answers.map(({ status }) => status)).toEqual([201, 201])
      expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
      await other.stop()
    })

    test('is free again when its time is over', async () => {
      const first = await create('e')
      api.time.now += 26 * 3_600_000
      expect((await create('e')).json.key).not.toBe(first.json.key)
    })
  })
})
