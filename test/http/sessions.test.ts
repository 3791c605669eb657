/** Sessions of browsers: signing in, how long they last, what ends them, and calls that another page has a browser make. */
import { request } from 'node:http'
import { type Identity, sessionIdleMs, sessionLifetimeMs, sessionsMax, signInLinkMs } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiCallOptions, ApiReply } from '../support/api-client.ts'
import { openApp, withApp } from '../support/app.ts'
import { keys, type RecordingApp, trustedProxies } from '../support/recording-app.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000

const cookieOf = ({ headers }: ApiReply) => headers.get('set-cookie')?.split(';', 1)[0] ?? ''

/** Calls as a page of the server does. */
const page =
  (api: RecordingApp, cookie: string) =>
  (method: string, path: string, { headers, ...options }: ApiCallOptions = {}) =>
    api.call(method, path, { apiKey: '', headers: { cookie, 'x-postrider-session': '1', ...headers }, ...options })

const signIn = (api: RecordingApp, key: string, headers: Record<string, string> = {}) =>
  api.call('POST', '/session', { apiKey: '', body: { key }, headers })

const codeOf = ({ status, json }: ApiReply) => [status, json?.code]

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const signedIn = async (key: string = keys.production) => page(api, cookieOf(await signIn(api, key)))
  const newKey = async (body: object = {}) => (await api.call('POST', '/keys', { body })).json

  test('signing in sets a cookie that no script and no other site can use, and says who signed in', async () => {
    const reply = await signIn(api, keys.production)
    expect(reply.status).toBe(201)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('set-cookie')).toMatch(
      /^postrider_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
    expect(reply.json).toEqual({
      session_id: expect.stringMatching(/^[0-9A-Z]{28}$/),
      key: { id: 'PRODUCTION', name: 'production', environment: 'production' },
      kind: 'published',
      role: 'full',
      environment: 'production',
      environments: ['production', 'test'],
      expires: api.time.now + sessionIdleMs,
    } satisfies Identity)
    expect(reply.text).not.toContain(cookieOf(reply).split('=')[1])
    expect((await page(api, cookieOf(reply))('GET', '/session')).json).toEqual(reply.json)
  })

  test('behind https the cookie has the prefix that binds it to the host, and is sent over https only', async () => {
    const app = await open({ pipeline: 'recording', replace: { publicUrl: 'https://notify.example.com' } })
    const reply = await signIn(app, keys.production)
    expect(reply.headers.get('set-cookie')).toMatch(
      /^__Host-postrider_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect((await page(app, cookieOf(reply))('GET', '/session')).status).toBe(200)
  })

  test('every kind of call is made by the key of the session', async () => {
    const call = await signedIn()
    expect((await call('PUT', '/events/by-session', { body: { id: 'n', type: 'notification' } })).status).toBe(200)
    expect((await call('GET', '/events/by-session')).json).toMatchObject({ id: 'n' })
    const sent = await call('POST', '/send', { body: { event: 'e', recipient: 'r' } })
    expect(sent.status).toBe(200)
    expect(api.sends.at(-1)).toMatchObject({ workspaceId: 1, mode: 'live' })
    const draft = await signedIn(keys.draft)
    expect(codeOf(await draft('POST', '/keys', { body: {} }))).toEqual([403, 'published_key_required'])
  })

  test('without a session or with an API key', async () => {
    expect(codeOf(await api.call('GET', '/session', { apiKey: '' }))).toEqual([401, 'unauthorized'])
    expect((await api.call('GET', '/session')).json).toMatchObject({
      session_id: null,
      expires: null,
      kind: 'published',
    })
    expect(codeOf(await api.call('DELETE', '/session'))).toEqual([403, 'session_required'])
    expect(codeOf(await api.call('PUT', '/session', { body: { environment: 'test' } }))).toEqual([
      403,
      'session_required',
    ])
  })

  test('a key in Authorization wins over the cookie', async () => {
    const call = await signedIn()
    const headers = { authorization: `Bearer ${keys.test}` }
    expect((await call('GET', '/session', { headers })).json).toMatchObject({ environment: 'test', session_id: null })
    expect(codeOf(await call('GET', '/session', { headers: { authorization: 'Bearer wrong' } }))).toEqual([
      401,
      'unauthorized',
    ])
  })

  describe('a session ends', () => {
    test('twelve hours after its last use, which is written once in five minutes', async () => {
      const call = await signedIn()
      const { expires } = (await call('GET', '/session')).json
      api.time.now += 4 * MINUTE
      expect((await call('GET', '/session')).json.expires).toBe(expires)
      api.time.now += 2 * MINUTE
      expect((await call('GET', '/session')).json.expires).toBe(expires + 6 * MINUTE)
      api.time.now += sessionIdleMs - 1
      expect((await call('GET', '/session')).status).toBe(200)
      api.time.now += sessionIdleMs
      expect(codeOf(await call('GET', '/session'))).toEqual([401, 'session_expired'])
      expect(codeOf(await call('GET', '/messages'))).toEqual([401, 'session_expired'])
    })

    test('30 days after it began, however much it is used', async () => {
      const call = await signedIn()
      const end = api.time.now + sessionLifetimeMs
      while (api.time.now + sessionIdleMs < end) {
        api.time.now += sessionIdleMs - MINUTE
        expect((await call('GET', '/session')).status).toBe(200)
      }
      expect((await call('GET', '/session')).json.expires).toBe(end)
      api.time.now = end
      expect(codeOf(await call('GET', '/session'))).toEqual([401, 'session_expired'])
    })

    test('when it is signed out, on every node', async () => {
      const node = await openApp({
        pipeline: 'recording',
        engine: api.engine,
        replace: { clock: { now: () => api.time.now } },
      })
      try {
        const reply = await signIn(api, keys.production)
        const here = page(api, cookieOf(reply))
        const there = page(node, cookieOf(reply))
        expect((await there('GET', '/session')).status).toBe(200)
        const out = await here('DELETE', '/session')
        expect([out.status, out.headers.get('set-cookie')]).toEqual([
          204,
          'postrider_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
        ])
        expect(codeOf(await here('GET', '/session'))).toEqual([401, 'session_expired'])
        await until(
          async () => (await there('GET', '/session')).status,
          (status) => status === 401,
        )
      } finally {
        await node.stop()
      }
    })

    test('with its key, on every node', async () => {
      const node = await openApp({
        pipeline: 'recording',
        engine: api.engine,
        replace: { clock: { now: () => api.time.now } },
      })
      try {
        const { id, key } = await newKey({ name: 'lost' })
        const cookie = cookieOf(await signIn(api, key))
        expect((await page(node, cookie)('GET', '/session')).status).toBe(200)
        expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
        expect(codeOf(await page(api, cookie)('GET', '/session'))).toEqual([401, 'session_expired'])
        await until(
          async () => (await page(node, cookie)('GET', '/session')).status,
          (status) => status === 401,
        )
        expect(codeOf(await signIn(api, key))).toEqual([401, 'unauthorized'])
      } finally {
        await node.stop()
      }
    })

    test('when it is revoked by its id, from its environment only', async () => {
      const reply = await signIn(api, keys.production)
      const path = `/sessions/${reply.json.session_id}`
      const call = page(api, cookieOf(reply))
      const listed = (await call('GET', '/sessions')).json.results
      expect(listed.find(({ current }: { current: boolean }) => current)).toMatchObject({ id: reply.json.session_id })
      expect((await api.call('DELETE', path, { apiKey: keys.test })).status).toBe(404)
      expect(codeOf(await api.call('DELETE', path, { apiKey: keys.draft }))).toEqual([403, 'published_key_required'])
      expect((await call('GET', '/session')).status).toBe(200)
      expect((await api.call('DELETE', path)).status).toBe(204)
      expect(codeOf(await call('GET', '/session'))).toEqual([401, 'session_expired'])
      expect((await api.call('DELETE', path)).status).toBe(404)
    })

    test('when its key signs in more often than it may have sessions', async () => {
      const { key } = await newKey({ name: 'shared' })
      const first = page(api, cookieOf(await signIn(api, key)))
      const second = page(api, cookieOf(await signIn(api, key)))
      api.time.now += 6 * MINUTE
      expect((await first('GET', '/session')).status).toBe(200)
      await Promise.all(Array.from({ length: sessionsMax - 1 }, () => signIn(api, key)))
      api.time.now += 1_000
      expect((await first('GET', '/session')).status).toBe(200)
      expect(codeOf(await second('GET', '/session'))).toEqual([401, 'session_expired'])
      const sharedSessions = (await api.call('GET', '/sessions')).json.results.filter(
        (session: { key: { name: string } }) => session.key.name === 'shared',
      )
      expect(sharedSessions).toHaveLength(sessionsMax)
    })
  })

  describe('a sign-in link', () => {
    const newLink = async (app = api, apiKey: string = keys.production) =>
      (await app.call('POST', '/session/links', { apiKey })).json
    const signInBy = (
      link: string,
      { app = api, headers = {} }: { app?: RecordingApp; headers?: Record<string, string> } = {},
    ) => app.call('POST', '/session', { apiKey: '', body: { link }, headers })
    const partOf = (url: string) => url.split('#link=')[1] ?? ''

    test('signs in with the key that made it, once: a stolen one that was used is worth nothing', async () => {
      const { key } = await newKey({ name: 'shared', role: 'viewer' })
      const { url, expires } = await newLink(api, key)
      expect([url, expires]).toEqual([
        expect.stringMatching(/^http:\/\/postrider\.test\/app\/#link=[\w-]{22}$/),
        api.time.now + signInLinkMs,
      ])
      const reply = await signInBy(partOf(url))
      expect([reply.status, reply.json]).toMatchObject([201, { key: { name: 'shared' }, role: 'viewer' }])
      expect((await page(api, cookieOf(reply))('GET', '/session')).status).toBe(200)
      const again = await signInBy(partOf(url))
      expect([...codeOf(again), again.headers.get('set-cookie')]).toEqual([401, 'sign_in_link_unusable', null])
      expect(again.json.message).toMatch(/used before/)
    })

    test('four who use it at once: one is signed in', async () => {
      const { url } = await newLink()
      const replies = await Promise.all([1, 2, 3, 4].map(() => signInBy(url)))
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401])
    })

    test('ends after ten minutes, with its key, and is unknown elsewhere', async () => {
      const late = await newLink()
      api.time.now += signInLinkMs - 1
      const last = await newLink()
      api.time.now += 1
      expect((await signInBy(late.url)).json.message).toMatch(/older than ten minutes/)
      expect((await signInBy(last.url)).status).toBe(201)
      const { id, key } = await newKey({ name: 'leaves' })
      const { url } = await newLink(api, key)
      expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
      expect((await signInBy(url)).json.message).toMatch(/key of this sign-in link was revoked/)
      const app = await open({ pipeline: 'recording' })
      expect(codeOf(await signInBy((await newLink()).url, { app }))).toEqual([401, 'sign_in_link_unusable'])
    })

    test('is made with a key alone: no session, no token, no page of another origin extends what it has', async () => {
      const call = await signedIn()
      expect(codeOf(await call('POST', '/session/links'))).toEqual([403, 'api_key_required'])
      const scope = { scope: 'user_id:ada read:messages', expires_in: '1 hour' }
      const { token } = (await api.call('POST', '/auth/issue-token', { body: scope })).json
      expect(codeOf(await api.call('POST', '/session/links', { apiKey: token }))).toEqual([403, 'insufficient_scope'])
      expect((await api.call('POST', '/session/links', { apiKey: '' })).status).toBe(401)
      const { url } = await newLink()
      const headers = { origin: 'https://evil.example' }
      expect(codeOf(await signInBy(url, { headers }))).toEqual([403, 'cross_site_refused'])
      // Refused, it was not used.
      expect((await signInBy(url)).status).toBe(201)
    })

    test('is not repeated for an Idempotency-Key, by which another key would get it', async () => {
      const headers = { 'idempotency-key': 'dashboard-link' }
      const made = await api.call('POST', '/session/links', { headers })
      const { key } = await newKey({ name: 'reader', role: 'viewer' })
      const repeated = await api.call('POST', '/session/links', { headers, apiKey: key })
      expect(repeated.json.url).not.toBe(made.json.url)
      expect((await signInBy(repeated.json.url)).json.role).toBe('viewer')
      expect(codeOf(await (await signedIn())('POST', '/session/links', { headers }))).toEqual([403, 'api_key_required'])
    })

    test('is refused where no dashboard is served', async () => {
      const app = await open({ pipeline: 'recording', replace: { dashboard: undefined } })
      const reply = await app.call('POST', '/session/links')
      expect([reply.status, reply.json.message]).toEqual([400, expect.stringContaining('POSTRIDER_DASHBOARD')])
    })

    test('guesses count as wrong keys do', async () => {
      const app = await open({ pipeline: 'recording' })
      for (let count = 0; count < 20; count += 1) await signInBy(`guess${count}`, { app })
      expect(codeOf(await signInBy((await newLink(app)).url, { app }))).toEqual([429, 'rate_limited'])
    })
  })

  describe('over plain HTTP', () => {
    /** As a page does that was loaded under this name; `fetch` cannot name a host. */
    const signInAt = (name: string, { url }: RecordingApp) =>
      new Promise<{ status: number; cookie: string | undefined; body: unknown }>((resolve, reject) => {
        const host = new URL(url.replace('127.0.0.1', name)).host
        const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' }
        request(`${url}/session`, { method: 'POST', headers }, (reply) => {
          let text = ''
          reply.setEncoding('utf8').on('data', (part: string) => {
            text += part
          })
          const { statusCode = 0, headers: answer } = reply
          reply.on('end', () =>
            resolve({ status: statusCode, cookie: answer['set-cookie']?.[0], body: JSON.parse(text) }),
          )
        })
          .on('error', reject)
          .end(JSON.stringify({ key: keys.production }))
      })

    test('a server whose address is an https one signs no one in, and says where', async () => {
      const publicUrl = 'https://notify.example.com'
      const app = await open({ pipeline: 'recording', replace: { publicUrl } })
      const reply = await signInAt('notify.internal', app)
      expect([reply.status, reply.cookie]).toEqual([403, undefined])
      expect(reply.body).toMatchObject({ code: 'https_required', message: expect.stringContaining(publicUrl) })
      // Browsers keep such a cookie for pages of their own machine.
      expect((await signIn(app, keys.production, { origin: app.url })).status).toBe(201)
    })

    test('a server without an https address signs in under any name', async () => {
      const { status, cookie } = await signInAt('notify.internal', api)
      expect([status, cookie]).toEqual([201, expect.stringMatching(/SameSite=Strict$/)])
    })
  })

  test('a cookie that another page has set is no session, and is none after signing in either', async () => {
    // Pages of other ports of a host can set cookies of it.
    const planted = `postrider_session=${'p'.repeat(43)}`
    const reply = await signIn(api, keys.production, { cookie: planted })
    expect(reply.status).toBe(201)
    expect(cookieOf(reply)).not.toBe(planted)
    expect(codeOf(await page(api, planted)('GET', '/session'))).toEqual([401, 'session_expired'])
    const before = cookieOf(reply)
    const again = cookieOf(await signIn(api, keys.production, { cookie: before }))
    expect(again).not.toBe(before)
  })

  test('a page names its key, and no call of it acts once another key has signed in to the browser', async () => {
    const call = await signedIn()
    const { key } = (await call('GET', '/session')).json
    const page = { headers: { 'x-postrider-session-key': key.id } }
    expect((await call('GET', '/messages', page)).status).toBe(200)
    const other = await signedIn((await newKey()).key)
    expect(codeOf(await other('GET', '/messages', page))).toEqual([401, 'session_expired'])
    expect(codeOf(await other('POST', '/send', { ...page, body: { event: 'e', recipient: 'r' } }))).toEqual([
      401,
      'session_expired',
    ])
    expect((await other('GET', '/messages')).status).toBe(200)
  })

  describe('the environment', () => {
    test('a session of a published key of production acts in the other one once it is switched, also for other tabs', async () => {
      const call = await signedIn()
      const switched = await call('PUT', '/session', { body: { environment: 'test' } })
      expect([switched.status, switched.json]).toMatchObject([
        200,
        { environment: 'test', key: { environment: 'production' } },
      ])
      await call('POST', '/send', { body: { event: 'e', recipient: 'r' } })
      expect(api.sends.at(-1)).toMatchObject({ workspaceId: 2, mode: 'live' })
      const stale = { headers: { 'x-postrider-session': 'production' } }
      expect(codeOf(await call('GET', '/messages', stale))).toEqual([409, 'environment_switched'])
      expect((await call('GET', '/messages', { headers: { 'x-postrider-session': 'test' } })).status).toBe(200)
      const token = { body: { scope: 'read:messages', expires_in: 60 } }
      expect(codeOf(await call('POST', '/auth/issue-token', token))).toEqual([403, 'key_environment'])
      expect((await call('PUT', '/session', { body: { environment: 'production' } })).status).toBe(200)
      expect((await call('GET', '/messages', stale)).status).toBe(200)
      expect((await call('POST', '/auth/issue-token', token)).status).toBe(200)
    })

    test.each([
      ['of the test environment', keys.test, 'production'],
      ['that is a draft key', keys.draft, 'test'],
      ['that is a mock key', keys.mock, 'test'],
    ])('a session of a key %s stays there', async (_title, key, environment) => {
      const call = await signedIn(key)
      const before = (await call('GET', '/session')).json
      expect(before.environments).toEqual([before.environment])
      expect(codeOf(await call('PUT', '/session', { body: { environment } }))).toEqual([403, 'key_environment'])
      expect((await call('GET', '/session')).json.environment).toBe(before.environment)
    })
  })

  describe('another page', () => {
    const sessionHeader = { 'x-postrider-session': '1' }
    test.each<[string, Record<string, string>]>([
      ['without the header', {}],
      ['of another origin', { ...sessionHeader, origin: 'https://evil.example' }],
      ['of another port', { ...sessionHeader, origin: 'http://127.0.0.1:1' }],
      ['without an origin of its own', { ...sessionHeader, origin: 'null' }],
      ['of the same site', { ...sessionHeader, 'sec-fetch-site': 'same-site' }],
      ['of another site', { ...sessionHeader, 'sec-fetch-site': 'cross-site' }],
    ])('%s makes no call with the cookie, be it a read or a write', async (_title, headers) => {
      const cookie = cookieOf(await signIn(api, keys.production))
      const call = (method: string, path: string, body?: unknown) =>
        api.call(method, path, { apiKey: '', headers: { cookie, ...headers }, body })
      for (const reply of [
        await call('GET', '/messages'),
        await call('POST', '/send', { event: 'e', recipient: 'r' }),
        await call('DELETE', '/session'),
      ])
        expect(codeOf(reply)).toEqual([403, 'cross_site_refused'])
      expect((await page(api, cookie)('GET', '/session')).status).toBe(200)
    })

    test('none signs a browser in to a key of its own', async () => {
      const reply = await signIn(api, keys.production, { origin: 'https://evil.example' })
      expect([...codeOf(reply), reply.headers.get('set-cookie')]).toEqual([403, 'cross_site_refused', null])
    })

    test('pages of the server itself are known by its host, and by its public URL behind a proxy', async () => {
      const call = await signedIn()
      for (const origin of [api.url, 'http://postrider.test'])
        expect((await call('GET', '/messages', { headers: { origin, 'sec-fetch-site': 'same-origin' } })).status).toBe(
          200,
        )
    })

    test('no reply lets a page of another origin read with credentials', async () => {
      const preflight = await api.call('OPTIONS', '/messages', {
        apiKey: '',
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-postrider-session',
        },
      })
      const reply = await api.call('GET', '/messages', { headers: { origin: 'https://evil.example' } })
      for (const { headers } of [preflight, reply])
        expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toEqual([
          '*',
          null,
        ])
    })
  })

  describe('wrong keys', () => {
    test('are refused without a cookie, and after twenty in a minute no sign-in of the address is tried', async () => {
      const app = await open({ pipeline: 'recording', replace: { trustedProxies: trustedProxies(['127.0.0.0/8']) } })
      const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.99, ${address}` })
      for (let count = 0; count < 20; count += 1) {
        const reply = await signIn(app, `${keys.production}${count}`, from('198.51.100.7'))
        expect([...codeOf(reply), reply.headers.get('set-cookie')]).toEqual([401, 'unauthorized', null])
      }
      const refused = await signIn(app, keys.production, from('198.51.100.7'))
      expect([...codeOf(refused), refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '3'])
      expect((await signIn(app, keys.production, from('198.51.100.8'))).status).toBe(201)
      app.time.now += 3_000
      expect((await signIn(app, keys.production, from('198.51.100.7'))).status).toBe(201)
    })

    test('count for the connection where no proxy is trusted, whatever its headers say', async () => {
      const app = await open({ pipeline: 'recording' })
      const from = (count: number) => ({ 'x-forwarded-for': `198.51.100.${count}` })
      for (let count = 0; count < 20; count += 1) await signIn(app, `${keys.production}${count}`, from(count))
      expect(codeOf(await signIn(app, keys.production, from(20)))).toEqual([429, 'rate_limited'])
    })

    test('are named as what they are', async () => {
      const { id, key } = await newKey({ name: 'gone' })
      expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
      expect((await signIn(api, key)).json.message).toBe(
        `This key was revoked on ${new Date(api.time.now).toISOString().slice(0, 10)}`,
      )
      expect((await signIn(api, `${key}x`)).json.message).toMatch(/no such key.*characters at its end/)
    })

    test.each([
      {},
      { key: '' },
      { key: 7 },
      { key: keys.production, keep: true },
      { link: '' },
      { link: 'l'.repeat(2_049) },
      { key: keys.production, link: 'l' },
    ])('%j is a 400', async (body) => {
      expect((await api.call('POST', '/session', { apiKey: '', body })).status).toBe(400)
    })
  })

  test('only hashes of tokens are stored', async () => {
    const cookie = cookieOf(await signIn(api, keys.production))
    const { url } = (await api.call('POST', '/session/links')).json
    for (const table of ['sessions', 'sign_in_links']) {
      const { rows } = await api.engine.run({ text: `select t::text as row from ${table} t`, values: [] })
      expect(rows.length).toBeGreaterThan(0)
      for (const token of [cookie.split('=')[1], url.split('#link=')[1]])
        expect(JSON.stringify(rows)).not.toContain(token)
    }
  })
})
