/** Firebase: a token for half an hour, one message, and the meaning of each answer. */
import { generateKeyPairSync, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, replied, runAdapter, runWith, type Scene } from '../adapter.harness.ts'
import { checkSettings } from '../settings.ts'
import fcm from './firebase-fcm.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 1_024,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const account = { project_id: 'shop-1', client_email: 'push@shop-1.example', private_key: privateKey }
const scene: Scene = {
  profile: { firebaseToken: 'device-1' },
  settings: { serviceAccount: JSON.stringify(account) },
  content: { title: 'Order 7', body: 'On its way' },
}
const granted = replied(200, { access_token: 'ya29.abc', expires_in: 3599 })
const accepted = replied(200, { name: 'projects/shop-1/messages/0:1' })
const run = (changes: Partial<Scene> = {}, ...replies: Reply[]) => {
  const answers = replies.length > 0 ? replies : [accepted]
  return runAdapter(fcm, { ...scene, ...changes }, granted, ...answers)
}
const messageOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[1] as HttpRequest).body!).message
const refused = (status: number, code: string, more: object = {}) =>
  replied(status, {
    error: {
      code: status,
      status: 'X',
      message: 'No',
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }],
      ...more,
    },
  })

test('a signed token is exchanged, and the message goes to the project', () => {
  const { requests, outcome } = run()
  const [exchange, send] = requests as [HttpRequest, HttpRequest]
  expect(exchange).toMatchObject({
    url: 'https://oauth2.googleapis.com/token',
    final: false,
    cache: { lifetimeMs: 1_800_000, containing: '"access_token"' },
  })
  const form = new URLSearchParams(exchange.body!)
  expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
  const [header, claims, signature] = form.get('assertion')!.split('.') as [string, string, string]
  expect(verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(
    true,
  )
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    iss: 'push@shop-1.example',
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: 'https://oauth2.googleapis.com/token',
    iat: RUN_AT / 1_000,
    exp: RUN_AT / 1_000 + 3_600,
  })
  expect(send).toMatchObject({
    url: 'https://fcm.googleapis.com/v1/projects/shop-1/messages:send',
    headers: { authorization: 'Bearer ya29.abc' },
    final: true,
  })
  expect(JSON.parse(send.body!)).toEqual({
    message: { notification: { title: 'Order 7', body: 'On its way' }, token: 'device-1' },
  })
  expect(outcome).toEqual({ kind: 'sent', reference: { name: 'projects/shop-1/messages/0:1' }, delivered: false })
})

test('options of the channel and the override are merged, and data become texts', () => {
  const push = { data: { order: 7, when: { at: 1 } }, icon: 'bell', clickAction: 'OPEN' }
  const override = { body: { android: { priority: 'high' }, data: { extra: true }, notification: null } }
  expect(messageOf({ push, override })).toEqual({
    notification: null,
    data: { order: '7', when: '{"at":1}', extra: 'true' },
    android: { priority: 'high', notification: { icon: 'bell', click_action: 'OPEN' } },
    apns: { payload: { aps: { category: 'OPEN' } } },
    token: 'device-1',
  })
})

test.each([
  [{ body: { token: 'other' } }, 'body.token cannot be set: the recipient decides it'],
  [{ body: { data: [] } }, 'body.data must be an object'],
])('the override %j is refused', (override, error) => {
  const { requests, outcome } = run({ override })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

const badField = (field: string) => ({
  details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description: 'No' }] }],
  status: 'INVALID_ARGUMENT',
})

test('a payload that is too large is refused', () => {
  const { requests, outcome } = run({ override: { body: { data: { a: 'x'.repeat(4_100) } } } })
  const error = 'The payload has 4,127 bytes, and Firebase takes at most 4,096'
  expect({ requests, outcome }).toEqual({ requests: [], outcome: { kind: 'rejected', scope: 'content', error } })
})

test.each<[string, Reply, object]>([
  [
    'unregistered',
    refused(404, 'UNREGISTERED'),
    { scope: 'recipient', gone: 'invalid_address', error: '404 Not Found: UNREGISTERED: No' },
  ],
  [
    'not found',
    refused(404, '', { status: 'NOT_FOUND', details: [] }),
    { scope: 'recipient', gone: 'invalid_address' },
  ],
  ['a page for 404', replied(404, '<html>'), { scope: 'configuration' }],
  ['a bad token', refused(400, '', badField('message.token')), { scope: 'recipient', gone: 'invalid_address' }],
  ['a bad field', refused(400, '', badField('message.android.ttl')), { kind: 'rejected', scope: 'content' }],
  ['another sender', refused(403, 'SENDER_ID_MISMATCH'), { scope: 'recipient', kind: 'rejected' }],
  ['no permission', refused(403, '', { status: 'PERMISSION_DENIED', details: [] }), { scope: 'configuration' }],
  ['no key of Apple', refused(401, 'THIRD_PARTY_AUTH_ERROR'), { kind: 'rejected', scope: 'configuration' }],
  [
    'the quota',
    { ...refused(429, 'QUOTA_EXCEEDED'), headers: { 'retry-after': '60' } } as Reply,
    { kind: 'retry', attempted: false, retryAfterMs: 60_000 },
  ],
  ['overload', refused(503, 'UNAVAILABLE'), { kind: 'retry', attempted: true }],
  ['200 from another', replied(200, '<html>'), { kind: 'in_doubt' }],
  ['empty', replied(200, ''), { kind: 'in_doubt' }],
  ['timeout', { kind: 'failure', failure: 'timeout', message: '30 s', reached: true }, { kind: 'in_doubt' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('only what is gone for good is called so', () => {
  expect(run({}, refused(403, 'SENDER_ID_MISMATCH')).outcome).not.toHaveProperty('gone')
})

test('a revoked token is replaced once', () => {
  const unauthorized = replied(401, { error: { status: 'UNAUTHENTICATED', message: 'No' } })
  const { requests, outcome } = runWith(fcm, scene, (request, index) =>
    !request.final ? granted : index === 1 ? unauthorized : accepted,
  )
  expect(requests.map(({ final }) => final)).toEqual([false, true, false, true])
  expect(outcome.kind).toBe('sent')
})

test.each<[string, Reply, object]>([
  [
    'an unknown account',
    replied(400, { error: 'invalid_grant', error_description: 'Not found' }),
    { kind: 'rejected', scope: 'configuration', error: '400 Bad Request: invalid_grant: Not found' },
  ],
  ['a failure', { kind: 'failure', failure: 'reset', message: 'gone', reached: true }, { kind: 'retry' }],
  ['garbage', replied(200, 'hello'), { kind: 'retry' }],
])('%s instead of a token', (_title, reply, outcome) => {
  const { requests, outcome: ended } = runAdapter(fcm, scene, reply)
  expect(requests).toHaveLength(1)
  expect(ended).toMatchObject(outcome)
})

test('settings name what is wrong with the file', () => {
  const errorOf = (serviceAccount: string) => checkSettings(fcm, { serviceAccount })
  expect(errorOf(JSON.stringify(account, null, 2))).toEqual([])
  expect(errorOf('{}')).toEqual([
    'serviceAccount must be the JSON file of a service account with project_id, client_email, private_key',
  ])
  expect(errorOf(JSON.stringify({ ...account, private_key: 'x' }))).toEqual([
    'serviceAccount must have a private_key that can be read (PEM, RSA)',
  ])
})

test.each(['from', 'message_type', 'google.c.a.e', 'google', 'gcm.notification.title', 'gcm'])(
  'the key %s, which Firebase reserves, is named before the call',
  (key) => {
    const named = `data.${key} cannot be set: Firebase reserves the key for itself, use another one`
    for (const changes of [{ push: { data: { [key]: 'x' } } }, { override: { body: { data: { [key]: 'x' } } } }])
      expect(run(changes)).toMatchObject({
        requests: [],
        outcome: { kind: 'rejected', scope: 'content', error: named },
      })
  },
)

test('other keys are sent', () => {
  const data = { From: 'a', sender: 'b', messageType: 'c', my_google: 'd' }
  expect(run({ push: { data } }).outcome.kind).toBe('sent')
})
