/** Expo: one message a request, and tickets that fail inside a 200. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter.harness.ts'
import expo from './expo.ts'

const scene: Scene = {
  profile: { expo: { token: 'ExponentPushToken[abc]' } },
  settings: {},
  content: { title: 'Order 7', body: 'On its way' },
}
const accepted = replied(200, { data: [{ status: 'ok', id: 'ticket-1' }] })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) => runAdapter(expo, { ...scene, ...changes }, reply)

test('a message is one request, and its ticket the reference', () => {
  const { requests, outcome } = run()
  const [request] = requests as [HttpRequest]
  expect(request.url).toBe('https://exp.host/--/api/v2/push/send')
  expect(request.headers).not.toHaveProperty('authorization')
  expect(JSON.parse(request.body!)).toEqual([{ to: 'ExponentPushToken[abc]', title: 'Order 7', body: 'On its way' }])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 'ticket-1' }, delivered: false })
})

test('the fields of an override stand at its root; a token signs in', () => {
  const override = { sound: 'default', ttl: 60, subtitle: 'Shop', title: 'Other' }
  const push = { data: { order: 7 }, clickAction: 'ORDER' }
  const [request] = run({ override, push, settings: { accessToken: 'secret' } }).requests as [HttpRequest]
  expect(request.headers.authorization).toBe('Bearer secret')
  expect(JSON.parse(request.body!)[0]).toEqual({
    to: 'ExponentPushToken[abc]',
    title: 'Other',
    body: 'On its way',
    data: { order: 7 },
    categoryId: 'ORDER',
    ...{ sound: 'default', ttl: 60, subtitle: 'Shop' },
  })
})

test.each([[{ to: 'other' }, 'to cannot be set: the recipient decides it']])(
  'the override %j is refused',
  (override, error) => {
    expect(run({ override })).toMatchObject({ requests: [], outcome: { kind: 'rejected', scope: 'content', error } })
  },
)

const ticket = (error: string, headers = {}) =>
  replied(200, { data: [{ status: 'error', message: `"ExponentPushToken[abc]" failed`, details: { error } }] }, headers)

test('a payload that is too large is refused', () => {
  const { requests, outcome } = run({ override: { data: { a: 'x'.repeat(4_096) } } })
  const error = 'The payload has 4,151 bytes, and Expo takes at most 4,096'
  expect({ requests, outcome }).toEqual({ requests: [], outcome: { kind: 'rejected', scope: 'content', error } })
})

test.each<[string, Reply, object]>([
  [
    'no such device',
    ticket('DeviceNotRegistered'),
    { kind: 'rejected', scope: 'recipient', gone: 'invalid_address', error: 'DeviceNotRegistered: "********" failed' },
  ],
  ['too big', ticket('MessageTooBig'), { kind: 'rejected', scope: 'content' }],
  [
    'too often',
    ticket('MessageRateExceeded', { 'retry-after': '3' }),
    { kind: 'retry', attempted: false, retryAfterMs: 3_000 },
  ],
  ['bad credentials', ticket('InvalidCredentials'), { kind: 'rejected', scope: 'configuration' }],
  ['a fault of Expo', ticket('ExpoError'), { kind: 'retry', attempted: true }],
  ['an unknown error', ticket('Else'), { kind: 'rejected', scope: 'content' }],
  [
    'no token',
    replied(200, { data: { status: 'error', message: '"x" is not a valid Expo push token' } }),
    { scope: 'recipient' },
  ],
  [
    'an error of the request',
    replied(400, { errors: [{ code: 'VALIDATION_ERROR', message: 'No' }] }),
    { scope: 'content', error: '400 Bad Request: VALIDATION_ERROR: No' },
  ],
  ['unauthorized', replied(401, { errors: [{ code: 'UNAUTHORIZED', message: 'No' }] }), { scope: 'configuration' }],
  ['404', replied(404), { kind: 'rejected', scope: 'configuration' }],
  ['429', replied(429), { kind: 'retry', attempted: false }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
  ['garbage', replied(200, '{{'), { kind: 'in_doubt' }],
  ['empty', replied(200, ''), { kind: 'in_doubt' }],
  ['timeout', { kind: 'failure', failure: 'timeout', message: '30 s', reached: true }, { kind: 'in_doubt' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

const receiptsOf = (reply: Reply) => {
  const read = expo.results?.read(reply)
  return read && Object.fromEntries(read)
}

test('results are read a thousand at a time, with the access token, after fifteen minutes', () => {
  const results = expo.results!
  expect(results).toMatchObject({ afterMs: 900_000, keptMs: 86_400_000, idsMax: 1_000 })
  const request = results.request(['a', 'b'], { accessToken: 'secret' }) as HttpRequest
  expect(request).toMatchObject({ url: 'https://exp.host/--/api/v2/push/getReceipts', final: false })
  expect([request.headers.authorization, JSON.parse(request.body!)]).toEqual(['Bearer secret', { ids: ['a', 'b'] }])
  expect((results.request([], {}) as HttpRequest).headers).not.toHaveProperty('authorization')
})

test.each<[object, object]>([
  [{ status: 'ok' }, {}],
  [
    {
      status: 'error',
      message: '"ExponentPushToken[abc]" is not a registered push notification recipient',
      details: { error: 'DeviceNotRegistered' },
    },
    {
      error: 'DeviceNotRegistered: "********" is not a registered push notification recipient',
      ...{ gone: 'invalid_address', address: 'ExponentPushToken[abc]' },
    },
  ],
  [
    { status: 'error', message: 'No', details: { error: 'DeviceNotRegistered', expoPushToken: 'ExpoPushToken[x]' } },
    { error: 'DeviceNotRegistered: No', gone: 'invalid_address', address: 'ExpoPushToken[x]' },
  ],
  [
    { status: 'error', message: 'Gone', details: { error: 'DeviceNotRegistered' } },
    { error: 'DeviceNotRegistered: Gone', gone: 'invalid_address' },
  ],
  [{ status: 'error', message: 'Too big', details: { error: 'MessageTooBig' } }, { error: 'MessageTooBig: Too big' }],
  [{ status: 'error', details: { error: 'MessageRateExceeded' } }, { error: 'MessageRateExceeded' }],
  [
    { status: 'error', message: 'Wrong key', details: { error: 'InvalidCredentials' } },
    { error: 'InvalidCredentials: Wrong key' },
  ],
  [{ status: 'error' }, { error: 'The receipt names no error' }],
])('the receipt %j', (receipt, result) => {
  expect(receiptsOf(replied(200, { data: { t: receipt } }))).toEqual({ t: result })
})

test('a receipt that is not there yet has no entry, and a reply that is no answer is none', () => {
  expect(receiptsOf(replied(200, { data: {} }))).toEqual({})
  expect(receiptsOf(replied(200, { data: { t: null, u: { status: 'later' } } }))).toEqual({})
  for (const reply of [replied(200, '<html>'), replied(200, { errors: [] }), replied(503, { data: {} })])
    expect(receiptsOf(reply)).toBeUndefined()
  expect(receiptsOf({ kind: 'failure', failure: 'timeout', message: 'late', reached: true })).toBeUndefined()
})
