/** Mailgun: the form for a message, its attachments, and the meaning of each answer. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import {
  garbageBodies,
  RUN_AT,
  receiptEffects,
  replied,
  runAdapter,
  runCallback,
  type Scene,
} from '../adapter.harness.ts'
import mailgun from './mailgun.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 'key-1', domain: 'mg.example.org', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(200, { id: '<1@mg.example.org>', message: 'Queued. Thank you.' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(mailgun, { ...scene, ...changes }, reply)
const formOf = (changes: Partial<Scene>) =>
  Buffer.from((run(changes).requests[0] as HttpRequest).bytes ?? []).toString()

test.each([
  ['us', 'https://api.mailgun.net'],
  ['eu', 'https://api.eu.mailgun.net'],
])('a message becomes one form in the region %s', (region, base) => {
  const { requests, outcome } = run({ settings: { ...scene.settings, region } })
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: `${base}/v3/mg.example.org/messages`,
      headers: { authorization: `Basic ${Buffer.from('api:key-1').toString('base64')}` },
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: '<1@mg.example.org>' }, delivered: false })
})

test('attachments of the override replace those of the channel, byte for byte', () => {
  const email = { attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' }] }
  const attachments = [{ filename: 'b"\\.bin', contentType: 'application/x-b', data: '/wAN' }]
  const [request] = run({ email, override: { attachments } }).requests as [HttpRequest]
  const form = Buffer.from(request.bytes ?? [])
  expect(form.includes('a.txt')).toBe(false)
  expect(form.includes('name="attachment"; filename="b%22\\.bin"\r\nContent-Type: application/x-b')).toBe(true)
  expect(form.includes(Buffer.of(255, 0, 13))).toBe(true)
})

test('an override repeats an option, and writes an object as JSON', () => {
  const form = formOf({ override: { body: { 'o:tag': ['a', 'b'], 't:variables': { name: 'Ada' } } } })
  expect(form.match(/name="o:tag"/g)).toHaveLength(2)
  expect(form).toContain('name="t:variables"\r\n\r\n{"name":"Ada"}\r\n')
})

test.each([
  [{ subject: 'a\nb' }, 'subject must not contain line breaks'],
  [{ from: null }, 'from is missing'],
  [{ to: [] }, 'to is missing'],
  [{ 'h:X-A': 'a\nb' }, 'h.X-A must not contain line breaks'],
  [{ 'h:From': 'x@y.co' }, 'h.From cannot be set'],
  [{ 'h:Reply-To': 'no-address' }, 'h:Reply-To has an invalid mail address'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, {}), { kind: 'in_doubt' }],
  ['a parameter', replied(400, { message: 'from parameter is missing' }), { kind: 'rejected', scope: 'content' }],
  [
    'a recipient',
    replied(400, { message: "'to' parameter is not a valid address. please check documentation" }),
    { kind: 'rejected', scope: 'recipient' },
  ],
  ['no key', replied(401, 'Forbidden'), { kind: 'rejected', scope: 'configuration' }],
  ['no domain', replied(404, { message: 'Domain not found' }), { kind: 'rejected', scope: 'configuration' }],
  ['429', replied(429, '', { 'retry-after': '3' }), { kind: 'retry', attempted: false, retryAfterMs: 3_000 }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check sends a form without fields, which a key that may send gets a 400 for', () => {
  const check = mailgun.signIn?.(scene.settings, 0)
  expect(check?.request).toMatchObject({
    method: 'POST',
    url: 'https://api.mailgun.net/v3/mg.example.org/messages',
    body: '',
    final: false,
  })
  expect(check?.failureIn(replied(400, { message: 'from parameter is missing' }))).toBeUndefined()
  expect(check?.failureIn(replied(401, 'Forbidden'))).toBe('401 Unauthorized')
  expect(check?.failureIn(replied(404, { message: 'Domain not found' }))).toBe('404 Not Found: Domain not found')
})

const webhookSigningKey = 'signing-key-1'
const deliveryId = '1-691f0000-0000000000000000000000ab-0'

const signed = (at: number, key = webhookSigningKey) => {
  const timestamp = String(at / 1_000)
  return {
    timestamp,
    token: 'token-1',
    signature: createHmac('sha256', key).update(`${timestamp}token-1`).digest('hex'),
  }
}
const post = (body: unknown, settings: object = { webhookSigningKey }) =>
  runCallback(mailgun, { ...settings }, { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) })
const callback = (event: unknown, signature: object = signed(RUN_AT)) => post({ signature, 'event-data': event })
const event = (changes: object) => ({
  ...{ timestamp: RUN_AT / 1_000 - 59.5, recipient: 'ada@example.com' },
  ...{ 'user-variables': { delivery_id: deliveryId }, ...changes },
})

test.each<[object, object]>([
  [{ event: 'delivered', 'delivery-status': { code: 250, message: 'OK' } }, { kind: 'delivered' }],
  [
    { event: 'failed', severity: 'permanent', reason: 'bounce', 'delivery-status': { message: '550 5.1.1 no' } },
    { kind: 'bounced', gone: 'hard_bounce', error: '550 5.1.1 no' },
  ],
  [
    { event: 'failed', severity: 'permanent', reason: 'suppress-bounce', 'delivery-status': { description: 'Listed' } },
    { kind: 'bounced', gone: 'hard_bounce', error: 'Listed' },
  ],
  [
    { event: 'failed', severity: 'permanent', reason: 'bounce', 'delivery-status': { 'bounce-type': 'soft' } },
    { kind: 'bounced', error: 'bounce' },
  ],
  [
    { event: 'failed', severity: 'permanent', reason: 'old', 'delivery-status': { message: '' } },
    { kind: 'bounced', error: 'old' },
  ],
  [{ event: 'opened', 'client-info': { bot: '' } }, { kind: 'opened' }],
  [
    { event: 'opened', 'client-info': { bot: 'apple' } },
    { kind: 'opened', isAutomated: true },
  ],
  [
    { event: 'clicked', url: 'https://a.co/' },
    { kind: 'clicked', url: 'https://a.co/' },
  ],
  [{ event: 'complained' }, { kind: 'complained' }],
  [{ event: 'unsubscribed' }, { kind: 'unsubscribed' }],
])('the event %j', (changes, receipt) => {
  expect(callback(event(changes))).toMatchObject({
    kind: 'accepted',
    receipts: [{ deliveryId, at: RUN_AT - 59_500, address: 'ada@example.com', ...receipt }],
  })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[object, string[]]>([
  [{ event: 'accepted' }, []],
  [{ event: 'delivered' }, ['delivered']],
  [{ event: 'failed', severity: 'temporary', reason: 'generic' }, ['delayed']],
  [{ event: 'failed', severity: 'temporary', reason: 'greylisted' }, ['delayed']],
  [{ event: 'failed', severity: 'temporary', reason: 'bounce' }, ['delayed']],
  [{ event: 'failed', severity: 'temporary', reason: 'espblock' }, ['delayed']],
  [{ event: 'failed', severity: 'permanent', reason: 'bounce' }, ['bounced HARD: hard_bounce of ada@example.com']],
  [
    {
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      'delivery-status': { code: 550, 'enhanced-code': '5.1.1', message: '550 5.1.1 unknown' },
    },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    {
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      'delivery-status': { code: 550, message: '550 5.1.1 <bob@other.example> unknown' },
    },
    ['bounced SOFT'],
  ],
  [
    {
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      'delivery-status': { 'enhanced-code': '5.7.1', message: 'refused' },
    },
    ['bounced SOFT'],
  ],
  [
    {
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      'delivery-status': { message: '550 5.7.26 unauthenticated' },
    },
    ['bounced SOFT'],
  ],
  [
    { event: 'failed', severity: 'permanent', reason: 'bounce', 'delivery-status': { 'bounce-type': 'soft' } },
    ['bounced SOFT'],
  ],
  [
    { event: 'failed', severity: 'permanent', reason: 'bounce', 'delivery-status': { 'bounce-type': 'hard' } },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    {
      event: 'failed',
      severity: 'permanent',
      reason: 'suppress-bounce',
      'delivery-status': { code: 605, description: 'Not delivering to previously bounced address' },
    },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    { event: 'failed', severity: 'permanent', reason: 'suppress-complaint', 'delivery-status': { code: 607 } },
    ['bounced SOFT'],
  ],
  [
    { event: 'failed', severity: 'permanent', reason: 'suppress-unsubscribe', 'delivery-status': { code: 606 } },
    ['bounced HARD: unsubscribed of ada@example.com'],
  ],
  [{ event: 'failed', severity: 'permanent', reason: 'greylisted' }, ['bounced SOFT']],
  [{ event: 'failed', severity: 'permanent', reason: 'espblock' }, ['bounced SOFT']],
  [{ event: 'failed', severity: 'permanent', reason: 'old' }, ['bounced SOFT']],
  [{ event: 'failed', severity: 'permanent', reason: 'generic' }, ['bounced SOFT']],
  [{ event: 'failed', severity: 'permanent', reason: 'hardfail' }, ['bounced SOFT']],
  [{ event: 'rejected', reject: { reason: 'Sandbox subdomains are for test purposes only' } }, ['bounced SOFT']],
  [{ event: 'complained' }, ['complained: complaint of ada@example.com']],
  [{ event: 'unsubscribed' }, ['unsubscribed: unsubscribed of ada@example.com']],
  [{ event: 'opened' }, ['opened']],
  [{ event: 'clicked' }, ['clicked']],
])('%j does %j', (changes, effects) => {
  expect(receiptEffects(callback(event(changes)), 'email')).toEqual(effects)
})

test('events that are no receipts, or of mails of others, are left out', () => {
  const others = [
    event({ event: 'accepted' }),
    event({ event: 'delivered', 'user-variables': [] }),
    event({ event: 'delivered', 'user-variables': { delivery_id: 'mine' } }),
    ...['x', null, 7, [], {}],
  ]
  for (const other of others) expect(callback(other)).toMatchObject({ kind: 'accepted', receipts: [] })
})

test('a callback is refused when it is forged, old, unsigned, unreadable, or cannot be verified', () => {
  const refused = (error: string) => ({ kind: 'refused', error })
  const delivered = event({ event: 'delivered' })
  expect(callback(delivered, signed(RUN_AT, 'other'))).toEqual(refused('The signature is wrong'))
  expect(callback(delivered, { ...signed(RUN_AT), token: 'token-2' })).toEqual(refused('The signature is wrong'))
  // Repeated for eight hours.
  expect(callback(delivered, signed(RUN_AT - 28_800_000)).kind).toBe('accepted')
  expect(callback(delivered, signed(RUN_AT - 28_801_000))).toEqual(refused('The signature has expired'))
  for (const unsigned of [{}, { ...signed(RUN_AT), signature: 7 }, { ...signed(RUN_AT), timestamp: null }])
    expect(callback(delivered, unsigned)).toEqual(refused('The callback is not signed'))
  expect(post({ signature: signed(RUN_AT), 'event-data': delivered }, {})).toEqual(
    refused('The integration has no webhookSigningKey to verify callbacks with'),
  )
  for (const body of garbageBodies) expect(post(body), body).toMatchObject({ kind: 'refused' })
})

test('the signature of the account is right for a subaccount, too', () => {
  const parent = { ...signed(RUN_AT, 'of the subaccount'), 'parent-signature': signed(RUN_AT).signature }
  expect(callback(event({ event: 'delivered' }), parent)).toMatchObject({ receipts: [{ kind: 'delivered' }] })
})
