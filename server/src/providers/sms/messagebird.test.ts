/** MessageBird: the request, and the meaning of each answer. */
import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import { acceptedText } from '../callback.ts'
import messagebird from './messagebird.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { accessKey: 'bird-secret', originator: 'Postrider' },
  content: { body: 'Hi 👋', text: 'Long form' },
}
const created = replied(201, { id: 'm1', recipients: { items: [{ recipient: 15550100000, status: 'sent' }] } })
const run = (changes: Partial<Scene> = {}, reply: Reply = created) =>
  runAdapter(messagebird, { ...scene, ...changes }, reply)
const refused = (status: number, code: number, parameter: string | null = null) =>
  replied(status, { errors: [{ code, description: 'No', parameter }] })

test('a message becomes one request; its reference comes back with receipts', () => {
  const { requests, outcome } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://rest.messagebird.com/messages',
      headers: {
        accept: 'application/json',
        authorization: 'AccessKey bird-secret',
        'content-type': 'application/json',
      },
      body: '{"originator":"Postrider","recipients":"15550100000","body":"Hi 👋","datacoding":"auto","reference":"delivery-1"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 'm1' }, delivered: false })
})

test.each<[string, Reply, object]>([
  [
    'an invalid number',
    refused(422, 10, 'recipients'),
    {
      kind: 'rejected',
      scope: 'recipient',
      error: '422 Unprocessable Entity: No (10, recipients)',
      gone: 'invalid_address',
    },
  ],
  ['no recipient left', refused(422, 9, 'recipient'), { kind: 'rejected', scope: 'recipient' }],
  ['a sender that is not allowed', refused(422, 10, 'originator'), { kind: 'rejected', scope: 'configuration' }],
  ['a text that is too long', refused(422, 10, 'body'), { kind: 'rejected', scope: 'content' }],
  [
    'no balance',
    refused(422, 25),
    { kind: 'rejected', scope: 'configuration', error: expect.stringContaining('(25)') },
  ],
  ['a wrong key', refused(401, 2, 'access_key'), { kind: 'rejected', scope: 'configuration' }],
  ['a code that is no verdict while overloaded', refused(503, 10, 'recipients'), { kind: 'retry', attempted: true }],
  ['429', replied(429), { kind: 'retry', attempted: false }],
  ['200 without an id', replied(200, { recipients: {} }), { kind: 'in_doubt' }],
  ['garbage', replied(400, '{{'), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
  [
    'a secret in an error',
    replied(403, { errors: [{ code: 2, description: 'bird-secret' }] }),
    { scope: 'configuration', error: '403 Forbidden: ******** (2)' },
  ],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test.each([
  [{ recipients: [] }, 'recipients is missing'],
  [{ recipients: ['1555\r\n'] }, 'recipients must not contain line breaks'],
  [{ originator: '' }, 'originator is missing'],
  [{ body: '' }, 'body is missing'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

const key = 'bird-signing-key'
const signing = { ...scene.settings, signingKey: key }
const deliveryId = '1-691f0000-0000000000000000000000ab-0'
const callbackUrl = 'https://postrider.test/callbacks/t.s'

test('a message names where its status is reported, once the key is known', () => {
  const bodyOf = (changes: Partial<Scene>) =>
    JSON.parse((run({ ...changes, callbackUrl }).requests[0] as HttpRequest).body ?? '')
  expect(bodyOf({ settings: signing }).reportUrl).toBe(callbackUrl)
  expect(bodyOf({})).not.toHaveProperty('reportUrl')
  const override = { body: { reportUrl: 'https://a.co/' } }
  expect(bodyOf({ settings: signing, override }).reportUrl).toBe('https://a.co/')
})

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signed as the SDK of MessageBird verifies it. */
function callback(report: Record<string, string>, { claims = {}, header = {}, secret = key, body = '' } = {}) {
  const url = `${callbackUrl}?${new URLSearchParams(report)}`
  const now = RUN_AT / 1_000
  const allClaims = { iss: 'MessageBird', nbf: now, exp: now + 60, jti: 'j1', url_hash: sha256(url), ...claims }
  const parts = `${base64url({ alg: 'HS256', typ: 'JWT', ...header })}.${base64url(allClaims)}`
  const token = `${parts}.${createHmac('sha256', secret).update(parts).digest('base64url')}`
  const headers = { 'messagebird-signature-jwt': token }
  return runCallback(messagebird, signing, { method: 'GET', url, headers, body: Buffer.from(body) })
}
const report = (status: string, more = {}): Record<string, string> => ({
  id: 'm1',
  reference: deliveryId,
  recipient: '15550100000',
  status,
  statusDatetime: '2026-11-20T12:59:00+01:00',
  ...more,
})
const rejection = (error: string) => ({ kind: 'refused', error })

test.each([
  ['delivered', {}, { kind: 'delivered' }],
  [
    'delivery_failed',
    { statusReason: 'unknown subscriber', statusErrorCode: '1' },
    {
      kind: 'bounced',
      error: 'MessageBird reported the message as delivery_failed (unknown subscriber, 1)',
      gone: 'invalid_address',
    },
  ],
  [
    'delivery_failed',
    { statusErrorCode: '103' },
    { kind: 'bounced', error: 'MessageBird reported the message as delivery_failed (103)', gone: 'unsubscribed' },
  ],
  ['expired', {}, { kind: 'bounced', error: 'MessageBird reported the message as expired' }],
])('the status %s %j', (status, more, receipt) => {
  const receipts = [{ deliveryId, at: RUN_AT - 60_000, address: '15550100000', ...receipt }]
  expect(callback(report(status, more))).toEqual({ kind: 'accepted', receipts })
})

/** Each status with its code, and what follows from it. */
test.each<[string, string, string, string[]]>([
  ['scheduled', '', '', []],
  ['sent', '', '', []],
  ['buffered', '', '', []],
  ['delivered', '', '', ['delivered']],
  ['delivery_failed', 'unknown subscriber', '1', ['bounced HARD: invalid_address of 15550100000']],
  ['delivery_failed', 'Unknown Subscriber', '', ['bounced HARD: invalid_address of 15550100000']],
  ['delivery_failed', '', '1', ['bounced HARD: invalid_address of 15550100000']],
  ['delivery_failed', 'unavailable subscriber', '27', ['bounced SOFT']],
  ['delivery_failed', 'opted out', '103', ['bounced HARD: unsubscribed of 15550100000']],
  ['delivery_failed', 'carrier rejected', '104', ['bounced SOFT']],
  ['delivery_failed', '', '', ['bounced SOFT']],
  ['expired', '', '', ['bounced SOFT']],
])('%s %s %s does %j', (status, statusReason, statusErrorCode, effects) => {
  expect(receiptEffects(callback(report(status, { statusReason, statusErrorCode })), 'sms')).toEqual(effects)
})

test('earlier statuses, messages of others and garbage are no receipts', () => {
  const none = { kind: 'accepted', receipts: [] }
  for (const status of ['scheduled', 'buffered', 'sent', '']) expect(callback(report(status))).toEqual(none)
  expect(callback(report('delivered', { reference: 'order-7' }))).toEqual(none)
  expect(callback({ '%%': '{{' })).toEqual(none)
})

test('a status that is not signed, signed otherwise, for another address or late is refused', () => {
  const delivered = report('delivered')
  const now = RUN_AT / 1_000
  expect(callback(delivered, { secret: 'other' })).toEqual(rejection('The signature is wrong'))
  expect(callback(delivered, { header: { alg: 'none' } })).toEqual(
    rejection('The signature must be a token with the algorithm HS256'),
  )
  expect(callback(delivered, { claims: { url_hash: sha256(callbackUrl) } })).toEqual(
    rejection('The signature is of another address'),
  )
  expect(callback(delivered, { body: 'more' })).toEqual(rejection('The signature is of another payload'))
  expect(callback(delivered, { claims: { payload_hash: sha256('more') } })).toEqual(
    rejection('The signature is of another payload'),
  )
  expect(callback(delivered, { body: 'more', claims: { payload_hash: sha256('more') } }).kind).toBe('accepted')
  for (const claims of [{ exp: now - 301 }, { nbf: now + 301 }, { nbf: 'x' }])
    expect(callback(delivered, { claims })).toEqual(rejection('The signature has expired'))
  expect(runCallback(messagebird, signing, { method: 'GET' })).toEqual(rejection('The callback is not signed'))
  expect(runCallback(messagebird, scene.settings, { method: 'GET' })).toEqual(
    rejection('The integration has no signingKey to verify callbacks with'),
  )
})

test('a token over the address with and without its port is right', () => {
  const delivered = report('delivered')
  const signedAt = (origin: string, secret = key) => {
    const address = `${callbackUrl}?${new URLSearchParams(delivered)}`.replace(new URL(callbackUrl).origin, origin)
    return callback(delivered, { claims: { url_hash: sha256(address) }, secret })
  }
  const { origin } = new URL(callbackUrl)
  for (const signed of [origin, `${origin}:443`]) {
    expect(signedAt(signed), signed).toMatchObject({ receipts: [{ kind: 'delivered' }] })
    expect(signedAt(signed, 'other'), signed).toEqual(rejection('The signature is wrong'))
  }
  expect(signedAt(`${origin}:444`)).toEqual(rejection('The signature is of another address'))
})

test('a text message that came in is no receipt', () => {
  const text = { id: 'b2', originator: '15550100000', recipient: '15550109999', body: 'Stop' }
  const read = { id: 'b2', from: '15550100000', to: '15550109999', text: 'Stop', at: RUN_AT - 60_000 }
  const created = { createdDatetime: '2026-11-20T12:59:00+01:00' }
  expect(callback({ ...text, ...created })).toEqual(acceptedText(read))
  const form = new URLSearchParams({ ...text, ...created }).toString()
  const posted = callback({}, { body: form, claims: { payload_hash: sha256(form) } })
  expect(posted).toEqual(acceptedText(read))
  expect(callback(text, { secret: 'other' }).kind).toBe('refused')
})

test('a text of more than nine segments is rejected before the call', () => {
  const withText = (text: string, body: object = {}) => run({ content: { body: text }, override: { body } })
  expect(withText('x'.repeat(1_377)).outcome.kind).toBe('sent')
  const error = '`body` has 10 segments, and MessageBird takes at most 9: 1,377 characters of GSM-7, or 603 of Unicode'
  const refused = { requests: [], outcome: { kind: 'rejected', scope: 'content', error } }
  expect(withText('x'.repeat(1_378))).toMatchObject(refused)
  expect(withText('ж'.repeat(604))).toMatchObject(refused)
  expect(withText('x'.repeat(604), { datacoding: 'unicode' })).toMatchObject(refused)
  expect(withText('ж'.repeat(604), { datacoding: 'plain' }).outcome.kind).toBe('sent')
})
