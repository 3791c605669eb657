/**
 * Keys that expire: refused from then on with what they made, by every node and from memory, warned about before, and
 * never the last one that keys are made with.
 * @module-tag safety
 */
import { keyWarningMs } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ApiCaller, type ApiReply, mustCall } from '../support/api-client.ts'
import { openApp, withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const codeOf = ({ status, json }: ApiReply) => [status, json?.code]
const cookieOf = ({ headers }: ApiReply) => headers.get('set-cookie')?.split(';', 1)[0] ?? ''

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const newKey = (body: object = {}) => mustCall(api, 'POST', '/keys', body)
  const read = (apiKey: string, by: ApiCaller = api) => by.call('GET', '/events', { apiKey })
  const send = (apiKey: string) => api.call('POST', '/send', { apiKey, body: { event: 'e', recipient: 'r' } })
  const expire = (id: string, expires: unknown, apiKey?: string) =>
    api.call('PATCH', `/keys/${id}`, { body: { expires }, ...(apiKey !== undefined && { apiKey }) })
  const revoke = (id: string, apiKey?: string) =>
    api.call('DELETE', `/keys/${id}`, apiKey === undefined ? {} : { apiKey })

  describe('a key is made with an end', () => {
    const ends: [text: string | null | undefined, end: () => number | null][] = [
      ['2026-12-31T12:00:00Z', () => Date.UTC(2026, 11, 31, 12)],
      ['2026-12-31', () => Date.UTC(2026, 11, 31)],
      [`${Date.UTC(2027, 0, 1)}`, () => Date.UTC(2027, 0, 1)],
      ['90 days', () => api.time.now + 90 * DAY],
      ['P1D', () => api.time.now + DAY],
      [null, () => null],
      [undefined, () => null],
    ]
    test.each(ends)('%s', async (expires, end) => {
      const { id, expires: made } = await newKey({ expires })
      expect(made).toBe(end())
      const { results } = await mustCall(api, 'GET', '/keys')
      expect(results.find((key: { id: string }) => key.id === id)).toMatchObject({ expires: end() })
    })

    test.each(['yesterday', '2026-13-01', '', '0 days', '-1 days', '2020-01-01', '999999999 years'])(
      'and not with %j',
      async (expires) => {
        const reply = await api.call('POST', '/keys', { body: { expires } })
        expect([...codeOf(reply), reply.json.param]).toEqual([400, 'invalid_field', 'expires'])
      },
    )
  })

  describe('from its end on', () => {
    test('it is refused by a node that has it in memory, also on a kept connection, and says so', async () => {
      const { key, expires } = await newKey({ name: 'backend', expires: '1 day' })
      api.time.now = expires - 1
      expect([(await read(key)).status, (await send(key)).status]).toEqual([200, 200])
      api.time.now = expires
      const sends = api.sends.length
      for (const reply of [await read(key), await send(key)]) {
        expect(codeOf(reply)).toEqual([401, 'key_expired'])
        expect(reply.json.message).toBe(
          `The API key \`backend\` expired on ${new Date(expires).toISOString()}. Use another one, or make one: postrider keys create`,
        )
      }
      expect(api.sends).toHaveLength(sends)
      expect(codeOf(await read(`${key.slice(0, -1)}_`))).toEqual([401, 'unauthorized'])
    })

    test('it is refused by every node', async () => {
      const node = await openApp({ pipeline: 'recording', engine: api.engine })
      try {
        node.time.now = api.time.now
        const { key, expires } = await newKey({ expires: '1 day' })
        expect((await read(key, node)).status).toBe(200)
        node.time.now = expires
        expect(codeOf(await read(key, node))).toEqual([401, 'key_expired'])
      } finally {
        await node.stop()
      }
    })

    test('a token that it made is refused', async () => {
      const { key, expires } = await newKey({ expires: '1 day' })
      const body = { scope: 'user_id:ada read:preferences', expires_in: '30 days' }
      const { token } = (await api.call('POST', '/auth/issue-token', { apiKey: key, body })).json
      const preferences = () => api.call('GET', '/users/ada/preferences', { apiKey: token })
      api.time.now = expires - 1
      expect((await preferences()).status).toBe(200)
      api.time.now = expires
      const reply = await preferences()
      expect(codeOf(reply)).toEqual([401, 'key_expired'])
      expect(reply.json.message).toMatch(/^The API key of this token expired on /)
    })

    test('its sessions have ended, none can be started, and its links do not work', async () => {
      const { id, key, expires } = await newKey({ expires: '1 hour' })
      const signIn = (body: object) => api.call('POST', '/session', { apiKey: '', body })
      const signedIn = await signIn({ key })
      expect(signedIn.json.expires).toBe(expires)
      const headers = { cookie: cookieOf(signedIn), 'x-postrider-session': '1' }
      const identity = () => api.call('GET', '/session', { apiKey: '', headers })
      api.time.now = expires - 1
      const link = await api.call('POST', '/session/links', { apiKey: key })
      expect((await identity()).status).toBe(200)
      const listed = async () => (await mustCall(api, 'GET', '/sessions')).results.length
      const before = await listed()
      api.time.now = expires
      expect(codeOf(await identity())).toEqual([401, 'session_expired'])
      expect(await listed()).toBe(before - 1)
      const refused = await signIn({ key })
      expect(codeOf(refused)).toEqual([401, 'key_expired'])
      expect(refused.json.message).toMatch(/^This key expired on /)
      const byLink = await signIn({ link: link.json.url })
      expect(codeOf(byLink)).toEqual([401, 'sign_in_link_unusable'])
      expect(byLink.json.message).toContain('has expired')
      // They do not come back with it.
      expect((await expire(id, '1 day')).status).toBe(200)
      expect(codeOf(await identity())).toEqual([401, 'session_expired'])
    })

    test('it makes room where a thousand keys are there', async () => {
      await api.engine.run({
        text: `insert into keys (id, workspace_id, kind, role, name, hash, hint, created, expires)
          select 'full-' || n, 2, 'mock', 'viewer', 'n', 'h-' || n, '', 0, case when n > 1 then $1::bigint end
          from generate_series(1, 1000) n`,
        values: [api.time.now + DAY],
      })
      const make = () => api.call('POST', '/keys', { body: { environment: 'test', role: 'viewer' } })
      expect(codeOf(await make())).toEqual([409, 'limit_reached'])
      api.time.now += DAY
      expect((await make()).status).toBe(201)
      const { results } = (await api.call('GET', '/keys', { apiKey: keys.test })).json
      expect(results.filter(({ name }: { name: string }) => name === 'n')).toHaveLength(1)
    })

    test('it is listed until it is revoked, and can be given a later end', async () => {
      const { id, key, expires } = await newKey({ expires: '1 day' })
      api.time.now = expires
      expect((await read(key)).status).toBe(401)
      const { results } = await mustCall(api, 'GET', '/keys')
      expect(results).toContainEqual(expect.objectContaining({ id, expires }))
      expect(await expire(id, '1 day')).toMatchObject({ status: 200, json: { id, expires: api.time.now + DAY } })
      expect((await read(key)).status).toBe(200)
      expect((await revoke(id)).status).toBe(204)
      expect(codeOf(await read(key))).toEqual([401, 'unauthorized'])
    })
  })

  test('a key that is given an end while it is used is refused from then on by every node', async () => {
    const node = await openApp({ pipeline: 'recording', engine: api.engine })
    try {
      node.time.now = api.time.now
      const { id, key } = await newKey()
      expect([(await read(key)).status, (await read(key, node)).status]).toEqual([200, 200])
      const { json } = await expire(id, '1 hour')
      for (const each of [api, node]) {
        each.time.now = json.expires
        expect(codeOf(await read(key, each))).toEqual([401, 'key_expired'])
      }
      const { results } = await mustCall(api, 'GET', '/audit-events?type=key:updated&limit=1')
      expect(results[0]).toMatchObject({ type: 'key:updated', target: id })
    } finally {
      await node.stop()
    }
  })

  test('an end is set for a key of the environment, by a published key of role full', async () => {
    const { id } = await newKey()
    const editor = await newKey({ role: 'editor' })
    expect(codeOf(await expire(id, '90 days', editor.key))).toEqual([403, 'role_required'])
    expect(codeOf(await expire(id, '90 days', keys.mock))).toEqual([403, 'published_key_required'])
    expect(codeOf(await expire(id, '90 days', keys.test))).toEqual([404, 'not_found'])
    expect(codeOf(await expire('none', '90 days'))).toEqual([404, 'not_found'])
    expect((await expire(id, 'soon')).json).toMatchObject({ code: 'invalid_field', param: 'expires' })
    expect((await api.call('PATCH', `/keys/${id}`, { body: {} })).status).toBe(400)
  })

  describe('the last published key of role full', () => {
    const newTestKey = async (body: object) => (await api.call('POST', '/keys', { apiKey: keys.test, body })).json

    test('keeps its place until another one is valid for 14 days longer', async () => {
      // The test environment has one key.
      const refused = async (reply: ApiReply) => {
        expect(codeOf(reply)).toEqual([409, 'in_use'])
        expect(reply.json.message).toContain('Make one that is: postrider keys create')
        expect((await read(keys.test)).status).toBe(200)
      }
      await refused(await revoke('TEST', keys.test))
      await refused(await expire('TEST', '1 day', keys.test))
      for (const body of [{ role: 'editor' }, { kind: 'mock' }, { expires: '13 days' }]) await newTestKey(body)
      await refused(await revoke('TEST', keys.test))
      await refused(await expire('TEST', '1 minute', keys.test))
      const next = await newTestKey({ name: 'next', expires: '20 days' })
      // The overlap ends 14 days before the next key or earlier.
      await refused(await expire('TEST', '7 days', keys.test))
      expect((await expire('TEST', '6 days', keys.test)).status).toBe(200)
      expect((await revoke('TEST', keys.test)).status).toBe(204)
      expect((await read(next.key)).status).toBe(200)
      // Now this one is the last; keys that are no way in are free.
      const { results } = (await api.call('GET', '/keys', { apiKey: next.key })).json
      const other = results.find(({ role }: { role: string }) => role === 'editor')
      expect((await revoke(other.id, next.key)).status).toBe(204)
      expect(codeOf(await revoke(next.id, next.key))).toEqual([409, 'in_use'])
      expect((await expire(next.id, null, next.key)).status).toBe(200)
    })

    test('stays when it and the one beside it are ended at once', async () => {
      const node = await openApp({ pipeline: 'recording' })
      try {
        const second = (await node.call('POST', '/keys', { apiKey: keys.test })).json
        const [expiry, revocation] = await Promise.all([
          node.call('PATCH', '/keys/TEST', { apiKey: keys.test, body: { expires: '1 day' } }),
          node.call('DELETE', `/keys/${second.id}`, { apiKey: keys.test }),
        ])
        expect([
          [200, 409],
          [409, 204],
        ]).toContainEqual([expiry.status, revocation.status])
      } finally {
        await node.stop()
      }
    })
  })

  test('the checks of the server warn before a key expires, and after it', async () => {
    const node = await openApp({ pipeline: 'recording' })
    try {
      const warning = async () => {
        const { checks } = await mustCall(node, 'GET', '/diagnostics')
        return checks.find(({ name }: { name: string }) => name === 'API keys')
      }
      const { id, expires } = await mustCall(node, 'POST', '/keys', { name: 'shop', expires: '90 days' })
      const iso = new Date(expires).toISOString()
      node.time.now = expires - keyWarningMs - 1
      expect(await warning()).toBeUndefined()
      node.time.now = expires - keyWarningMs
      expect(await warning()).toMatchObject({ state: 'warn', detail: `\`shop\` (${id}) expires on ${iso}` })
      node.time.now = expires
      expect(await warning()).toMatchObject({ state: 'warn', detail: `\`shop\` (${id}) expired on ${iso}` })
      // Those that can still be replaced in time come first.
      for (let n = 0; n < 6; n += 1) await mustCall(node, 'POST', '/keys', { name: `old-${n}`, expires: '1 second' })
      node.time.now += 60_000
      await mustCall(node, 'POST', '/keys', { name: 'payments', expires: '2 days' })
      expect((await warning()).detail).toMatch(/^`payments` .* expires on .*; others follow$/)
      node.time.now += keyWarningMs + 2 * DAY
      expect(await warning()).toBeUndefined()
    } finally {
      await node.stop()
    }
  })
})
