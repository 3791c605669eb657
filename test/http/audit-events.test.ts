/**
 * Every administrative change leaves an audit event, in the commit of the change; rejected and repeated calls leave
 * none.
 */
import { operations } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { ownParams, pathWith } from '../support/fixtures.ts'
import { keys, type RecordingApp, trustedProxies } from '../support/recording-app.ts'

// A PostgreSQL server is copied by its own tools: the local one has its test in test/cli/backup.
const administrative = operations
  .filter(({ id, audit }) => audit && id !== 'service.backup')
  .map((operation) => [operation.id, operation] as const)
/** Without a key in `Authorization`. */
const ofSession = new Set(['sessions.switch', 'sessions.signOut'])

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording', replace: { trustedProxies: trustedProxies(['127.0.0.0/8']) } })
  })

  const list = async (key?: string) => (await api.call('GET', '/audit-events', key ? { apiKey: key } : {})).json.results
  const signIn = async () => {
    const reply = await api.call('POST', '/session', { apiKey: '', body: { key: keys.production } })
    const cookie = reply.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    return { id: reply.json.session_id, headers: { cookie, 'x-postrider-session': '1' } }
  }
  const latest = async () => (await list())[0]

  test('there are audit events to read', () => {
    const types = administrative.map(([, { audit }]) => audit)
    expect(types).toEqual(
      expect.arrayContaining(['key:created', 'integration:updated', 'webhook:deleted', 'list:updated', 'token:issued']),
    )
  })

  /** The targets of calls that make nothing which has an id. */
  const storesNothing: Record<string, string> = {
    'providers.testSettings': 'sendgrid',
    'sessions.createLink': 'PRODUCTION',
  }

  test.each(administrative)('%s', async (id, operation) => {
    const params = await ownParams(operation, api, id.replace('.', '-'))
    const { method, path, body, example } = operation
    // The provider of an integration cannot be changed.
    const change = id === 'providers.update' ? { provider: 'twilio' } : example?.body
    const session = ofSession.has(id) ? await signIn() : undefined
    const before = await list()
    api.time.now += 1_000
    const isSignIn = id === 'sessions.signIn'
    const answer = await api.call(method, pathWith(path, params), {
      ...(body && { body: isSignIn ? { key: keys.production } : change }),
      ...((session || isSignIn) && { apiKey: '' }),
      headers: { ...session?.headers, 'x-forwarded-for': '198.51.100.7' },
    })
    expect(answer.status).toBeLessThan(300)
    const sessionId = session?.id ?? answer.json?.session_id ?? null
    const [event, ...rest] = await list()
    expect(event).toEqual({
      auditEventId: expect.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      actor: { id: 'key/production', email: '' },
      target: Object.values(params).join('/') || (answer.json?.id ?? sessionId ?? storesNothing[id] ?? ''),
      source: sessionId === null ? 'api' : 'dashboard',
      timestamp: new Date(api.time.now).toISOString(),
      type: operation.audit,
      caller: {
        key: { id: 'PRODUCTION', name: 'production' },
        session_id: sessionId,
        role: 'full',
        address: '198.51.100.7',
      },
    })
    expect(rest.slice(0, before.length)).toEqual(before.slice(0, rest.length))
    expect((await api.call('GET', `/audit-events/${event.auditEventId}`)).json).toEqual(event)
  })

  test('a rejected call, a read and a message leave none', async () => {
    const before = await latest()
    await api.call('DELETE', '/keys/none')
    await api.call('POST', '/providers', { body: { provider: 'none' } })
    await api.call('PUT', '/events/e', { body: {} })
    await api.call('DELETE', '/events/none')
    await api.call('GET', '/keys')
    await api.call('POST', '/send', { body: { event: 'e', recipient: 'r' } })
    await api.call('PUT', '/profiles/u', { body: { profile: {} } })
    expect(await latest()).toEqual(before)
  })

  test('a call that is repeated with its key leaves one', async () => {
    const again = () =>
      api.call('POST', '/keys', { body: { name: 'once' }, headers: { 'idempotency-key': 'audit-once' } })
    const { id } = (await again()).json
    expect((await again()).json.id).toBe(id)
    const auditEvents = (await list()).filter(({ target }: { target: string }) => target === id)
    expect(auditEvents).toHaveLength(1)
  })

  test('another environment sees its own only', async () => {
    const { auditEventId } = await latest()
    expect(await list(keys.test)).toEqual([])
    const foreign = await api.call('GET', `/audit-events/${auditEventId}`, { apiKey: keys.test })
    const missing = await api.call('GET', '/audit-events/none', { apiKey: keys.test })
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
  })

  test('they come in pages', async () => {
    for (let n = 0; n < 55; n += 1)
      await api.call('PUT', `/events/paged-${n}`, { body: { id: 'N', type: 'notification' } })
    const first = (await api.call('GET', '/audit-events')).json
    expect(first.results.map(({ target }: { target: string }) => target).slice(0, 2)).toEqual(['paged-54', 'paged-53'])
    const second = (await api.call('GET', `/audit-events?cursor=${first.paging.cursor}`)).json
    expect(first.results).toHaveLength(50)
    expect(second.results[0].target).toBe('paged-4')
  })

  describe('filters', () => {
    const only = async (query: string, key?: string) => {
      const { results } = (await api.call('GET', `/audit-events?${query}`, key ? { apiKey: key } : {})).json
      return results.map(({ type, target }: { type: string; target: string }) => `${type} ${target}`)
    }
    const start = Date.UTC(2031, 0, 1)
    const since = `from=${start}`
    const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
    const change = async (
      seconds: number,
      method: 'PUT' | 'DELETE',
      path: string,
      name: string,
      options: object = {},
    ) => {
      api.time.now = start + seconds * 1_000
      const reply = await api.call(method, path, { ...(method === 'PUT' && { body: { name } }), ...options })
      expect(reply.status).toBeLessThan(300)
    }
    let other: { id: string; key: string }

    beforeAll(async () => {
      api.time.now = start - 60_000
      other = (await api.call('POST', '/keys', { body: { name: 'second' } })).json
      await change(1, 'PUT', '/lists/one', 'One')
      await change(2, 'PUT', '/tenants/one', 'One', { headers: { 'user-agent': 'postrider-cli/1.2.3' } })
      await change(3, 'PUT', '/lists/two', 'Two', { apiKey: other.key })
      const session = await signIn()
      await change(4, 'DELETE', '/lists/one', '', { apiKey: '', headers: session.headers })
    })

    const deleted = 'list:deleted one'
    const two = 'list:updated two'
    const tenant = 'tenant:updated one'
    const listOne = 'list:updated one'
    const signedIn = expect.stringMatching(/^session:/)

    test('each leaves the changes that match, newest first', async () => {
      expect(await only(`${since}&target_kind=list`)).toEqual([deleted, two, listOne])
      expect(await only(`${since}&target_kind=lis`)).toEqual([])
      expect(await only(`${since}&target=one`)).toEqual([deleted, tenant, listOne])
      expect(await only(`${since}&target_kind=list&target=one`)).toEqual([deleted, listOne])
      expect(await only(`${since}&type=tenant:updated&type=list:deleted`)).toEqual([deleted, tenant])
      expect(await only(`${since}&actor=key/second`)).toEqual([two])
      expect(await only(`${since}&key_id=${other.id}`)).toEqual([two])
      expect(await only(`key_id=${other.id}`, keys.test)).toEqual([])
    })

    test('the source is the session, the command by its own word, or the API', async () => {
      expect(await only(`${since}&source=cli`)).toEqual([tenant])
      expect(await only(`${since}&source=api`)).toEqual([two, listOne])
      expect(await only(`${since}&source=dashboard`)).toEqual([deleted, signedIn])
      expect((await api.call('GET', '/audit-events?source=phone')).status).toBe(400)
    })

    test('times are from, inclusive, to, exclusive', async () => {
      expect(await only(`from=${at(1)}&to=${at(3)}`)).toEqual([tenant, listOne])
      expect(await only(`from=${start + 1_000}&to=${start + 2_000}`)).toEqual([listOne])
      expect(await only('to=1960-01-01')).toEqual([])
      const refused = await api.call('GET', '/audit-events?from=yesterday')
      expect(refused.json).toMatchObject({ code: 'invalid_field', param: 'from' })
    })

    test('pages keep to them', async () => {
      const query = `${since}&target_kind=list&limit=2`
      const first = (await api.call('GET', `/audit-events?${query}`)).json
      expect(first.paging.more).toBe(true)
      expect(await only(`${query}&cursor=${first.paging.cursor}`)).toEqual([listOne])
    })
  })
})
