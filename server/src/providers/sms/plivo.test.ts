/** Plivo: the request, its one sender, and the meaning of each answer. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import { acceptedText } from '../callback.ts'
import { checkSettings } from '../settings.ts'
import plivo from './plivo.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { authId: 'MA1', authToken: 'plivo-secret', from: '+15550109999' },
  content: { body: 'Hi 👋', text: 'Long form' },
}
const queued = replied(202, { message: 'message(s) queued', message_uuid: ['u1'], api_id: 'a1' })
const run = (changes: Partial<Scene> = {}, reply: Reply = queued) => runAdapter(plivo, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const refused = (status: number, error: unknown) => replied(status, { api_id: 'a1', error })

test('a message becomes one request', () => {
  const { requests, outcome } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://api.plivo.com/v1/Account/MA1/Message/',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from('MA1:plivo-secret').toString('base64')}`,
        'content-type': 'application/json',
      },
      body: '{"src":"+15550109999","dst":"+15550100000","text":"Hi 👋"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 'u1' }, delivered: false })
})

test('a message has one sender: a powerpack or a number, and that of an override wins', () => {
  const powerpack = { ...scene.settings, powerpackUuid: 'p1' }
  expect(bodyOf({ settings: powerpack })).toEqual({ powerpack_uuid: 'p1', dst: '+15550100000', text: 'Hi 👋' })
  expect(bodyOf({ settings: powerpack, override: { body: { src: '+1555' } } })).not.toHaveProperty('powerpack_uuid')
  expect(bodyOf({ override: { body: { powerpack_uuid: 'p2' } } })).not.toHaveProperty('src')
  expect(checkSettings(plivo, { authId: 'MA1', authToken: 't' })).toEqual([
    'from: a sender is needed, from or powerpackUuid',
  ])
})

test.each<[string, Reply, object]>([
  [
    'an invalid number',
    refused(400, '19332631167 is not a valid phone number'),
    {
      kind: 'rejected',
      scope: 'recipient',
      error: '400 Bad Request: 19332631167 is not a valid phone number',
      gone: 'invalid_address',
    },
  ],
  ['a missing number', refused(400, { error: 'dst parameter not present' }), { kind: 'rejected', scope: 'recipient' }],
  [
    'an invalid number in a 202',
    replied(202, { message: 'message(s) queued', message_uuid: [], invalid_number: ['15550100000'] }),
    { kind: 'rejected', scope: 'recipient' },
  ],
  ['a wrong sender', refused(400, 'src parameter is invalid'), { kind: 'rejected', scope: 'configuration' }],
  ['a wrong text', refused(400, 'text exceeds the maximum'), { kind: 'rejected', scope: 'content' }],
  ['401', replied(401, 'plivo-secret'), { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized' }],
  ['402', replied(402), { kind: 'rejected', scope: 'configuration' }],
  ['403, the country is barred', refused(403, 'destination barred'), { kind: 'rejected', scope: 'configuration' }],
  ['404', replied(404), { kind: 'rejected', scope: 'configuration' }],
  ['429', replied(429, '', { 'retry-after': '1' }), { kind: 'retry', attempted: false, retryAfterMs: 1_000 }],
  ['202 without an id', replied(202, {}), { kind: 'in_doubt' }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test.each([
  [{ dst: '' }, 'content', 'dst is missing'],
  [{ text: '' }, 'content', 'text is missing'],
  [{ src: null }, 'configuration', 'Neither src nor a powerpack is set'],
])('the override %j is refused', (body, scope, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope, error })
  expect(requests).toEqual([])
})

const deliveryId = '1-691f0000-0000000000000000000000ab-0'
const callbackUrl = 'https://postrider.test/callbacks/t.s'
const url = `${callbackUrl}?delivery=${deliveryId}`

test('a message names where its status is reported', () => {
  expect(bodyOf({ message: { deliveryId }, callbackUrl })).toMatchObject({ url, method: 'POST' })
  const named = bodyOf({ override: { body: { url: 'https://a.co/' } }, callbackUrl })
  expect(named.url).toBe('https://a.co/')
  expect(named).not.toHaveProperty('method')
  expect(bodyOf({})).not.toHaveProperty('url')
})

/** Signed as the SDK of Plivo verifies it. */
function callback(fields: Record<string, string>, { to = url, token = 'plivo-secret', nonce = '7', more = '' } = {}) {
  const { origin, pathname, search } = new URL(to)
  const names = Object.keys(fields).sort()
  const query = search.slice(1).split('&').sort().join('&')
  const base = `${origin}${pathname}?${query}${query && names.length > 0 ? '.' : ''}`
  const text = names.reduce((all, name) => all + name + fields[name], base)
  const signature = createHmac('sha256', token).update(`${text}.${nonce}`).digest('base64')
  const headers = { 'x-plivo-signature-v3': `${more}${signature}`, 'x-plivo-signature-v3-nonce': nonce }
  const body = Buffer.from(new URLSearchParams(fields).toString())
  return runCallback(plivo, scene.settings, { url: to, headers, body })
}
const report = { To: '15550100000', From: '15550109999', DeliveryReportTime: '2026-11-20 11:59:00.000000' }
const none = { kind: 'accepted', receipts: [] }
const unsigned = { kind: 'refused', error: 'The signature is missing or wrong' }

test.each([
  ['delivered', '', { kind: 'delivered' }],
  ['read', '', { kind: 'opened' }],
  [
    'undelivered',
    '70',
    { kind: 'bounced', error: 'Plivo reported the message as undelivered (70)', gone: 'invalid_address' },
  ],
  ['failed', '50', { kind: 'bounced', error: 'Plivo reported the message as failed (50)', gone: 'invalid_address' }],
  ['failed', '200', { kind: 'bounced', error: 'Plivo reported the message as failed (200)', gone: 'unsubscribed' }],
  ['undelivered', '80', { kind: 'bounced', error: 'Plivo reported the message as undelivered (80)' }],
  ['rejected', '', { kind: 'bounced', error: 'Plivo reported the message as rejected' }],
])('the status %s %s', (Status, ErrorCode, receipt) => {
  const receipts = [{ deliveryId, at: RUN_AT - 60_000, address: '15550100000', ...receipt }]
  expect(callback({ ...report, Status, ErrorCode })).toEqual({ kind: 'accepted', receipts })
})

/** Each status with its code, and what follows from it. */
test.each<[string, string, string[]]>([
  ['queued', '', []],
  ['sent', '', []],
  ['delivered', '', ['delivered']],
  ['read', '', ['opened']],
  ['rejected', '', ['bounced SOFT']],
  ['undelivered', '20', ['bounced SOFT']],
  ['undelivered', '30', ['bounced SOFT']],
  ['undelivered', '40', ['bounced SOFT']],
  ['undelivered', '50', ['bounced HARD: invalid_address of 15550100000']],
  ['undelivered', '60', ['bounced SOFT']],
  ['undelivered', '70', ['bounced HARD: invalid_address of 15550100000']],
  ['undelivered', '80', ['bounced SOFT']],
  ['undelivered', '90', ['bounced SOFT']],
  ['undelivered', '100', ['bounced SOFT']],
  ['undelivered', '200', ['bounced HARD: unsubscribed of 15550100000']],
  ['undelivered', '420', ['bounced SOFT']],
  ['undelivered', '1000', ['bounced SOFT']],
  ['failed', '50', ['bounced HARD: invalid_address of 15550100000']],
  ['failed', '200', ['bounced HARD: unsubscribed of 15550100000']],
  ['failed', '900', ['bounced SOFT']],
])('%s %s does %j', (status, code, effects) => {
  expect(receiptEffects(callback({ ...report, Status: status, ErrorCode: code }), 'sms')).toEqual(effects)
})

test('a signature covers the address with its parameters; one of several is enough', () => {
  const delivered = { ...report, Status: 'delivered' }
  expect(callback(delivered, { to: `${url}&b=2&a=1` })).toMatchObject({ receipts: [{ deliveryId }] })
  expect(callback(delivered, { more: 'old=,' })).toMatchObject({ receipts: [{ deliveryId }] })
})

test.each(['v2', 'ma-v2'])('the signature %s covers the address without its parameters', (version) => {
  const signed = (text: string) => createHmac('sha256', 'plivo-secret').update(text).digest('base64')
  const body = Buffer.from(new URLSearchParams({ ...report, Status: 'delivered' }).toString())
  const call = (signature: string, more = {}, other = {}) =>
    runCallback(plivo, scene.settings, {
      ...{ url, body, ...other },
      headers: { [`x-plivo-signature-${version}`]: signature, 'x-plivo-signature-v2-nonce': '7', ...more },
    })
  expect(call(signed(`${callbackUrl}7`))).toMatchObject({ receipts: [{ deliveryId }] })
  // With other fields or parameters it is the same one, whose mark has another content.
  const marked = (other = {}) =>
    call(signed(`${callbackUrl}7`), {}, other) as unknown as { once: { mark: string; content: string }[] }
  const { once } = marked()
  expect(once).toMatchObject([{ mark: 'nonce 7' }])
  expect(marked()).toMatchObject({ once })
  for (const other of [
    { body: Buffer.from('Status=undelivered') },
    { url: `${callbackUrl}?delivery=${deliveryId}1` },
    // The same letters, in other fields.
    { body: Buffer.from(body.toString().replace('Status=', 'Statu=s')) },
  ]) {
    const [mark] = marked(other).once
    expect([mark?.mark, mark?.content === once[0]?.content]).toEqual(['nonce 7', false])
  }
  expect(call(signed(`${callbackUrl}8`))).toEqual(unsigned)
  expect(call(signed(`${url}7`))).toEqual(unsigned)
  // A wrong signature of version 3 is not made good by one of version 2.
  const wrong = { 'x-plivo-signature-v3': 'x', 'x-plivo-signature-v3-nonce': '7' }
  expect(call(signed(`${callbackUrl}7`), wrong)).toEqual(unsigned)
})

test.each(['v2', 'v3'])('a signature %s over the address with and without its port is right', (version) => {
  const delivered = { Status: 'delivered', To: '15550100000' }
  const path = `/callbacks/t.s?delivery=${deliveryId}`
  const read = (origin: string, signedOrigin: string, token = 'plivo-secret') => {
    const signed =
      version === 'v2' ? `${signedOrigin}/callbacks/t.s7` : `${signedOrigin}${path}.StatusdeliveredTo15550100000.7`
    const signature = createHmac('sha256', token).update(signed).digest('base64')
    const headers = { [`x-plivo-signature-${version}`]: signature, [`x-plivo-signature-${version}-nonce`]: '7' }
    const body = Buffer.from(new URLSearchParams(delivered).toString())
    return runCallback(plivo, scene.settings, { url: `${origin}${path}`, headers, body })
  }
  for (const [origin, signedOrigin] of [
    ['https://a.example:8443', 'https://a.example:8443'],
    ['https://a.example:8443', 'https://a.example'],
    ['https://a.example', 'https://a.example:443'],
    ['https://a.example:443', 'https://a.example:443'],
    ['https://A.example', 'https://a.example'],
  ] as const) {
    expect(read(origin, signedOrigin), signedOrigin).toMatchObject({ receipts: [{ deliveryId }] })
    expect(read(origin, signedOrigin, 'other'), signedOrigin).toEqual(unsigned)
  }
  expect(read('https://a.example:8443', 'https://a.example:8444')).toEqual(unsigned)
})

test('earlier statuses, messages of others and garbage are no receipts', () => {
  for (const Status of ['queued', 'sent', '']) expect(callback({ ...report, Status })).toEqual(none)
  expect(callback({ ...report, Status: 'delivered' }, { to: `${callbackUrl}?delivery=x` })).toEqual(none)
  expect(callback({ '{{': '%%' })).toEqual(none)
  expect(callback({})).toEqual(none)
})

test('a callback without a signature, with another one, or for another address is refused', () => {
  const delivered = { ...report, Status: 'delivered' }
  expect(callback(delivered, { token: 'other' })).toEqual(unsigned)
  const body = Buffer.from('Status=delivered')
  expect(runCallback(plivo, scene.settings, { url, body })).toEqual(unsigned)
  const headers = { 'x-plivo-signature-v3': 'x', 'x-plivo-signature-v3-nonce': '7' }
  for (const settings of [scene.settings, { ...scene.settings, authToken: '' }])
    expect(runCallback(plivo, settings, { url, body, headers })).toEqual(unsigned)
})

test('a text message that came in is no receipt, and is used once', () => {
  // In the order in which they are signed.
  const text = { From: '15550100000', MessageUUID: 'u2', Text: 'Stop', To: '15550109999', Type: 'sms' }
  const read = { id: 'u2', from: '15550100000', to: '15550109999', text: 'Stop', at: RUN_AT }
  const to = `${callbackUrl}?a=1`
  const signed = `${to}.${Object.entries(text).flat().join('')}.7`
  const signature = createHmac('sha256', 'plivo-secret').update(signed).digest('base64')
  expect(callback(text, { to })).toEqual(acceptedText(read, signature))
  expect(callback(text, { to, token: 'other' })).toEqual(unsigned)
  // The same signature, without the id of the text.
  const { MessageUUID: _id, ...anonymous } = { ...text, MessageUUIDu2: '' }
  expect(callback(anonymous, { to })).toMatchObject({ once: [{ mark: `signature ${signature}` }] })
})
