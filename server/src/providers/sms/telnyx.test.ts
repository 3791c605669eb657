/** Telnyx: the request, its sender, and the meaning of each answer. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import { acceptedText } from '../callback.ts'
import { checkSettings } from '../settings.ts'
import telnyx from './telnyx.ts'

const scene: Scene = {
  profile: { phone_number: '1 (555) 010-0000' },
  settings: { apiKey: 'KEYtelnyx-secret', from: '+15550109999' },
  content: { body: 'Hi 👋', text: 'Long form' },
}
const queued = replied(200, { data: { id: 't1', to: [{ status: 'queued' }] } })
const run = (changes: Partial<Scene> = {}, reply: Reply = queued) => runAdapter(telnyx, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const refused = (status: number, code: number) =>
  replied(status, { errors: [{ code: String(code), title: 'Refused', detail: 'Because' }] })

test('a message becomes one request, to an international number', () => {
  const { requests, outcome } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://api.telnyx.com/v2/messages',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer KEYtelnyx-secret',
        'content-type': 'application/json',
      },
      body: '{"from":"+15550109999","to":"+15550100000","text":"Hi 👋"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 't1' }, delivered: false })
})

test('a short code has no plus', () => {
  expect(bodyOf({ profile: { phone_number: '12345' } }).to).toBe('12345')
})

test('a messaging profile chooses the sender, or stands beside a sender id', () => {
  const settings = { apiKey: 'KEY', messagingProfileId: 'p1' }
  expect(bodyOf({ settings })).toMatchObject({ messaging_profile_id: 'p1' })
  expect(bodyOf({ settings: { ...settings, from: 'Postrider' } })).toMatchObject({
    from: 'Postrider',
    messaging_profile_id: 'p1',
  })
  expect(checkSettings(telnyx, { apiKey: 'KEY' })).toEqual(['from: a sender is needed, from or messagingProfileId'])
})

test.each<[string, Reply, object]>([
  [
    'an invalid number',
    refused(400, 40310),
    { kind: 'rejected', scope: 'recipient', error: '400 Bad Request: Refused: Because (40310)' },
  ],
  ['opted out', refused(403, 40300), { kind: 'rejected', scope: 'recipient', gone: 'unsubscribed' }],
  ['not in international form', refused(422, 10016), { kind: 'rejected', scope: 'recipient' }],
  ['a sender that is not ours', refused(400, 40305), { kind: 'rejected', scope: 'configuration' }],
  ['no funds', refused(403, 20100), { kind: 'rejected', scope: 'configuration' }],
  ['too long', refused(400, 40302), { kind: 'rejected', scope: 'content' }],
  ['a full queue', refused(400, 40318), { kind: 'retry', attempted: false }],
  ['401', refused(401, 10009), { kind: 'rejected', scope: 'configuration' }],
  ['429', refused(429, 10011), { kind: 'retry', attempted: false }],
  ['a code that is no verdict while overloaded', refused(503, 40310), { kind: 'retry', attempted: true }],
  ['200 without an id', replied(200, { data: {} }), { kind: 'in_doubt' }],
  ['garbage', replied(400, '{{'), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('an address of an override is not the one of the profile', () => {
  const { outcome } = run({ override: { body: { to: '+15550199999' } } }, refused(403, 40300))
  expect(outcome).toMatchObject({ scope: 'recipient' })
  expect(outcome).not.toHaveProperty('gone')
})

test.each([
  [{ to: '' }, 'content', 'to is missing'],
  [{ text: '' }, 'content', 'text is missing'],
  [{ from: null }, 'configuration', 'Neither from nor a messaging profile is set'],
])('the override %j is refused', (body, scope, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope, error })
  expect(requests).toEqual([])
})

const keys = generateKeyPairSync('ed25519')
const publicKey = Buffer.from(keys.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')
const signing = { ...scene.settings, publicKey }
const deliveryId = '1-691f0000-0000000000000000000000ab-0'
const callbackUrl = 'https://postrider.test/callbacks/t.s'
const url = `${callbackUrl}?delivery=${deliveryId}`

test('a message names where its status is reported, once the key is known', () => {
  const message = { deliveryId }
  expect(bodyOf({ settings: signing, message, callbackUrl }).webhook_url).toBe(url)
  expect(bodyOf({ message, callbackUrl })).not.toHaveProperty('webhook_url')
  const override = { body: { webhook_url: 'https://a.co/' } }
  expect(bodyOf({ settings: signing, message, callbackUrl, override }).webhook_url).toBe('https://a.co/')
})

/** Signed as the documentation describes it. */
function callback(content: unknown, { at = RUN_AT, to = url, key = keys.privateKey, settings = signing } = {}) {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  const timestamp = String(at / 1_000)
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64')
  const headers = { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp }
  return runCallback(telnyx, settings, { url: to, body, headers })
}
const finalized = (status: string, ...errors: object[]) => ({
  data: {
    event_type: 'message.finalized',
    occurred_at: '2026-11-20T11:59:00Z',
    payload: { to: [{ phone_number: '+15550100000', status }], errors, webhook_url: url },
  },
  meta: { attempt: 1, delivered_to: url },
})
/** With the address of the message, and with the one that the event was delivered to. */
const finalizedAt = (webhook_url: unknown, delivered_to?: unknown) => {
  const { data } = finalized('delivered')
  return { data: { ...data, payload: { ...data.payload, webhook_url } }, meta: { delivered_to } }
}
const address = '+15550100000'
const at = RUN_AT - 60_000
const none = { kind: 'accepted', receipts: [] }

test.each([
  ['delivered', [], { kind: 'delivered' }],
  [
    'delivery_failed',
    [{ code: '40001', title: 'Not routable', detail: 'A landline' }],
    { kind: 'bounced', error: 'Not routable: A landline (40001)', gone: 'invalid_address' },
  ],
  [
    'sending_failed',
    [{ code: '40300', title: 'Blocked due to STOP' }],
    { kind: 'bounced', error: 'Blocked due to STOP (40300)', gone: 'unsubscribed' },
  ],
  ['delivery_failed', [{ code: '40006', title: 'Away' }], { kind: 'bounced', error: 'Away (40006)' }],
  ['delivery_failed', [], { kind: 'bounced', error: 'Telnyx reported delivery_failed' }],
])('the status %s %j', (status, errors, receipt) => {
  const receipts = [{ deliveryId, at, address, ...receipt }]
  expect(callback(finalized(status, ...errors))).toEqual({ kind: 'accepted', receipts })
})

/** Each status with its code, and what follows from it. */
test.each<[string, string, string[]]>([
  ['queued', '', []],
  ['sent', '', []],
  ['delivered', '', ['delivered']],
  ['delivery_unconfirmed', '', []],
  ['delivery_failed', '40001', ['bounced HARD: invalid_address of 15550100000']],
  ['delivery_failed', '40002', ['bounced SOFT']],
  ['delivery_failed', '40003', ['bounced SOFT']],
  ['delivery_failed', '40006', ['bounced SOFT']],
  ['delivery_failed', '40008', ['bounced SOFT']],
  ['delivery_failed', '40010', ['bounced SOFT']],
  ['delivery_failed', '40012', ['bounced HARD: invalid_address of 15550100000']],
  ['delivery_failed', '40300', ['bounced HARD: unsubscribed of 15550100000']],
  ['delivery_failed', '40310', ['bounced HARD: invalid_address of 15550100000']],
  ['sending_failed', '40300', ['bounced HARD: unsubscribed of 15550100000']],
  ['sending_failed', '40311', ['bounced SOFT']],
  ['sending_failed', '40333', ['bounced SOFT']],
])('%s %s does %j', (status, code, effects) => {
  expect(receiptEffects(callback(finalized(status, ...(code ? [{ code }] : []))), 'sms')).toEqual(effects)
})

test('earlier statuses, messages of others and garbage are no receipts', () => {
  expect(callback(finalized('delivery_unconfirmed'))).toEqual(none)
  expect(callback({ data: { ...finalized('delivered').data, event_type: 'message.sent' } })).toEqual(none)
  for (const address of [`${callbackUrl}?delivery=x`, callbackUrl, '', 'x', 7, null])
    expect(callback(finalizedAt(address, address)), String(address)).toEqual(none)
  for (const garbage of [
    '{{',
    '',
    'null',
    '[]',
    '{"data":7}',
    { data: { event_type: 'message.finalized', payload: [] } },
  ])
    expect(callback(garbage)).toEqual(none)
})

test('the delivery is the one in the signed body: the signature does not cover the address', () => {
  const receipts = [{ deliveryId, kind: 'delivered' }]
  for (const to of [callbackUrl, `${url}1`, url]) {
    expect(callback(finalized('delivered'), { to }), to).toMatchObject({ receipts })
    expect(callback(finalizedAt('', url), { to }), to).toMatchObject({ receipts })
    expect(callback(finalizedAt(undefined), { to }), to).toEqual(none)
  }
})

test('a callback without a valid signature is refused', () => {
  const event = finalized('delivered')
  const rejection = (error: string) => ({ kind: 'refused', error })
  const other = generateKeyPairSync('ed25519').privateKey
  expect(callback(event, { key: other })).toEqual(rejection('The signature is wrong'))
  for (const when of [RUN_AT - 301_000, RUN_AT + 301_000, Number.NaN])
    expect(callback(event, { at: when })).toEqual(rejection('The signature has expired'))
  const body = Buffer.from(JSON.stringify(event))
  expect(runCallback(telnyx, signing, { url, body })).toEqual(rejection('The callback is not signed'))
  expect(callback(event, { settings: { ...signing, publicKey: 'x' } })).toEqual(
    rejection('publicKey must be an Ed25519 key in base64'),
  )
  expect(callback(event, { settings: { ...signing, publicKey: '' } })).toEqual(
    rejection('The integration has no publicKey to verify callbacks with'),
  )
})

test('a text message that came in is no receipt', () => {
  const numbers = { from: { phone_number: address }, to: [{ phone_number: '+15550109999' }] }
  const payload = { id: 't2', ...numbers, text: 'Stop', received_at: '2026-11-20T11:59:00Z' }
  const read = { id: 't2', from: address, to: '+15550109999', text: 'Stop', at }
  const received = (content: object) => ({ data: { event_type: 'message.received', payload: content } })
  expect(callback(received(payload), { to: callbackUrl })).toEqual(acceptedText(read))
  // Words of the messaging profile, which has opted the number out or in.
  for (const [autoresponse_type, keyword] of [
    ['OPT_OUT', 'stop'],
    ['opt_in', 'start'],
    ['HELP', 'help'],
  ] as const)
    expect(callback(received({ ...payload, text: 'Assez', autoresponse_type }))).toMatchObject({ texts: [{ keyword }] })
  expect(callback(received({ ...payload, from: 'x' }))).toEqual(none)
})

test('a text of more segments than the profile sends is rejected before the call, an MMS is not', () => {
  const withText = (text: string, changes: Partial<Scene> = {}) => run({ content: { body: text }, ...changes })
  expect(withText('x'.repeat(1_530)).outcome.kind).toBe('sent')
  const error = '`text` has 11 segments, and Telnyx takes at most 10: 1,530 characters of GSM-7, or 670 of Unicode'
  const refused = { requests: [], outcome: { kind: 'rejected', scope: 'content', error } }
  expect(withText('x'.repeat(1_531))).toMatchObject(refused)
  expect(withText('ж'.repeat(671))).toMatchObject(refused)
  expect(withText('x'.repeat(671), { override: { body: { encoding: 'ucs2' } } })).toMatchObject(refused)
  expect(withText('x'.repeat(3_000), { settings: { ...scene.settings, segmentsMax: 20 } }).outcome.kind).toBe('sent')
  const override = { body: { media_urls: ['https://a.co/1.png'] } }
  expect(withText('x'.repeat(1_600), { override }).outcome.kind).toBe('sent')
})
