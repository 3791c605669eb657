/** The services that take several messages in a call: each message keeps its outcome, whatever the others have. */
import { expect, test } from 'vitest'
import type { HttpReply } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import { replied, runBatch, type Scene } from './adapter.harness.ts'
import { providers } from './catalog.ts'
import type { Provider } from './provider.ts'

const withBatches = [...providers.values()].filter(({ batch }) => batch)

const provider = (key: string): Provider => {
  const entry = providers.get(key)
  if (!entry) throw new Error(`There is no provider ${key}`)
  return entry
}

/** The example of the provider, to these recipients. */
const scenes = ({ example }: Provider, recipients: readonly string[]): Scene[] =>
  recipients.map((recipient, n) => ({
    settings: example.settings as JsonObject,
    profile:
      'email' in example.profile ? { email: `${recipient}@example.com` } : { expo: { token: tokenOf(recipient) } },
    content: { subject: 'Hello', title: 'Hello', html: '<p>Hi</p>', body: 'Hi', text: 'Hi' },
    message: { recipient, deliveryId: `delivery-${n}` },
  }))
const tokenOf = (recipient: string) => `ExponentPushToken[${recipient}]`
const run = (key: string, reply: HttpReply, recipients = ['ada', 'bea', 'cy']) =>
  runBatch(provider(key), scenes(provider(key), recipients), reply)
const list = (status: number, entries: readonly unknown[]) => replied(status, JSON.stringify(entries))

test('five services take them', () => {
  expect(withBatches.map(({ key, batch }) => [key, batch?.max]).sort()).toEqual([
    ['brevo', 500],
    ['expo', 100],
    ['mailjet', 50],
    ['postmark', 500],
    ['resend', 100],
  ])
})

test('Postmark: an array at an address of its own, and a code for each message', () => {
  const reply = list(200, [
    { ErrorCode: 0, Message: 'OK', MessageID: 'm-1' },
    { ErrorCode: 406, Message: 'Inactive recipient' },
    { ErrorCode: 0, Message: 'OK', MessageID: 'm-3' },
  ])
  const { request, outcomes } = run('postmark', reply)
  expect(request.url).toBe('https://api.postmarkapp.com/email/batch')
  expect(JSON.parse(request.body!)).toMatchObject([
    { To: 'ada@example.com', Metadata: { delivery_id: 'delivery-0' } },
    { To: 'bea@example.com', Metadata: { delivery_id: 'delivery-1' } },
    { To: 'cy@example.com', Metadata: { delivery_id: 'delivery-2' } },
  ])
  expect(outcomes).toEqual([
    { kind: 'sent', reference: { MessageID: 'm-1' }, delivered: false },
    { kind: 'rejected', scope: 'recipient', error: '422 Unprocessable Entity: Inactive recipient (406)' },
    { kind: 'sent', reference: { MessageID: 'm-3' }, delivered: false },
  ])
})

test('Resend: the ids of those that were taken, and the others by their place', () => {
  const reply = replied(200, {
    data: [{ id: 'r-1' }, { id: 'r-3' }],
    errors: [{ index: 1, message: 'Invalid `to` field' }],
  })
  const { request, outcomes } = run('resend', reply)
  expect(request.url).toBe('https://api.resend.com/emails/batch')
  expect(request.headers).toMatchObject({
    'x-batch-validation': 'permissive',
    'idempotency-key': expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(JSON.parse(request.body!)).toMatchObject([{ to: ['ada@example.com'] }, { to: ['bea@example.com'] }, {}])
  expect(outcomes).toEqual([
    { kind: 'sent', reference: { id: 'r-1' }, delivered: false },
    { kind: 'rejected', scope: 'content', error: '422 Unprocessable Entity: Invalid `to` field' },
    { kind: 'sent', reference: { id: 'r-3' }, delivered: false },
  ])
})

test.each([7, -1, '0', null])('Resend: an error with the place %j leaves every message in doubt', (index) => {
  const { outcomes } = run('resend', replied(200, { data: [{ id: 'r-1' }, { id: 'r-2' }], errors: [{ index }] }))
  expect(outcomes.map(({ kind }) => kind)).toEqual(['in_doubt', 'in_doubt', 'in_doubt'])
})

test.each([
  ['attachments', { email: { attachments: [{ filename: 'a.txt', data: 'aGk=' }] } }],
  ['a time', { override: { body: { scheduled_at: '2026-12-01T08:00:00Z' } } }],
])('Resend: a mail with %s goes alone', (_what, changes) => {
  const [scene] = scenes(provider('resend'), ['ada'])
  expect(() => runBatch(provider('resend'), [{ ...scene!, ...changes }], list(200, []))).toThrow('sends it alone')
})

test.each([200, 400])('Mailjet: a status for each message, in a reply of %i', (status) => {
  const reply = replied(status, {
    Messages: [
      { Status: 'success', To: [{ MessageUUID: 'u-1' }] },
      { Status: 'error', Errors: [{ ErrorCode: 'mj-0013', StatusCode: 400, ErrorRelatedTo: ['To[0].Email'] }] },
      { Status: 'success', To: [{ MessageUUID: 'u-3' }] },
    ],
  })
  const { request, outcomes } = run('mailjet', reply)
  expect(JSON.parse(request.body!)).toMatchObject({
    Messages: [{ CustomID: 'delivery-0' }, { CustomID: 'delivery-1' }, {}],
  })
  expect(outcomes).toMatchObject([
    { kind: 'sent', reference: { MessageUUID: 'u-1' } },
    { kind: 'rejected', scope: 'recipient' },
    { kind: 'sent', reference: { MessageUUID: 'u-3' } },
  ])
})

test('Brevo: versions of one mail with what they have in common', () => {
  const { request, outcomes } = run('brevo', replied(201, { messageIds: ['<b-1>', '<b-2>', '<b-3>'] }))
  const { messageVersions, ...common } = JSON.parse(request.body!)
  expect(common).toEqual({
    sender: { email: 'hello@example.com', name: 'Example' },
    subject: 'Notification',
    htmlContent: '<p></p>',
  })
  expect(messageVersions[1]).toEqual({
    to: [{ email: 'bea@example.com' }],
    subject: 'Hello',
    htmlContent: '<p>Hi</p>',
    textContent: 'Hi',
  })
  expect(outcomes).toEqual(
    ['<b-1>', '<b-2>', '<b-3>'].map((messageId) => ({ kind: 'sent', reference: { messageId }, delivered: false })),
  )
})

test('Brevo: where callbacks are read, a mail goes alone, because a version has no header that they repeat', () => {
  const [scene] = scenes(provider('brevo'), ['ada'])
  const settings = { ...scene!.settings, webhookToken: 'token' }
  expect(() => runBatch(provider('brevo'), [{ ...scene!, settings }], list(200, []))).toThrow('sends it alone')
})

test.each([
  ['a key of its own', { headers: { idempotencyKey: '0b6d1c60-7a8e-4f5e-a1a5-6f2d7f0f7b11' } }],
  ['its own text for callbacks', { headers: { 'X-Mailin-custom': 'order:7' } }],
  ['a template', { templateId: 7 }],
])('Brevo: a mail with %s goes alone, because the versions of a mail share it', (_what, body) => {
  const [scene] = scenes(provider('brevo'), ['ada'])
  expect(() => runBatch(provider('brevo'), [{ ...scene!, override: { body } }], list(200, []))).toThrow(
    'sends it alone',
  )
})

test('Expo: a ticket for each message', () => {
  const reply = replied(200, {
    data: [
      { status: 'ok', id: 't-1' },
      { status: 'error', message: 'gone', details: { error: 'DeviceNotRegistered' } },
      { status: 'ok', id: 't-3' },
    ],
  })
  const { request, outcomes } = run('expo', reply)
  expect(JSON.parse(request.body!)).toMatchObject([
    { to: tokenOf('ada') },
    { to: tokenOf('bea') },
    { to: tokenOf('cy') },
  ])
  expect(outcomes).toMatchObject([
    { kind: 'sent', reference: { id: 't-1' } },
    { kind: 'rejected', scope: 'recipient', gone: 'invalid_address' },
    { kind: 'sent', reference: { id: 't-3' } },
  ])
})

const unreadable = [
  '',
  'x',
  'null',
  '[]',
  '{}',
  '[{}]',
  '[1,2]',
  '{"data":[]}',
  '{"Messages":[]}',
  '{"messageIds":["x"]}',
  '[{},{}]',
  '{"data":[{},{}]}',
  '{"Messages":[{},{}]}',
  // Answers for one of two.
  '[{"ErrorCode":0,"MessageID":"x"}]',
  '{"data":[{"status":"ok","id":"x"}]}',
  '{"data":[{"status":"error","details":{"error":"DeviceNotRegistered"}}]}',
  '{"Messages":[{"Status":"success","To":[{"MessageUUID":"x"}]}]}',
  '{"Messages":[{"Status":"error","Errors":[{"StatusCode":400,"ErrorRelatedTo":["To[0].Email"]}]}]}',
]

test.each(withBatches.map(({ key }) => key))(
  '%s: a reply that is no answer to each leaves every message in doubt',
  (key) => {
    for (const body of unreadable) {
      const { outcomes } = run(key, replied(200, body), ['ada', 'bea'])
      expect(
        outcomes.map(({ kind }) => kind),
        body,
      ).toEqual(['in_doubt', 'in_doubt'])
    }
  },
)

test.each(withBatches.map(({ key }) => key))('%s: an outage says nothing about one message', (key) => {
  const { isOfEach, outcomes } = run(key, replied(503, 'maintenance'))
  expect(isOfEach).toBe(false)
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['retry']))
})
