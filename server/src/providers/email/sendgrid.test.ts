/** SendGrid: the v3 body for a message, the override merged onto it, and the meaning of each answer. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import sendgrid from './sendgrid.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 'SG.secret', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(202, '', { 'x-message-id': 'sg-1' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(sendgrid, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (error: string) => replied(400, { errors: [{ message: error, field: 'from' }] })

test('a message becomes one request', () => {
  const { requests, outcome } = run()
  const [{ body, ...request }] = requests as [HttpRequest]
  expect(request).toEqual({
    kind: 'http',
    method: 'POST',
    url: 'https://api.sendgrid.com/v3/mail/send',
    headers: { accept: 'application/json', authorization: 'Bearer SG.secret', 'content-type': 'application/json' },
    final: true,
  })
  expect(JSON.parse(body ?? '')).toEqual({
    personalizations: [{ to: [{ email: 'ada@example.com' }] }],
    from: { email: 'news@example.org', name: 'News' },
    subject: 'Hello',
    content: [
      { type: 'text/plain', value: 'Hi' },
      { type: 'text/html', value: '<p>Hi</p>' },
    ],
    custom_args: { message_id: '1-691f0000-0000000000000000000000ab', delivery_id: 'delivery-1' },
  })
  expect(outcome).toEqual({ kind: 'sent', reference: { 'x-message-id': 'sg-1' }, delivered: false })
})

test('the channel override names sender, copies, headers and attachments', () => {
  const email = {
    from: 'Bea <bea@example.org>',
    replyTo: 'help@example.org',
    cc: 'c@example.com',
    bcc: ['b@example.com'],
    headers: { 'X-Team': 'blue' },
    attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=', contentId: '<logo>' }],
  }
  expect(bodyOf({ email })).toMatchObject({
    personalizations: [
      { to: [{ email: 'ada@example.com' }], cc: [{ email: 'c@example.com' }], bcc: [{ email: 'b@example.com' }] },
    ],
    from: { email: 'bea@example.org', name: 'Bea' },
    reply_to: { email: 'help@example.org' },
    headers: { 'X-Team': 'blue' },
    attachments: [{ filename: 'a.txt', type: 'text/plain', content: 'aGk=', content_id: 'logo' }],
  })
})

test('several addresses for replies become a list', () => {
  const { reply_to, reply_to_list } = bodyOf({ email: { replyTo: ['a@b.co', 'c@d.co'] } })
  expect(reply_to_list).toEqual([{ email: 'a@b.co' }, { email: 'c@d.co' }])
  expect(reply_to).toBeUndefined()
})

test('the provider override keeps the generated keys and passes attachments on as they are', () => {
  const attachments = [{ content: 'aGk=\n', type: 'text/plain', filename: 'a.txt', disposition: 'attachment' }]
  const body = bodyOf({ override: { body: { subject: 'Changed', attachments, categories: ['x'] } } })
  expect(body).toMatchObject({ subject: 'Changed', attachments, categories: ['x'] })
  expect(body.content).toHaveLength(2)
  expect(body.personalizations).toEqual([{ to: [{ email: 'ada@example.com' }] }])
})

test.each([
  [{ subject: 'a\nb' }, 'subject must not contain line breaks'],
  [{ from: 'no-address' }, 'from has an invalid mail address'],
  [{ from: null }, 'from is missing'],
  [{ personalizations: [] }, 'personalizations must be an array with an entry'],
  [{ personalizations: ['x'] }, 'personalizations must hold objects'],
  [{ personalizations: [{}] }, 'to is missing'],
  [{ personalizations: [{ to: [{ email: 'a@b.co\r\nx' }] }] }, 'to has an invalid mail address'],
  [{ personalizations: [{ to: 'a@b.co', subject: 'a\rb' }] }, 'personalizations.subject must not contain line breaks'],
  [{ headers: { 'X-A': 'a\nb' } }, 'headers.X-A must not contain line breaks'],
  [{ reply_to: { email: 'x' } }, 'reply_to has an invalid mail address'],
  [{ attachments: {} }, 'attachments must be an array'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test('the stored key does not follow a base URL of the override', () => {
  const { requests, outcome } = run({ override: { config: { baseUrl: 'https://evil.example' } } })
  expect(requests).toEqual([])
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'configuration' })
  const ownAccount = run({ override: { config: { baseUrl: 'https://mine.example/proxy/', apiKey: 'SG.own' } } })
  expect(ownAccount.requests[0]).toMatchObject({
    url: 'https://mine.example/proxy/v3/mail/send',
    headers: { authorization: 'Bearer SG.own' },
  })
})

test.each<[string, Reply, object]>([
  ['no id', replied(202), { kind: 'sent', reference: {} }],
  [
    '400',
    failure('The from address is not valid'),
    { kind: 'rejected', scope: 'content', error: '400 Bad Request: The from address is not valid' },
  ],
  ['400, garbage', replied(400, '<html>'), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
  ['400, other JSON', replied(400, { errors: 'x' }), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
  [
    '401',
    replied(401, { errors: [{ message: 'SG.secret is wrong' }] }),
    { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized: ******** is wrong' },
  ],
  ['403', replied(403), { kind: 'rejected', scope: 'configuration' }],
  ['404', replied(404), { kind: 'rejected', scope: 'configuration' }],
  ['410', replied(410), { kind: 'rejected', scope: 'configuration' }],
  ['413', replied(413), { kind: 'rejected', scope: 'content' }],
  ['429', replied(429, '', { 'retry-after': '7' }), { kind: 'retry', attempted: false, retryAfterMs: 7_000 }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
  ['cut', { kind: 'failure', failure: 'reset', message: 'cut', reached: true }, { kind: 'in_doubt' }],
  ['refused', { kind: 'failure', failure: 'connect', message: 'no', reached: false }, { kind: 'retry' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('a subject of several lines and a reserved header are errors before any request', () => {
  for (const subject of ['Hi\r\nBcc: eve@example.com', 'Hi\nthere'])
    expect(() => run({ content: { ...scene.content, subject } })).toThrow('subject must not contain line breaks')
  for (const name of ['From', 'Resent-To', 'Delivered-To', 'Content-Type', 'ARC-Seal', 'Received-SPF'])
    expect(() => run({ email: { headers: { [name]: 'x' } } })).toThrow(`headers.${name} cannot be set`)
})

const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const webhookKey = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const deliveryId = '1-691f0000-0000000000000000000000ab-0'

/** Signed as the documentation describes it; `changed` is the body that arrives. */
function callback(events: unknown, { at = RUN_AT, changed = JSON.stringify(events), settings = { webhookKey } } = {}) {
  const timestamp = String(at / 1_000)
  const signature = sign('sha256', Buffer.from(timestamp + JSON.stringify(events)), keys.privateKey).toString('base64')
  return runCallback(sendgrid, settings, {
    headers: {
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': timestamp,
    },
    body: Buffer.from(changed),
  })
}

test.each([
  [{ event: 'delivered', response: '250 OK' }, { kind: 'delivered' }],
  [
    { event: 'bounce', type: 'bounce', reason: '550 no' },
    { kind: 'bounced', gone: 'hard_bounce', error: '550 no' },
  ],
  [
    { event: 'bounce', type: 'blocked', reason: '421 later' },
    { kind: 'bounced', error: '421 later' },
  ],
  [
    { event: 'dropped', reason: 'Bounced Address' },
    { kind: 'bounced', gone: 'hard_bounce', error: 'Bounced Address' },
  ],
  [{ event: 'open' }, { kind: 'opened' }],
  [
    { event: 'open', sg_machine_open: true },
    { kind: 'opened', isAutomated: true },
  ],
  [
    { event: 'click', url: 'https://a.co/' },
    { kind: 'clicked', url: 'https://a.co/' },
  ],
  [{ event: 'spamreport' }, { kind: 'complained' }],
  [{ event: 'group_unsubscribe' }, { kind: 'unsubscribed' }],
])('the event %j', (event, receipt) => {
  const timestamp = RUN_AT / 1_000 - 60
  expect(callback([{ ...event, email: 'ada@example.com', timestamp, delivery_id: deliveryId }])).toEqual({
    kind: 'accepted',
    receipts: [{ deliveryId, at: RUN_AT - 60_000, address: 'ada@example.com', ...receipt }],
  })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[object, string[]]>([
  [{ event: 'processed' }, []],
  [{ event: 'delivered' }, ['delivered']],
  [{ event: 'deferred', response: '451 later' }, ['delayed']],
  [
    { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 unknown' },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 <bob@other.example> unknown' },
    ['bounced SOFT'],
  ],
  [
    { event: 'bounce', type: 'bounce', status: '5.0.0', reason: '550 no' },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [{ event: 'bounce', type: 'bounce', status: '5.7.1', reason: '550 5.7.1 DMARC' }, ['bounced SOFT']],
  [
    { event: 'bounce', type: 'bounce', reason: '550 no', bounce_classification: 'Invalid Address' },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [{ event: 'bounce', type: 'bounce', reason: '550 no', bounce_classification: 'Content' }, ['bounced SOFT']],
  [{ event: 'bounce', type: 'bounce', reason: '550 no', bounce_classification: 'Reputation' }, ['bounced SOFT']],
  [{ event: 'bounce', type: 'bounce', reason: '550 no', bounce_classification: 'Technical' }, ['bounced SOFT']],
  [{ event: 'bounce', type: 'bounce', reason: '550 no', bounce_classification: 'Frequency/Volume' }, ['bounced SOFT']],
  [{ event: 'bounce', type: 'blocked', status: '5.1.1' }, ['bounced SOFT']],
  [{ event: 'bounce', type: 'expired', reason: 'unable to deliver' }, ['bounced SOFT']],
  [{ event: 'dropped', reason: 'Bounced Address' }, ['bounced HARD: hard_bounce of ada@example.com']],
  [{ event: 'dropped', reason: 'Invalid' }, ['bounced HARD: hard_bounce of ada@example.com']],
  [{ event: 'dropped', reason: 'Unsubscribed Address' }, ['bounced HARD: unsubscribed of ada@example.com']],
  [{ event: 'dropped', reason: 'Spam Reporting Address' }, ['bounced SOFT']],
  [{ event: 'dropped', reason: 'Spam Content (if spam checker app enabled)' }, ['bounced SOFT']],
  [{ event: 'dropped', reason: 'Invalid SMTPAPI header' }, ['bounced SOFT']],
  [{ event: 'dropped', reason: 'Recipient List over Package Quota' }, ['bounced SOFT']],
  [{ event: 'dropped' }, ['bounced SOFT']],
  [{ event: 'spamreport' }, ['complained: complaint of ada@example.com']],
  [{ event: 'unsubscribe' }, ['unsubscribed: unsubscribed of ada@example.com']],
  [{ event: 'group_unsubscribe' }, ['unsubscribed: unsubscribed of ada@example.com']],
  [{ event: 'group_resubscribe' }, []],
  [{ event: 'open' }, ['opened']],
  [{ event: 'click' }, ['clicked']],
  [{ event: 'a_future_event' }, []],
])('%j does %j', (event, effects) => {
  expect(
    receiptEffects(callback([{ ...event, email: 'ada@example.com', timestamp: 1, delivery_id: deliveryId }]), 'email'),
  ).toEqual(effects)
})

test('events that are no receipts, or of mails of others, are left out', () => {
  const events = [{ event: 'processed', delivery_id: deliveryId }, { event: 'delivered' }, null, 'x', { event: 7 }]
  expect(callback(events)).toEqual({ kind: 'accepted', receipts: [] })
  expect(callback({ no: 'list' })).toEqual({ kind: 'accepted', receipts: [] })
})

test('a callback is refused when it is changed, old, unsigned, or cannot be verified', () => {
  const events = [{ event: 'delivered', delivery_id: deliveryId }]
  const refused = (error: string) => ({ kind: 'refused', error })
  expect(callback(events, { changed: '[]' })).toEqual(refused('The signature is wrong'))
  expect(callback(events, { at: RUN_AT - 3_600_000 })).toEqual(refused('The signature has expired'))
  expect(callback(events, { settings: { webhookKey: 'x' } })).toEqual(refused('webhookKey must be a public key'))
  expect(runCallback(sendgrid, { webhookKey }, { body: Buffer.from('[]') })).toEqual(
    refused('The callback is not signed'),
  )
  expect(runCallback(sendgrid, {}, {})).toMatchObject({ kind: 'refused' })
})
