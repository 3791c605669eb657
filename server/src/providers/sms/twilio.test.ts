/** Twilio: the form for a message, the override in both spellings, and the meaning of each answer. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import { acceptedText } from '../callback.ts'
import twilio from './twilio.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { accountSid: 'AC1', authToken: 'twilio-secret', from: '+15550109999' },
  content: { body: 'Hi & bye', text: 'Long form' },
}
const created = replied(201, { sid: 'SM1', status: 'queued' })
const run = (changes: Partial<Scene> = {}, reply: Reply = created) =>
  runAdapter(twilio, { ...scene, ...changes }, reply)
const fieldsOf = (changes: Partial<Scene>) =>
  [...new URLSearchParams((run(changes).requests[0] as HttpRequest).body)].map(([name, value]) => `${name}=${value}`)
const refused = (status: number, code: number) => replied(status, { code, message: 'No', status })

test('a message becomes one form', () => {
  const { requests, outcome } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from('AC1:twilio-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'To=%2B15550100000&Body=Hi+%26+bye&From=%2B15550109999',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { sid: 'SM1' }, delivered: false })
})

test('the text stands in for a missing short form', () => {
  expect(fieldsOf({ content: { text: 'Long form' } })).toContain('Body=Long form')
})

test('a messaging service replaces the sender', () => {
  const settings = { ...scene.settings, messagingServiceSid: 'MG1' }
  expect(fieldsOf({ settings })).toEqual(['To=+15550100000', 'Body=Hi & bye', 'MessagingServiceSid=MG1'])
  expect(fieldsOf({ override: { body: { messagingServiceSid: 'MG2' } } })).not.toContain('From=+15550109999')
})

test('an override may use the names of the SDK or of the API', () => {
  const both = fieldsOf({
    override: { body: { from: '+15550101111', MediaUrl: ['https://a.co/1', 'https://a.co/2'] } },
  })
  expect(both).toEqual(
    expect.arrayContaining([
      'From=+15550101111',
      'MediaUrl=https://a.co/1',
      'MediaUrl=https://a.co/2',
      'Body=Hi & bye',
    ]),
  )
})

test.each([
  [{ To: '' }, 'To is missing'],
  [{ To: 5 }, 'To must be a string'],
  [{ To: '+1555\r\n' }, 'To must not contain line breaks'],
  [{ Body: '' }, 'Body is missing'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test('the stored token does not follow a base URL of the override', () => {
  const { requests, outcome } = run({ override: { config: { baseUrl: 'https://evil.example' } } })
  expect(requests).toEqual([])
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'configuration' })
})

test('without a sender no request is made', () => {
  const { requests, outcome } = run({ settings: { accountSid: 'AC1', authToken: 'x' } })
  expect(requests).toEqual([])
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'configuration' })
})

test.each<[string, Reply, object]>([
  ['a page instead of an answer', replied(200, '<html>'), { kind: 'in_doubt' }],
  ['200 without a SID', replied(200, { ok: false }), { kind: 'in_doubt' }],
  [
    'invalid number',
    refused(400, 21211),
    { kind: 'rejected', scope: 'recipient', gone: 'invalid_address', error: '400 Bad Request: No (21211)' },
  ],
  ['a landline', refused(400, 21614), { kind: 'rejected', scope: 'recipient', gone: 'invalid_address' }],
  ['opted out', refused(400, 21610), { kind: 'rejected', scope: 'recipient', gone: 'unsubscribed' }],
  ['sender not ours', refused(400, 21606), { kind: 'rejected', scope: 'configuration' }],
  ['too long', refused(400, 21617), { kind: 'rejected', scope: 'content' }],
  [
    '401',
    replied(401, { code: 20003, message: 'twilio-secret' }),
    { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized: ******** (20003)' },
  ],
  ['404', replied(404), { kind: 'rejected', scope: 'configuration' }],
  ['410', replied(410), { kind: 'rejected', scope: 'configuration' }],
  [
    '429',
    { ...refused(429, 20429), headers: { 'retry-after': '2' } } as Reply,
    { kind: 'retry', attempted: false, retryAfterMs: 2_000 },
  ],
  ['a code that is no verdict while overloaded', refused(503, 21211), { kind: 'retry', attempted: true }],
  ['garbage', replied(400, '{{'), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
  ['timeout', { kind: 'failure', failure: 'timeout', message: '30 s', reached: true }, { kind: 'in_doubt' }],
  ['dns', { kind: 'failure', failure: 'dns', message: 'no host', reached: false }, { kind: 'retry', attempted: true }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('a profile without a usable number cannot be reached', () => {
  for (const phone_number of [undefined, '', 'call me', '+', '+1555\r\nTo', 15550100000, '+12345678901234567'])
    expect(twilio.contact({ phone_number }, scene.settings as never, { recipient: 'ada' })).toBeUndefined()
})

test('a number that another sender may reach is not gone', () => {
  const { outcome } = run({}, refused(400, 21612))
  expect(outcome).toEqual({ kind: 'rejected', scope: 'recipient', error: '400 Bad Request: No (21612)' })
})

test('a number of an override says nothing about the number of the profile', () => {
  const { outcome } = run({ override: { body: { to: '+15550100009' } } }, refused(400, 21610))
  expect(outcome).toEqual({ kind: 'rejected', scope: 'recipient', error: '400 Bad Request: No (21610)' })
})

const deliveryId = '1-691f0000-0000000000000000000000ab-0'
const callbackUrl = 'https://postrider.test/callbacks/t.s'
const url = `${callbackUrl}?delivery=${deliveryId}`

test('a message names where its status is reported', () => {
  const fields = (changes: Partial<Scene>) => fieldsOf({ ...changes, callbackUrl })
  expect(fields({ message: { deliveryId } })).toContain(`StatusCallback=${url}`)
  expect(fields({ override: { body: { statusCallback: 'https://a.co/' } } })).toContain('StatusCallback=https://a.co/')
})

/** Signed as the documentation describes it. */
function signatureOf(fields: Record<string, string>, token = 'twilio-secret', address = url) {
  const signed = Object.keys(fields)
    .sort()
    .reduce((text, name) => text + name + fields[name], address)
  return createHmac('sha1', token).update(signed).digest('base64')
}
function callback(fields: Record<string, string>, token = 'twilio-secret', address = url) {
  const body = Buffer.from(new URLSearchParams(fields).toString())
  const headers = { 'x-twilio-signature': signatureOf(fields, token, address) }
  return runCallback(twilio, scene.settings, { url: address, body, headers })
}

test.each([
  ['delivered', undefined, { kind: 'delivered' }],
  ['read', undefined, { kind: 'opened' }],
  ['undelivered', '30005', { kind: 'bounced', gone: 'invalid_address', error: 'Twilio reported an error (30005)' }],
  ['failed', '30008', { kind: 'bounced', error: 'Twilio reported an error (30008)' }],
])('the status %s %s', (status, code, receipt) => {
  const outcome = callback({ MessageStatus: status, MessageSid: 'SM1', ...(code && { ErrorCode: code }) })
  expect(outcome).toEqual({ kind: 'accepted', receipts: [{ deliveryId, at: RUN_AT, ...receipt }] })
})

/** Each status with its code, and what follows from it. */
test.each<[string, string, string[]]>([
  ['queued', '', []],
  ['sending', '', []],
  ['sent', '', []],
  ['delivered', '', ['delivered']],
  ['read', '', ['opened']],
  ['canceled', '', ['bounced SOFT']],
  ['undelivered', '21610', ['bounced HARD: unsubscribed of 15550100000']],
  ['undelivered', '30001', ['bounced SOFT']],
  ['undelivered', '30002', ['bounced SOFT']],
  ['undelivered', '30003', ['bounced SOFT']],
  ['undelivered', '30004', ['bounced SOFT']],
  ['undelivered', '30005', ['bounced HARD: invalid_address of 15550100000']],
  ['undelivered', '30006', ['bounced HARD: invalid_address of 15550100000']],
  ['undelivered', '30007', ['bounced SOFT']],
  ['undelivered', '30008', ['bounced SOFT']],
  ['undelivered', '30034', ['bounced SOFT']],
  ['failed', '21211', ['bounced HARD: invalid_address of 15550100000']],
  ['failed', '21610', ['bounced HARD: unsubscribed of 15550100000']],
  ['failed', '21614', ['bounced HARD: invalid_address of 15550100000']],
  ['failed', '30022', ['bounced SOFT']],
])('%s %s does %j', (status, code, effects) => {
  expect(receiptEffects(callback({ MessageStatus: status, ErrorCode: code, To: '+15550100000' }), 'sms')).toEqual(
    effects,
  )
})

test('earlier statuses are no receipts', () => {
  for (const status of ['queued', 'sending', 'sent'])
    expect(callback({ MessageStatus: status })).toEqual({ kind: 'accepted', receipts: [] })
})

test('a callback without a signature, with another one, or for another address is refused', () => {
  const unsigned = { kind: 'refused', error: 'The signature is missing or wrong' }
  expect(callback({ MessageStatus: 'delivered' }, 'other')).toEqual(unsigned)
  expect(runCallback(twilio, scene.settings, { url, body: Buffer.from('MessageStatus=delivered') })).toEqual(unsigned)
  const settings = { ...scene.settings, authToken: '' }
  expect(runCallback(twilio, settings, { url, headers: { 'x-twilio-signature': 'x' } })).toEqual(unsigned)
})

test.each([
  ['https://notify.example.com:8443', ['https://notify.example.com:8443', 'https://notify.example.com']],
  ['https://notify.example.com', ['https://notify.example.com', 'https://notify.example.com:443']],
  ['https://notify.example.com:443', ['https://notify.example.com:443', 'https://notify.example.com']],
  ['http://notify.example.com:80', ['http://notify.example.com:80', 'http://notify.example.com']],
  ['https://Notify.Example.com', ['https://Notify.Example.com', 'https://notify.example.com:443']],
])('a signature over the address with and without its port is right at %s', (origin, signedOrigins) => {
  const path = `/callbacks/t.s?delivery=${deliveryId}`
  const status = { MessageStatus: 'delivered', To: '+15550100000' }
  const text = { SmsStatus: 'received', MessageSid: 'SM2', From: '+15550100000', Body: 'Stop' }
  const read = (fields: Record<string, string>, address: string, token?: string) =>
    runCallback(twilio, scene.settings, {
      ...{ url: `${origin}${path}`, headers: { 'x-twilio-signature': signatureOf(fields, token, address) } },
      body: Buffer.from(new URLSearchParams(fields).toString()),
    })
  for (const signed of signedOrigins.map((signedOrigin) => `${signedOrigin}${path}`)) {
    expect(read(status, signed), signed).toMatchObject({ receipts: [{ deliveryId, kind: 'delivered' }] })
    expect(read(text, signed), signed).toMatchObject({ texts: [{ text: 'Stop' }] })
    for (const fields of [status, text]) expect(read(fields, signed, 'other').kind, signed).toBe('refused')
  }
  for (const other of ['https://notify.example.com:8444', 'https://other.example.com', 'ftp://notify.example.com'])
    expect(read(status, `${other}${path}`).kind, other).toBe('refused')
})

test('a text message that came in is no receipt', () => {
  const text = { SmsStatus: 'received', MessageSid: 'SM2', From: '+15550100000', To: '+15550109999', Body: 'Stop' }
  const read = { id: 'SM2', from: '+15550100000', to: '+15550109999', text: 'Stop', at: RUN_AT }
  const signature = signatureOf(text)
  expect(callback(text)).toEqual(acceptedText(read, signature))
  expect(callback({ ...text, From: '' })).toEqual({ kind: 'accepted', receipts: [] })
  expect(callback(text, 'other').kind).toBe('refused')
  // The same signature without the id of the text: it is used once.
  const { MessageSid: _id, ...anonymous } = { ...text, MessageSidSM2: '' }
  expect(signatureOf(anonymous)).toBe(signature)
  expect(callback(anonymous)).toMatchObject({ once: [{ mark: `signature ${signature}` }] })
})

test('a text counts as what Advanced Opt-Out has taken it for, whatever its words', () => {
  const text = { SmsStatus: 'received', MessageSid: 'SM2', From: '+15550100000', Body: 'Assez' }
  const keywordOf = (OptOutType: string) => {
    const outcome = callback({ ...text, OptOutType })
    return outcome.kind === 'accepted' && outcome.texts?.[0]?.keyword
  }
  expect(['STOP', 'START', 'HELP', 'OTHER', ''].map(keywordOf)).toEqual(['stop', 'start', 'help', undefined, undefined])
})

test('the end of a delivery in the address cannot be moved into a field', () => {
  const delivered = { MessageStatus: 'delivered', To: '+15550100000' }
  expect(callback(delivered, 'twilio-secret', `${url}2`)).toMatchObject({
    receipts: [{ deliveryId: `${deliveryId}2` }],
  })
  const moved = { '2MessageStatus': 'delivered', MessageStatus: 'delivered', To: '+15550100000' }
  expect(callback(moved)).toEqual({ kind: 'refused', error: 'The signature is missing or wrong' })
})
