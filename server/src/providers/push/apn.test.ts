/** APNs: headers, the signed token and its renewal, and the meaning of each answer. */
import { generateKeyPairSync, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, replied, runAdapter, type Scene } from '../adapter.harness.ts'
import { checkSettings } from '../settings.ts'
import apn from './apn.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const scene: Scene = {
  profile: { apn: 'abc123' },
  settings: { teamId: 'TEAM', keyId: 'KEY', privateKey, topic: 'com.example.shop' },
  content: { title: 'Order 7', body: 'On its way' },
}
const accepted = { ...replied(200), headers: { 'apns-id': 'ID-1' } } as Reply
const run = (changes: Partial<Scene> = {}, ...replies: Reply[]) =>
  runAdapter(apn, { ...scene, ...changes }, ...(replies.length > 0 ? replies : [accepted]))
const requestOf = (changes: Partial<Scene> = {}) => run(changes).requests[0] as HttpRequest
const claimsOf = ({ headers }: HttpRequest) => {
  const [header, claims, signature] = headers.authorization!.slice('Bearer '.length).split('.') as [
    string,
    string,
    string,
  ]
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true)
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'ES256', kid: 'KEY' })
  return JSON.parse(Buffer.from(claims, 'base64url').toString())
}

test('a message is one request over HTTP/2', () => {
  const request = requestOf()
  expect(request).toMatchObject({
    protocol: 'h2',
    url: 'https://api.push.apple.com/3/device/abc123',
    headers: { 'apns-topic': 'com.example.shop', 'apns-push-type': 'alert' },
    final: true,
  })
  expect(JSON.parse(request.body!)).toEqual({ aps: { alert: { title: 'Order 7', body: 'On its way' } } })
  expect(request.headers['apns-id']).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/)
  expect(claimsOf(request)).toEqual({ iss: 'TEAM', iat: Math.floor(RUN_AT / 1_800_000) * 1_800 })
  expect(run().outcome).toEqual({ kind: 'sent', reference: { 'apns-id': 'ID-1' }, delivered: false })
})

test('the id belongs to the delivery', () => {
  const idOf = (deliveryId: string) => requestOf({ message: { deliveryId } }).headers['apns-id']
  expect(idOf('a')).toBe(idOf('a'))
  expect(idOf('a')).not.toBe(idOf('b'))
})

test('environment, time to live and headers of the override', () => {
  const settings = { ...scene.settings, environment: 'sandbox', ttl: 60 }
  const override = {
    body: { aps: { badge: 2, 'content-available': 1, alert: null }, order: 7 },
    headers: { 'apns-collapse-id': 'order-7', 'apns-priority': '10' },
  }
  const request = requestOf({ settings, override, push: { data: { order: 6 }, clickAction: 'OPEN' } })
  expect(request.url).toBe('https://api.sandbox.push.apple.com/3/device/abc123')
  expect(request.headers).toMatchObject({
    'apns-expiration': String(RUN_AT / 1_000 + 60),
    'apns-collapse-id': 'order-7',
    'apns-priority': '10',
  })
  expect(JSON.parse(request.body!)).toEqual({
    order: 7,
    aps: { alert: null, category: 'OPEN', badge: 2, 'content-available': 1 },
  })
})

test('a push without anything to show is a background push', () => {
  const override = { body: { aps: { alert: null, 'content-available': 1 } } }
  expect(requestOf({ override }).headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' })
})

test.each([
  [{ headers: { 'apns-id': 'x' } }, 'headers.apns-id cannot be set'],
  [{ headers: { authorization: 'x' } }, 'headers.authorization cannot be set'],
  [{ body: 7 }, 'body must be an object'],
])('the override %j is refused', (override, error) => {
  const { requests, outcome } = run({ override })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each([
  ['alert', ''],
  ['background', ''],
  ['mdm', ''],
  ['voip', '.voip'],
  ['complication', '.complication'],
  ['liveactivity', '.push-type.liveactivity'],
  ['location', '.location-query'],
  ['fileprovider', '.pushkit.fileprovider'],
  ['pushtotalk', '.voip-ptt'],
  ['widgets', '.push-type.widgets'],
  ['controls', '.push-type.controls'],
])('the topic of the push type %s ends in %j', (type, suffix) => {
  const topicOf = (topic?: string, setting = 'com.example.shop') => {
    const headers = { 'apns-push-type': type, ...(topic && { 'Apns-Topic': topic }) }
    return requestOf({ settings: { ...scene.settings, topic: setting }, override: { headers } }).headers['apns-topic']
  }
  expect(topicOf()).toBe(`com.example.shop${suffix}`)
  // An integration for one type has named the whole topic.
  expect(topicOf(undefined, `com.example.shop${suffix}`)).toBe(`com.example.shop${suffix}`)
  expect(topicOf('com.example.other')).toBe(`com.example.other${suffix}`)
  expect(topicOf(`com.example.other${suffix}`)).toBe(`com.example.other${suffix}`)
})

test('a payload above 4 kB is refused', () => {
  const { requests, outcome } = run({ override: { body: { more: 'x'.repeat(4_096) } } })
  const error = 'The payload has 4,163 bytes, and Apple takes at most 4,096'
  expect({ requests, outcome }).toEqual({ requests: [], outcome: { kind: 'rejected', scope: 'content', error } })
})

test('a payload of the type voip has up to 5 kB', () => {
  const kindOf = (length: number) =>
    run({ override: { body: { more: 'x'.repeat(length) }, headers: { 'apns-push-type': 'voip' } } }).outcome.kind
  expect([kindOf(5_053), kindOf(5_054)]).toEqual(['sent', 'rejected'])
})

const refused = (status: number, reason: string) => replied(status, { reason })

test.each<[string, Reply, object]>([
  [
    'unregistered',
    replied(410, { reason: 'Unregistered', timestamp: 1 }),
    { scope: 'recipient', gone: 'invalid_address', error: '410 Gone: Unregistered' },
  ],
  ['expired token of the device', refused(410, 'ExpiredToken'), { scope: 'recipient', gone: 'invalid_address' }],
  ['bad device token', refused(400, 'BadDeviceToken'), { scope: 'recipient', gone: 'invalid_address' }],
  ['another app', refused(400, 'DeviceTokenNotForTopic'), { kind: 'rejected', scope: 'recipient' }],
  ['bad topic', refused(400, 'BadTopic'), { kind: 'rejected', scope: 'configuration' }],
  ['bad priority', refused(400, 'BadPriority'), { kind: 'rejected', scope: 'content' }],
  ['wrong key', refused(403, 'InvalidProviderToken'), { kind: 'rejected', scope: 'configuration' }],
  ['bad path', refused(404, 'BadPath'), { kind: 'rejected', scope: 'configuration' }],
  ['too large', refused(413, 'PayloadTooLarge'), { kind: 'rejected', scope: 'content' }],
  [
    'too many',
    { ...refused(429, 'TooManyRequests'), headers: { 'retry-after': '2' } } as Reply,
    { kind: 'retry', attempted: false, retryAfterMs: 2_000 },
  ],
  ['new tokens too often', refused(429, 'TooManyProviderTokenUpdates'), { kind: 'retry', attempted: false }],
  ['shutdown', refused(503, 'Shutdown'), { kind: 'retry', attempted: true }],
  ['idle', refused(400, 'IdleTimeout'), { kind: 'retry', attempted: true }],
  ['garbage', replied(400, '{{'), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
  ['a broken stream', { kind: 'failure', failure: 'reset', message: 'x', reached: true }, { kind: 'in_doubt' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('a token that is no more is said to be so since a time, and only for the app of the integration', () => {
  const unregistered = (timestamp: unknown) => replied(410, { reason: 'Unregistered', timestamp })
  expect(run({}, unregistered(1_763_640_000_000)).outcome).toMatchObject({
    ...{ gone: 'invalid_address', goneAt: 1_763_640_000_000 },
  })
  for (const timestamp of [undefined, null, 'x', 0, -1, 1.5])
    expect(run({}, unregistered(timestamp)).outcome).not.toHaveProperty('goneAt')
  const withTopic = (topic: string, type = 'alert') =>
    run({ override: { headers: { 'apns-topic': topic, 'apns-push-type': type } } }, unregistered(1)).outcome
  expect(withTopic('com.example.shop.voip', 'voip')).toHaveProperty('gone', 'invalid_address')
  expect(withTopic('com.example.shop')).toHaveProperty('gone', 'invalid_address')
  const onlyThisMessage = { kind: 'rejected', scope: 'recipient', error: '410 Gone: Unregistered' }
  for (const topic of ['com.example.other', 'com.example.shop.voip', 'com.example.shop.complication'])
    expect(withTopic(topic)).toEqual(onlyThisMessage)
})

test.each([
  ...[
    ['alert', true],
    ['background', true],
  ],
  ...['voip', 'complication', 'liveactivity', 'location', 'fileprovider', 'pushtotalk', 'widgets', 'controls'].map(
    (type) => [type, false],
  ),
])('a token that Apple calls bad for the push type %s is gone: %s', (type, isGone) => {
  const override = { headers: { 'apns-push-type': type } }
  const outcome = (reply: Reply) => run({ override }, reply).outcome
  const bad = outcome(refused(400, 'BadDeviceToken'))
  expect(bad).toMatchObject({ kind: 'rejected', scope: 'recipient' })
  expect('gone' in bad).toBe(isGone)
  expect(outcome(refused(410, 'Unregistered'))).toHaveProperty('gone', 'invalid_address')
})

test('an expired token is renewed once, and the message repeated', () => {
  const expired = refused(403, 'ExpiredProviderToken')
  const { requests, outcome } = run({ now: RUN_AT + 1_500_000 }, expired, accepted)
  const [first, second] = (requests as HttpRequest[]).map(claimsOf)
  expect(second.iat).toBeGreaterThan(first.iat)
  expect(requests[1]).toMatchObject({ headers: { 'apns-id': (requests[0] as HttpRequest).headers['apns-id'] } })
  expect(outcome.kind).toBe('sent')
  expect(run({ now: RUN_AT + 1_500_000 }, expired, expired).outcome).toMatchObject({
    kind: 'rejected',
    scope: 'configuration',
  })
})

test('every form of the profile is read', () => {
  const devices = (profile: object) => apn.devices!.inProfile(profile as never).map(({ token }) => token)
  expect(devices({ apn: 'a' })).toEqual(['a'])
  expect(devices({ apn: { token: 'a' } })).toEqual(['a'])
  expect(devices({ apn: { tokens: ['a', 'b', '', 7, 'c d'] } })).toEqual(['a', 'b'])
  expect(devices({})).toEqual([])
})

test('a key of another kind is refused', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  for (const wrong of [String(rsa), 'key', ''])
    expect(checkSettings(apn, { ...scene.settings, privateKey: wrong })).not.toEqual([])
  expect(checkSettings(apn, scene.settings)).toEqual([])
})
