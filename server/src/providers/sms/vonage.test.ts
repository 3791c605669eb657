/** Vonage: the request, Unicode, and the statuses of the segments, which come with HTTP 200. */
import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import { acceptedText } from '../callback.ts'
import vonage from './vonage.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { apiKey: 'vonage-key', apiSecret: 'vonage-secret', from: 'Postrider' },
  content: { body: 'Hi & bye', text: 'Long form' },
}
const segment = (status: string, more = {}) => ({ to: '15550100000', 'message-id': `0A${status}`, status, ...more })
const answer = (...messages: object[]) => replied(200, { 'message-count': String(messages.length), messages })
const run = (changes: Partial<Scene> = {}, reply: Reply = answer(segment('0'))) =>
  runAdapter(vonage, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failing = (status: number) => answer(segment(String(status), { 'error-text': 'No' }))

test('a message becomes one request; its reference comes back with receipts', () => {
  const { requests, outcome, draft } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://rest.nexmo.com/sms/json',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from('vonage-key:vonage-secret').toString('base64')}`,
        'content-type': 'application/json',
      },
      body: '{"from":"Postrider","to":"15550100000","text":"Hi & bye","client-ref":"delivery-1"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: '0A0' }, delivered: false })
  expect(JSON.stringify(draft)).not.toContain('vonage-secret')
})

test('a text beyond GSM-7 is sent as Unicode, also when an override brings it; a chosen type stays', () => {
  expect(bodyOf({ content: { body: 'Grüße €5' } }).type).toBeUndefined()
  expect(bodyOf({ content: { body: 'Hi 👋' } }).type).toBe('unicode')
  expect(bodyOf({ override: { body: { text: 'Привет' } } }).type).toBe('unicode')
  expect(bodyOf({ override: { body: { text: 'Привет', type: 'text' } } }).type).toBe('text')
})

test('a long text is one request, and the first segment names the message', () => {
  const { outcome } = run({ content: { body: 'a'.repeat(400) } }, answer(segment('0'), segment('0'), segment('0')))
  expect(outcome).toEqual({ kind: 'sent', reference: { id: '0A0' }, delivered: false })
})

test.each<[string, Reply, object]>([
  ['throttled', failing(1), { kind: 'retry', attempted: false, error: 'No (1)' }],
  ['too many binds', failing(10), { kind: 'retry', attempted: false }],
  ['internal error', failing(5), { kind: 'retry', attempted: true }],
  ['missing parameters', failing(2), { kind: 'rejected', scope: 'content' }],
  ['bad credentials', failing(4), { kind: 'rejected', scope: 'configuration', error: 'No (4)' }],
  ['no credit', failing(9), { kind: 'rejected', scope: 'configuration' }],
  ['invalid sender', failing(15), { kind: 'rejected', scope: 'configuration' }],
  ['unroutable', failing(6), { kind: 'rejected', scope: 'recipient' }],
  ['barred', failing(7), { kind: 'rejected', scope: 'recipient' }],
  ['not on the list of a trial account', failing(29), { kind: 'rejected', scope: 'recipient' }],
  ['deactivated', failing(33), { kind: 'rejected', scope: 'recipient', gone: 'invalid_address' }],
  ['a new status', failing(99), { kind: 'rejected', scope: 'content' }],
  ['a status as a number', answer({ status: 7 }), { kind: 'rejected', scope: 'recipient', error: 'not accepted (7)' }],
  [
    'some segments only',
    answer(segment('0'), segment('5', { 'error-text': 'No' })),
    { kind: 'in_doubt', error: 'Some segments were not accepted: No (5)' },
  ],
  ['no segment at all', answer(), { kind: 'in_doubt' }],
  ['a page instead of an answer', replied(200, '<html>'), { kind: 'in_doubt' }],
  [
    '401',
    replied(401, { title: 'vonage-secret' }),
    { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized: ********' },
  ],
  ['429', replied(429, '', { 'retry-after': '2' }), { kind: 'retry', attempted: false, retryAfterMs: 2_000 }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('an address of an override is not the one of the profile', () => {
  const { outcome } = run({ override: { body: { to: '+15550199999' } } }, failing(33))
  expect(outcome).toMatchObject({ scope: 'recipient' })
  expect(outcome).not.toHaveProperty('gone')
})

test.each([
  [{ to: '' }, 'to is missing'],
  [{ from: '' }, 'from is missing'],
  [{ text: '' }, 'text is missing'],
  [{ to: '1555\r\n' }, 'to must not contain line breaks'],
  [{ api_secret: 'x' }, 'body.api_secret cannot be set, config can'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

const secret = 'vonage-signature-secret'
const signing = { ...scene.settings, signatureSecret: secret }
const deliveryId = '1-691f0000-0000000000000000000000ab-0'
const callbackUrl = 'https://postrider.test/callbacks/t.s'

test('a message names where its status is reported, once the secret is known', () => {
  expect(bodyOf({ settings: signing, callbackUrl }).callback).toBe(callbackUrl)
  expect(bodyOf({ callbackUrl })).not.toHaveProperty('callback')
  const override = { body: { callback: 'https://a.co/' } }
  expect(bodyOf({ settings: signing, callbackUrl, override }).callback).toBe('https://a.co/')
})

const report = (status: string, code = '0', more = {}): Record<string, string> => ({
  msisdn: '15550100000',
  to: 'A&B=C',
  messageId: '0A1',
  status,
  'err-code': code,
  'message-timestamp': '2026-11-20 11:59:00',
  'client-ref': deliveryId,
  timestamp: String(RUN_AT / 1_000),
  ...more,
})

/** Signed as the documentation describes it. */
function signed(fields: Record<string, string>, { method = 'sha256', key = secret } = {}): Record<string, string> {
  const text = Object.keys(fields)
    .sort()
    .reduce((all, name) => `${all}&${name}=${fields[name]!.replaceAll('&', '_').replaceAll('=', '_')}`, '')
  return { ...fields, sig: createHmac(method, key).update(text).digest('hex').toUpperCase() }
}
const forms: Record<string, (fields: Record<string, string>) => object> = {
  GET: (fields) => ({ method: 'GET', url: `${callbackUrl}?${new URLSearchParams(fields)}` }),
  form: (fields) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams(fields).toString()),
  }),
  JSON: (fields) => ({ headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(fields)) }),
}
const callback = (fields: Record<string, string>, form = 'JSON', settings: object = signing) =>
  runCallback(vonage, { ...settings }, forms[form]!(fields))
const rejection = (error: string) => ({ kind: 'refused', error })
const delivered = { deliveryId, kind: 'delivered', at: RUN_AT - 60_000, address: '15550100000' }

test.each([
  ['GET', 'sha256'],
  ['form', 'sha512'],
  ['JSON', 'sha256'],
])('a receipt as %s, signed by %s', (form, method) => {
  expect(callback(signed(report('delivered'), { method }), form)).toEqual({ kind: 'accepted', receipts: [delivered] })
})

test.each([
  ['failed', '3', { error: 'Vonage reported the message as failed (3)', gone: 'invalid_address' }],
  ['rejected', '9', { error: 'Vonage reported the message as rejected (9)', gone: 'unsubscribed' }],
  ['expired', '1', { error: 'Vonage reported the message as expired (1)' }],
])('the status %s %s', (status, code, receipt) => {
  const receipts = [{ ...delivered, kind: 'bounced', ...receipt }]
  expect(callback(signed(report(status, code)))).toEqual({ kind: 'accepted', receipts })
})

/** Each status with its code, and what follows from it. */
test.each<[string, string, string[]]>([
  ['accepted', '0', []],
  ['buffered', '0', []],
  ['delivered', '0', ['delivered']],
  ['failed', '1', ['bounced SOFT']],
  ['failed', '2', ['bounced SOFT']],
  ['failed', '3', ['bounced HARD: invalid_address of 15550100000']],
  ['failed', '4', ['bounced SOFT']],
  ['failed', '5', ['bounced SOFT']],
  ['failed', '6', ['bounced SOFT']],
  ['failed', '7', ['bounced SOFT']],
  ['failed', '8', ['bounced SOFT']],
  ['failed', '9', ['bounced HARD: unsubscribed of 15550100000']],
  ['failed', '15', ['bounced SOFT']],
  ['failed', '99', ['bounced SOFT']],
  ['rejected', '3', ['bounced HARD: invalid_address of 15550100000']],
  ['rejected', '6', ['bounced SOFT']],
  ['rejected', '9', ['bounced HARD: unsubscribed of 15550100000']],
  ['expired', '2', ['bounced SOFT']],
])('%s %s does %j', (status, code, effects) => {
  expect(receiptEffects(callback(signed(report(status, code))), 'sms')).toEqual(effects)
})

test('earlier statuses, messages of others and garbage are no receipts', () => {
  const none = { kind: 'accepted', receipts: [] }
  for (const status of ['accepted', 'buffered', 'unknown', '']) expect(callback(signed(report(status)))).toEqual(none)
  expect(callback(signed(report('delivered', '0', { 'client-ref': 'order-7' })))).toEqual(none)
  const { 'client-ref': _, ...anonymous } = report('delivered')
  expect(callback(signed(anonymous))).toEqual(none)
  const headers = { 'content-type': 'application/json' }
  for (const garbage of ['', '{{', '[]', 'null', '{"sig":7}'])
    expect(runCallback(vonage, signing, { headers, body: Buffer.from(garbage) })).toEqual(
      rejection('The callback is not signed'),
    )
})

test('a receipt that is not signed, signed otherwise, changed or late is refused', () => {
  const fields = report('delivered')
  expect(callback(fields)).toEqual(rejection('The callback is not signed'))
  expect(callback(signed(fields, { key: 'other' }))).toEqual(rejection('The signature is wrong'))
  expect(callback({ ...signed(fields), status: 'failed' })).toEqual(rejection('The signature is wrong'))
  expect(callback(signed(fields, { method: 'md5' }))).toEqual(
    rejection('The signature method of the account must be SHA-256 HMAC or SHA-512 HMAC'),
  )
  for (const timestamp of [String(RUN_AT / 1_000 - 301), String(RUN_AT / 1_000 + 301), 'x'])
    expect(callback(signed({ ...fields, timestamp }))).toEqual(rejection('The signature has expired'))
  expect(callback(signed(fields), 'JSON', scene.settings)).toEqual(
    rejection('The integration has no signatureSecret to verify callbacks with'),
  )
})

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token as the documentation of signed webhooks describes it. */
function token(payload: string, { claims = {}, header = {}, key = secret } = {}): string {
  const hash = createHash('sha256').update(payload).digest('hex')
  const parts = [
    base64url({ alg: 'HS256', typ: 'JWT', ...header }),
    base64url({ iat: RUN_AT / 1_000, iss: 'Vonage', payload_hash: hash, ...claims }),
  ].join('.')
  return `${parts}.${createHmac('sha256', key).update(parts).digest('base64url')}`
}
const withToken = (fields: Record<string, string>, form: string, authorization: string) => {
  const { headers = {}, ...request } = forms[form]!(fields) as { headers?: Record<string, string> }
  return runCallback(vonage, signing, { ...request, headers: { ...headers, authorization } })
}

test('a receipt may be signed by a token instead', () => {
  const fields = report('delivered')
  const bearer = (changes = {}) => `Bearer ${token(JSON.stringify(fields), changes)}`
  for (const form of ['JSON', 'GET'])
    expect(withToken(fields, form, bearer()), form).toEqual({ kind: 'accepted', receipts: [delivered] })
  expect(withToken({ ...fields, status: 'failed' }, 'JSON', bearer())).toEqual(
    rejection('The signature is of another payload'),
  )
  expect(withToken(fields, 'JSON', bearer({ key: 'other' }))).toEqual(rejection('The signature is wrong'))
  for (const alg of ['none', 'RS256', undefined])
    expect(withToken(fields, 'JSON', bearer({ header: { alg } }))).toEqual(
      rejection('The signature must be a token with the algorithm HS256'),
    )
  for (const claims of [{ iat: RUN_AT / 1_000 - 301 }, { iat: RUN_AT / 1_000 + 301 }, { iat: undefined }])
    expect(withToken(fields, 'JSON', bearer({ claims }))).toEqual(rejection('The signature has expired'))
  for (const garbage of ['x', '..', 'e30.e30.e30', '....'])
    expect(withToken(fields, 'JSON', `Bearer ${garbage}`)).toMatchObject({ kind: 'refused' })
})

test('the type in the headers, which is not signed, does not decide how a body is read', () => {
  const text = JSON.stringify({ msisdn: '15550100000', messageId: '0B1', text: '&msisdn=15550100001&text=STOP&y=' })
  const authorization = `Bearer ${token(text)}`
  for (const type of ['application/json', 'application/x-www-form-urlencoded', ''])
    expect(
      runCallback(vonage, signing, { headers: { 'content-type': type, authorization }, body: Buffer.from(text) }),
    ).toMatchObject({ texts: [{ id: '0B1', from: '15550100000' }] })
})

test('two fields cannot be read as one under the same signature', () => {
  const fields = signed({ messageId: '0B1', msisdn: '15550100000', text: 'Stop', timestamp: String(RUN_AT / 1_000) })
  const { messageId, msisdn = '', ...rest } = fields
  const joined = { [`messageId=${messageId}&msisdn`]: msisdn, ...rest }
  for (const form of ['GET', 'form', 'JSON'])
    expect(callback(joined, form), form).toEqual(rejection('The signature is of other fields'))
})

test.each(['GET', 'form', 'JSON'])('a text message that came in, as %s', (form) => {
  const { status: _status, ...rest } = report('', '0', { messageId: '0B1', text: 'Stop', to: '15550109999' })
  const read = { id: '0B1', from: '15550100000', to: '15550109999', text: 'Stop', at: RUN_AT - 60_000 }
  expect(callback(signed(rest), form)).toEqual(acceptedText(read))
  expect(callback(signed(rest, { key: 'other' }), form).kind).toBe('refused')
})

test('a text above 3,600 characters, and a binary message above 140 bytes, is rejected before the call', () => {
  expect(run({ content: { body: 'x'.repeat(3_600) } }).outcome.kind).toBe('sent')
  expect(run({ content: { body: 'x'.repeat(3_601) } })).toMatchObject({
    ...{ requests: [], outcome: { kind: 'rejected', scope: 'content' } },
    outcome: { error: '`text` has 3,601 characters, and Vonage takes at most 3,600' },
  })
  const binary = (bytes: number) => ({ text: '', type: 'binary', udh: '06050415811581', body: '00'.repeat(bytes) })
  expect(run({ override: { body: binary(133) } }).outcome.kind).toBe('sent')
  expect(run({ override: { body: binary(134) } })).toMatchObject({
    ...{ requests: [] },
    outcome: { scope: 'content', error: '`udh` with `body` has 141 bytes, and Vonage takes at most 140' },
  })
})
