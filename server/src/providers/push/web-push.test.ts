/** Web Push: the example of RFC 8291, the signature of RFC 8292, and the meaning of each answer. */
import { createECDH, createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, replied, runAdapter, type Scene } from '../adapter.harness.ts'
import { checkSettings } from '../settings.ts'
import webPush from './web-push.ts'

const { settings, profile } = webPush.example
const scene: Scene = { profile, settings, content: { title: 'Order 7', body: 'On its way' } }
const created = replied(201)
const run = (changes: Partial<Scene> = {}, reply: Reply = created) =>
  runAdapter(webPush, { ...scene, ...changes }, reply)
const requestOf = (changes: Partial<Scene> = {}) => run(changes).requests[0] as HttpRequest

test('the example of RFC 8291, appendix A', () => {
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  const random = [bytes('DGv6ra1nlYgDCS1FRnbzlw'), bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw')]
  const to = webPush.devices!.contact({
    token: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
    properties: {
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
  })
  // The plain text of the example is no JSON: the ciphertext is compared with a reader of the format instead.
  const exchange = webPush.deliver({
    draft: { body: { title: 'x' }, ttl: 0 },
    to,
    settings: settings as never,
    message: {} as never,
    channel: 'push',
    now: RUN_AT,
    random: () => random.shift()!,
  })
  const { bytes: sealed } = exchange.next().value as HttpRequest
  const header = Buffer.from(sealed!).subarray(0, 86)
  expect(header.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  )
  expect(sealed).toHaveLength(86 + 13 + 1 + 16)
})

test('a message is one request, signed for the origin of the push service', () => {
  const { url, headers, bytes, final } = requestOf()
  expect({ url, final }).toEqual({ url: 'https://push.example.com/send/abc', final: true })
  const { authorization, ...others } = headers
  expect(others).toEqual({
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: '2419200',
  })
  expect(bytes!.length).toBeGreaterThan(103)
  const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization!)!
  expect(key).toBe(settings.publicKey)
  const [header, claims, signature] = token!.split('.') as [string, string, string]
  const point = Buffer.from(String(settings.publicKey), 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  const signed = Buffer.from(`${header}.${claims}`)
  const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', signed, by, Buffer.from(signature, 'base64url'))).toBe(true)
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  expect({ aud, sub }).toEqual({ aud: 'https://push.example.com', sub: 'mailto:push@example.com' })
  const hoursAhead = (exp - RUN_AT / 1_000) / 3_600
  expect(hoursAhead).toBeGreaterThanOrEqual(12)
  expect(hoursAhead).toBeLessThanOrEqual(18)
})

test('ttl, urgency and topic are headers', () => {
  const override = { ttl: 0, urgency: 'high', topic: 'order-7' }
  expect(requestOf({ override }).headers).toMatchObject({ ttl: '0', urgency: 'high', topic: 'order-7' })
  expect(requestOf({ settings: { ...settings, ttl: 60 } }).headers.ttl).toBe('60')
})

test.each([
  [{ ttl: -1 }, 'ttl must be a number of seconds'],
  [{ urgency: 'soon' }, 'urgency must be one of `very-low`, `low`, `normal`, `high`'],
  [{ topic: 'a b' }, 'topic must be at most 32 letters, digits, `-` or `_`'],
])('the override %j is refused', (override, error) => {
  expect(run({ override })).toMatchObject({ requests: [], outcome: { kind: 'rejected', scope: 'content', error } })
})

test('a payload that is too large is refused', () => {
  const { requests, outcome } = run({ override: { body: { a: 'x'.repeat(3_950) } } })
  const error = 'The payload has 3,996 bytes, and the push service takes at most 3,993'
  expect({ requests, outcome }).toEqual({ requests: [], outcome: { kind: 'rejected', scope: 'content', error } })
})

test.each<[string, Reply, object]>([
  [
    '410',
    replied(410, 'push subscription has unsubscribed or expired.'),
    { scope: 'recipient', gone: 'invalid_address' },
  ],
  ['404', replied(404), { scope: 'recipient', gone: 'invalid_address' }],
  [
    'another key of ours',
    replied(
      403,
      'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.',
    ),
    { kind: 'rejected', scope: 'recipient' },
  ],
  [
    'a wrong signature',
    replied(401, { code: 401, errno: 109, message: 'No' }),
    { scope: 'configuration', error: '401 Unauthorized: No' },
  ],
  ['too large', replied(413), { kind: 'rejected', scope: 'content' }],
  ['a redirect', replied(302), { kind: 'rejected', scope: 'recipient' }],
  [
    'a private address',
    { kind: 'failure', failure: 'address_refused', message: '10.0.0.1', reached: false },
    { kind: 'rejected', scope: 'recipient' },
  ],
  ['429', replied(429, '', { 'retry-after': '5' }), { kind: 'retry', attempted: false, retryAfterMs: 5_000 }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
  ['timeout', { kind: 'failure', failure: 'timeout', message: '30 s', reached: true }, { kind: 'in_doubt' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test.each<[string, Reply, object]>([
  ['406', replied(406), { kind: 'retry', attempted: false, error: '406 Not Acceptable' }],
  [
    '406 with a pause and words',
    replied(406, '', { 'retry-after': '60', 'x-wns-error-description': 'Throttled' }),
    { kind: 'retry', attempted: false, retryAfterMs: 60_000, error: '406 Not Acceptable: Throttled' },
  ],
  [
    'a throttled channel',
    replied(200, '', { 'x-wns-status': 'channelthrottled' }),
    { kind: 'retry', attempted: false },
  ],
  [
    'the header of its other name',
    replied(200, '', { 'x-wns-notificationstatus': 'channelThrottled' }),
    { kind: 'retry' },
  ],
  ['a dropped message', replied(200, '', { 'x-wns-status': 'dropped' }), { kind: 'rejected', scope: 'recipient' }],
  ['a received message', replied(201, '', { 'x-wns-status': 'received' }), { kind: 'sent' }],
  ['an expired channel', replied(410, '', { 'x-wns-status': 'dropped' }), { gone: 'invalid_address' }],
  ['an unknown channel', replied(404, '', { 'x-wns-error-description': 'No' }), { gone: 'invalid_address' }],
])('the push service of Windows: %s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
  if (!('gone' in outcome)) expect(run({}, reply).outcome).not.toHaveProperty('gone')
})

test('a subscription is read from a token in both forms, and only when it is one', () => {
  const subscription = profile.web_push as { endpoint: string; keys: { p256dh: string; auth: string } }
  const { contact } = webPush.devices!
  const { endpoint, keys } = subscription
  const expected = contact({ token: endpoint, properties: { keys } })
  expect(expected).toMatchObject({ endpoint })
  expect(contact({ token: JSON.stringify(subscription) })).toEqual(expected)
  for (const wrong of [
    { token: endpoint },
    { token: 'not-an-address', properties: { keys } },
    { token: endpoint, properties: { keys: { ...keys, auth: 'short' } } },
    { token: endpoint, properties: { keys: { ...keys, p256dh: keys.p256dh.slice(0, 20) } } },
    { token: '{"endpoint":' },
  ])
    expect(contact(wrong)).toBeUndefined()
})

test('a point that is not on the curve is refused without a request', () => {
  const p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url')
  const { endpoint, keys } = profile.web_push as { endpoint: string; keys: object }
  const changed = { web_push: { endpoint, keys: { ...keys, p256dh } } }
  expect(run({ profile: changed })).toMatchObject({ requests: [], outcome: { kind: 'rejected', scope: 'recipient' } })
})

test('the two keys must be a pair', () => {
  const other = createECDH('prime256v1')
  const publicKey = other.generateKeys().toString('base64url')
  expect(checkSettings(webPush, { ...settings, publicKey })).toEqual(['publicKey: it does not belong to privateKey'])
  expect(checkSettings(webPush, { ...settings, privateKey: 'x' })).toEqual([
    'privateKey must be a private key of `postrider providers vapid-keys`',
  ])
})
