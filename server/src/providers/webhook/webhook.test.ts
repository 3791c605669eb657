/** The webhook: what is posted, where credentials may go, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter.harness.ts'
import webhook from './webhook.ts'

const profile = { email: 'ada@example.com', webhook: { url: 'https://ada.example/hook' } }
const content = { title: 'Hello', subject: 'Hello', body: 'Hi', text: 'Hi', html: '' }
const scene: Scene = { profile, settings: {}, content, message: { data: { total: 7 } } }
/** The integration's own address, with credentials stored for it. */
const ours: Partial<Scene> = {
  profile: {},
  settings: { url: 'https://ours.example/in', authentication: 'bearer', token: 'stored-token' },
}
const run = (changes: Partial<Scene> = {}, reply: Reply = replied(200)) =>
  runAdapter(webhook, { ...scene, ...changes }, reply)
const requestOf = (changes: Partial<Scene>) => run(changes).requests[0] as HttpRequest
const hook = (more: object) => ({ profile: { ...profile, webhook: { ...profile.webhook, ...more } } })
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

test('a message becomes one post', () => {
  const { body, ...request } = requestOf({})
  expect(request).toEqual({
    kind: 'http',
    method: 'POST',
    url: 'https://ada.example/hook',
    headers: { 'content-type': 'application/json', 'webhook-id': 'delivery-1' },
    final: true,
  })
  expect(JSON.parse(body ?? '')).toEqual({
    event: 'welcome',
    recipient: 'ada',
    profile: {},
    data: { total: 7 },
    messageId: '1-691f0000-0000000000000000000000ab',
    notification: 'WELCOME',
    content: { title: 'Hello', subject: 'Hello', body: 'Hi', text: 'Hi', blocks: [], actions: [] },
  })
  expect(run().outcome).toEqual({ kind: 'sent', reference: { 'webhook-id': 'delivery-1' }, delivered: true })
})

test('an expanded profile is sent without the settings of the endpoint', () => {
  const sent = (changes: Partial<Scene>) => JSON.parse(requestOf(changes).body ?? '').profile
  expect(sent(hook({ profile: 'expanded', headers: { 'x-api-key': 'hush' } }))).toEqual({ email: 'ada@example.com' })
  expect(sent({ settings: { profile: 'expanded' } })).toEqual({ email: 'ada@example.com' })
  expect(sent({ ...hook({ profile: 'limited' }), settings: { profile: 'expanded' } })).toEqual({})
})

test.each([
  [{ mode: 'basic', username: 'u', password: 'p' }, basic('u', 'p')],
  [{ mode: 'bearer', token: 't' }, 'Bearer t'],
  [{ mode: 'none', token: 't' }, undefined],
  [{ token: 't' }, undefined],
])('the authentication %j of the profile', (authentication, header) => {
  expect(requestOf(hook({ authentication })).headers.authorization).toBe(header)
})

test('method and headers come from the profile, and the override has the last word', () => {
  const changes = hook({ method: 'PUT', headers: { 'X-A': 'profile', 'X-B': 'profile' } })
  expect(requestOf(changes)).toMatchObject({ method: 'PUT', headers: { 'x-a': 'profile', 'x-b': 'profile' } })
  const override = { method: 'patch', headers: { 'x-b': 'override' }, body: { data: { extra: 1 } } }
  const request = requestOf({ ...changes, override })
  expect(request).toMatchObject({ method: 'PATCH', headers: { 'x-a': 'profile', 'x-b': 'override' } })
  expect(JSON.parse(request.body ?? '').data).toEqual({ total: 7, extra: 1 })
})

test('a GET has no body, a text is sent as it is', () => {
  const get = requestOf(hook({ method: 'GET' }))
  expect(get.body).toBeUndefined()
  expect(get.headers['content-type']).toBeUndefined()
  const override = { body: '<a/>', headers: { 'Content-Type': 'text/xml' } }
  expect(requestOf({ override })).toMatchObject({ body: '<a/>', headers: { 'content-type': 'text/xml' } })
})

test('the address of the settings gets the credentials of the settings', () => {
  expect(requestOf(ours)).toMatchObject({
    url: 'https://ours.example/in',
    headers: { authorization: 'Bearer stored-token' },
  })
  const settings = {
    url: 'https://ours.example/in',
    authentication: 'basic',
    username: 'u',
    password: 'stored-password',
  }
  expect(requestOf({ ...ours, settings }).headers.authorization).toBe(basic('u', 'stored-password'))
})

test.each<[string, Partial<Scene>]>([
  ['the profile', { profile, settings: ours.settings! }],
  ['the override', { ...ours, override: { url: 'https://evil.example' } }],
  [
    'the config without authentication',
    { ...ours, override: { config: { url: 'https://evil.example', authentication: 'none' } } },
  ],
])('no stored secret goes to an address of %s', (_title, changes) => {
  const { requests } = run(changes)
  expect(requests).toHaveLength(1)
  expect(JSON.stringify(requests)).not.toContain('stored-token')
  expect(JSON.stringify(requests)).not.toContain('ours.example')
})

test('authentication without credentials posts nothing', () => {
  const url = 'https://ours.example/in'
  const scenes: [Partial<Scene>, string, string][] = [
    [{ ...ours, settings: { url, authentication: 'bearer' } }, 'configuration', 'bearer needs token'],
    [{ ...ours, settings: { url, authentication: 'basic' } }, 'configuration', 'basic needs username or password'],
    [{ ...ours, override: { config: { url: 'https://evil.example' } } }, 'configuration', 'bearer needs token'],
    [hook({ authentication: { mode: 'bearer' } }), 'recipient', 'bearer needs token'],
    [hook({ authentication: { mode: 'basic', password: '' } }), 'recipient', 'basic needs username or password'],
    [hook({ authentication: { mode: 'digest' } }), 'recipient', 'must be one of `none`, `basic`, `bearer`'],
  ]
  for (const [changes, scope, reason] of scenes)
    expect(run(changes)).toMatchObject({
      requests: [],
      outcome: { kind: 'rejected', scope, error: `authentication: ${reason}` },
    })
})

test('credentials and headers of a profile stay with its own address', () => {
  const changes = hook({ authentication: { mode: 'bearer', token: 'ada-token' }, headers: { 'x-key': 'ada-key' } })
  const moved = run({ ...changes, override: { url: 'https://evil.example' } })
  expect(JSON.stringify(moved.requests)).not.toMatch(/ada-/)
  const same = requestOf({ ...changes, override: { url: 'https://ada.example/hook' } })
  expect(same.headers).toMatchObject({ authorization: 'Bearer ada-token', 'x-key': 'ada-key' })
})

test('no credential is in the draft', () => {
  const changes = hook({
    authentication: { mode: 'bearer', token: 'ada-token' },
    headers: { authorization: 'ada-token' },
  })
  expect(JSON.stringify(run(changes).draft)).not.toContain('ada-token')
  expect(JSON.stringify(run(ours).draft)).not.toContain('stored-token')
})

test.each([
  [{ headers: { Host: 'x' } }, 'headers.Host cannot be set'],
  [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'headers.Transfer-Encoding cannot be set'],
  [{ headers: { Connection: 'close' } }, 'headers.Connection cannot be set'],
  [{ headers: { 'Content-Length': 1 } }, 'headers.Content-Length cannot be set'],
  [{ headers: { 'webhook-id': 'mine' } }, 'headers.webhook-id cannot be set'],
  [{ headers: { 'X-A': 'a\r\nHost: x' } }, 'headers.X-A must not contain line breaks'],
  [{ headers: { 'X:A': 'a' } }, 'headers has a name that is not a header name'],
  [{ headers: ['a'] }, 'headers must be an object'],
  [{ method: 'TRACE' }, 'method must be one of `POST`, `PUT`, `PATCH`, `GET`, `DELETE`'],
  [{ method: 5 }, 'method must be a string'],
])('%j is refused in an override as in a profile', (change, error) => {
  for (const changes of [{ override: change }, hook(change)]) {
    const { requests, outcome } = run(changes)
    expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
    expect(requests).toEqual([])
  }
})

test.each(['ftp://x', 'nonsense', 'https://user:pass@x.co', 'javascript:alert(1)', 7])(
  'the URL %j is refused',
  (url) => {
    expect(run({ override: { url } })).toMatchObject({ requests: [], outcome: { kind: 'rejected', scope: 'content' } })
    if (typeof url === 'string')
      expect(run(hook({ url }))).toMatchObject({ requests: [], outcome: { kind: 'rejected', scope: 'recipient' } })
  },
)

test.each<[string, Reply, string, object]>([
  ['204', replied(204), '', { kind: 'sent', delivered: true }],
  ['an error in a 200', replied(200, { ok: false }), '', { kind: 'sent', delivered: true }],
  ['302', replied(302), 'owner', { kind: 'rejected' }],
  ['400', replied(400, { message: 'no' }), 'content', { kind: 'rejected', error: '400 Bad Request: no' }],
  ['400, garbage', replied(400, '<html>'), 'content', { kind: 'rejected', error: '400 Bad Request' }],
  ['400, text', replied(400, 'bad\r\nthing'), 'content', { kind: 'rejected', error: '400 Bad Request: bad thing' }],
  ['401', replied(401), 'owner', { kind: 'rejected' }],
  ['404', replied(404), 'owner', { kind: 'rejected' }],
  ['410', replied(410), 'owner', { kind: 'rejected' }],
  ['429', replied(429, '', { 'retry-after': '5' }), '', { kind: 'retry', attempted: false, retryAfterMs: 5_000 }],
  ['500', replied(500), '', { kind: 'retry', attempted: true }],
  [
    'private',
    { kind: 'failure', failure: 'address_refused', message: 'no', reached: false },
    'owner',
    { kind: 'rejected' },
  ],
  ['cut', { kind: 'failure', failure: 'reset', message: 'cut', reached: true }, '', { kind: 'in_doubt' }],
  ['refused', { kind: 'failure', failure: 'connect', message: 'no', reached: false }, '', { kind: 'retry' }],
])('%s', (_title, reply, scope, outcome) => {
  const withScope = (owner: string) => (scope ? { ...outcome, scope: scope === 'owner' ? owner : scope } : outcome)
  expect(run({}, reply).outcome).toMatchObject(withScope('recipient'))
  expect(run(ours, reply).outcome).toMatchObject(withScope('configuration'))
})

test('an endpoint that repeats its credentials does not bring them into the history', () => {
  const { outcome } = run(ours, replied(401, 'got Bearer stored-token at https://ours.example/in'))
  expect(outcome).toMatchObject({ error: '401 Unauthorized: got Bearer ******** at ********' })
})

test("an endpoint that repeats a profile's or an override's own headers does not bring them into the history either", () => {
  const headers = {
    'x-signed': 'ada-signature',
    authorization: 'Token ada-token-1',
    'x-part': 'ada',
    'x-n': 4711,
    'x-v': 1,
  }
  const echo = replied(400, {
    message: 'got ada-signature, Token ada-token-1, ada-token-1, ada, 4711, own-header and 1',
  })
  const { outcome } = run({ ...hook({ headers }), override: { headers: { 'x-own': 'own-header' } } }, echo)
  const masked = Array.from({ length: 6 }, () => '********')
  const [signature, token, bare, part, number, ownHeader] = masked
  expect(outcome).toMatchObject({
    error: `400 Bad Request: got ${signature}, ${token}, ${bare}, ${part}, ${number}, ${ownHeader} and 1`,
  })
})

test('without an address no recipient is reached', () => {
  for (const webhookKey of [undefined, null, {}, { url: '' }, { url: 7 }, 'https://x.co'])
    expect(webhook.contact({ webhook: webhookKey }, {}, { recipient: 'ada' })).toBeUndefined()
})
