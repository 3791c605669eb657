/** Postmark: the request for a message, and the meaning of each error code. */
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
import postmark from './postmark.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { serverToken: 'token-1', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(200, { ErrorCode: 0, Message: 'OK', MessageID: 'm-1' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(postmark, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (code: number, message = 'Explained', status = 422) =>
  replied(status, { ErrorCode: code, Message: message })

test('a message becomes one request', () => {
  const { requests, outcome } = run()
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: 'https://api.postmarkapp.com/email',
      headers: { 'x-postmark-server-token': 'token-1', 'content-type': 'application/json' },
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { MessageID: 'm-1' }, delivered: false })
})

test('an override spells addresses as it likes, and sends fields of the API along', () => {
  const body = { To: ['Ada <ada@example.com>', 'b@example.com'], ReplyTo: { email: 'c@example.com' }, Tag: 'x' }
  expect(bodyOf({ override: { body } })).toMatchObject({
    To: 'Ada <ada@example.com>, b@example.com',
    ReplyTo: 'c@example.com',
    Tag: 'x',
  })
})

test.each([
  [{ Subject: 'a\nb' }, 'Subject must not contain line breaks'],
  [{ From: null }, 'From is missing'],
  [{ To: '' }, 'To is missing'],
  [{ Headers: [{ Name: 'From', Value: 'x' }] }, 'Headers.From cannot be set'],
  [{ Attachments: {} }, 'Attachments must be an array'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, {}), { kind: 'in_doubt' }],
  ['an inactive recipient', failure(406), { kind: 'rejected', scope: 'recipient' }],
  ['an inactive recipient in a 200', failure(406, 'Inactive', 200), { kind: 'rejected', scope: 'recipient' }],
  ['a recipient that is no address', failure(300, "Invalid 'To' address: 'x'."), { scope: 'recipient' }],
  ['another field', failure(300, "Invalid 'ReplyTo' address: 'x'."), { kind: 'rejected', scope: 'content' }],
  ['no token', failure(10, 'Bad token', 401), { kind: 'rejected', scope: 'configuration' }],
  ['no sender signature', failure(400), { kind: 'rejected', scope: 'configuration' }],
  ['no credits', failure(405), { kind: 'rejected', scope: 'configuration' }],
  ['an account that waits for approval', failure(412), { kind: 'rejected', scope: 'configuration' }],
  ['an attachment that is forbidden', failure(411), { kind: 'rejected', scope: 'content' }],
  ['maintenance', failure(100), { kind: 'retry', attempted: true }],
  ['the code in its error', failure(406), { error: '422 Unprocessable Entity: Explained (406)' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check reads the server of the token', () => {
  const check = postmark.signIn?.(scene.settings, 0)
  expect(check?.request).toMatchObject({ method: 'GET', url: 'https://api.postmarkapp.com/server' })
  expect(check?.failureIn(replied(200, { ID: 1 }))).toBeUndefined()
  expect(check?.failureIn(failure(10, 'Bad token', 401))).toBe('401 Unauthorized: Bad token (10)')
})

const webhookToken = 'token-of-the-webhook'
const deliveryId = '1-691f0000-0000000000000000000000ab-0'

const post = (
  body: string,
  headers: Record<string, string> = { 'x-postrider-token': webhookToken },
  settings = { webhookToken },
) => runCallback(postmark, settings, { headers, body: Buffer.from(body) })
const callback = (event: unknown) => post(JSON.stringify(event))
const at = new Date(RUN_AT - 60_000).toISOString()
const event = (changes: object) => ({ MessageID: 'm-1', Metadata: { delivery_id: deliveryId }, ...changes })
const bounce = (Type: string) =>
  event({
    RecordType: 'Bounce',
    Type,
    Email: 'ada@example.com',
    BouncedAt: at,
    Details: '550 no',
    Description: 'Unable',
  })
const change = (changes: object) =>
  event({ RecordType: 'SubscriptionChange', Recipient: 'ada@example.com', ChangedAt: at, ...changes })
const suppressed = { SuppressSending: true, SuppressionReason: 'ManualSuppression', Origin: 'Recipient' }

test.each<[object, object]>([
  [event({ RecordType: 'Delivery', Recipient: 'ada@example.com', DeliveredAt: at }), { kind: 'delivered' }],
  [bounce('HardBounce'), { kind: 'bounced', gone: 'hard_bounce', error: '550 no' }],
  [bounce('BadEmailAddress'), { kind: 'bounced', gone: 'hard_bounce', error: '550 no' }],
  [bounce('SoftBounce'), { kind: 'bounced', error: '550 no' }],
  [
    { ...bounce('Blocked'), Details: '' },
    { kind: 'bounced', error: 'Unable' },
  ],
  [bounce('Unsubscribe'), { kind: 'unsubscribed' }],
  [
    event({ RecordType: 'SpamComplaint', Type: 'SpamComplaint', Email: 'ada@example.com', BouncedAt: at }),
    { kind: 'complained' },
  ],
  [event({ RecordType: 'Open', Recipient: 'ada@example.com', ReceivedAt: at, FirstOpen: true }), { kind: 'opened' }],
  [
    event({ RecordType: 'Click', Recipient: 'ada@example.com', ReceivedAt: at, OriginalLink: 'https://a.co/' }),
    { kind: 'clicked', url: 'https://a.co/' },
  ],
  [change(suppressed), { kind: 'unsubscribed' }],
])('the event %j', (event, receipt) => {
  expect(callback(event)).toEqual({
    kind: 'accepted',
    receipts: [{ deliveryId, at: RUN_AT - 60_000, address: 'ada@example.com', ...receipt }],
  })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[object, string[]]>([
  [bounce('HardBounce'), ['bounced HARD: hard_bounce of ada@example.com']],
  [bounce('Transient'), ['delayed']],
  [bounce('Unsubscribe'), ['unsubscribed: unsubscribed of ada@example.com']],
  [bounce('Subscribe'), []],
  [bounce('AutoResponder'), []],
  [bounce('AddressChange'), []],
  [bounce('DnsError'), ['bounced SOFT']],
  [bounce('SpamNotification'), ['bounced SOFT']],
  [bounce('OpenRelayTest'), []],
  [bounce('Unknown'), ['bounced SOFT']],
  [bounce('SoftBounce'), ['bounced SOFT']],
  [bounce('VirusNotification'), ['bounced SOFT']],
  [bounce('ChallengeVerification'), []],
  [bounce('BadEmailAddress'), ['bounced HARD: hard_bounce of ada@example.com']],
  [bounce('SpamComplaint'), ['complained: complaint of ada@example.com']],
  [bounce('ManuallyDeactivated'), ['bounced SOFT']],
  [bounce('Unconfirmed'), []],
  [bounce('Blocked'), ['bounced SOFT']],
  [bounce('SMTPApiError'), ['bounced SOFT']],
  [bounce('InboundError'), []],
  [bounce('DMARCPolicy'), ['bounced SOFT']],
  [bounce('TemplateRenderingFailed'), ['bounced SOFT']],
  [bounce('Undeliverable'), ['bounced SOFT']],
  [{ ...bounce('HardBounce'), Details: 'smtp;550 5.7.1 blocked using bl.example.net' }, ['bounced SOFT']],
  [{ ...bounce('HardBounce'), Details: 'smtp;550 5.1.1 unknown' }, ['bounced HARD: hard_bounce of ada@example.com']],
  [change(suppressed), ['unsubscribed: unsubscribed of ada@example.com']],
  [change({ ...suppressed, SuppressionReason: 'HardBounce' }), []],
  [change({ ...suppressed, SuppressionReason: 'SpamComplaint' }), []],
  [change({ ...suppressed, Origin: 'Customer' }), []],
  [change({ ...suppressed, SuppressSending: false }), []],
])('%j does %j', (event, effects) => {
  expect(receiptEffects(callback(event), 'email')).toEqual(effects)
})

test('events that are no receipts, or of mails of others, are left out', () => {
  const others = [
    ...[bounce('AutoResponder'), bounce('Subscribe'), event({ RecordType: 'Inbound' })],
    ...[{ SuppressSending: false }, { SuppressionReason: 'HardBounce' }, { Origin: 'Admin' }].map((changes) =>
      change({ ...suppressed, ...changes }),
    ),
    event({ RecordType: 'Delivery', Metadata: null }),
    event({ RecordType: 'Delivery', Metadata: { delivery_id: 'mine' } }),
  ]
  for (const other of others) expect(callback(other)).toEqual({ kind: 'accepted', receipts: [] })
})

test('a callback is refused without the right token, and without one in the settings', () => {
  const refused = (error: string) => ({ kind: 'refused', error })
  const body = JSON.stringify(event({ RecordType: 'Delivery' }))
  expect(post(body).kind).toBe('accepted')
  expect(post(body, {})).toEqual(refused('The callback has no token: enter webhookToken at the provider'))
  expect(post(body, { 'x-postrider-token': 'other' })).toEqual(refused('The token is wrong'))
  expect(
    runCallback(postmark, {}, { headers: { 'x-postrider-token': webhookToken }, body: Buffer.from(body) }),
  ).toEqual(refused('The integration has no webhookToken to verify callbacks with'))
})

test('a body that cannot be read is refused, and one without events has no receipts', () => {
  expect(post('x')).toEqual({ kind: 'refused', error: 'The body is not JSON' })
  for (const body of garbageBodies) expect(post(body), body).not.toHaveProperty('receipts.0')
})
