/** Resend: the request for a message, the override merged onto it, and the meaning of each answer. */
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
import resend from './resend.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 're_secret', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(200, { id: 'r-1' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(resend, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (status: number, name: string) => replied(status, { statusCode: status, name, message: 'Explained' })

test('a message becomes one request', () => {
  const { requests, outcome } = run()
  const [{ body, inBatch: _, ...request }] = requests as [HttpRequest]
  expect(request).toEqual({
    kind: 'http',
    method: 'POST',
    url: 'https://api.resend.com/emails',
    headers: {
      accept: 'application/json',
      authorization: 'Bearer re_secret',
      'content-type': 'application/json',
      'idempotency-key': 'delivery-1',
      'user-agent': 'Postrider',
    },
    final: true,
  })
  expect(JSON.parse(body ?? '')).toEqual({
    from: 'News <news@example.org>',
    to: ['ada@example.com'],
    subject: 'Hello',
    html: '<p>Hi</p>',
    text: 'Hi',
    tags: [
      { name: 'message_id', value: '1-691f0000-0000000000000000000000ab' },
      { name: 'delivery_id', value: 'delivery-1' },
    ],
  })
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 'r-1' }, delivered: false })
})

test('an override spells addresses as it likes, and sends fields of the API along', () => {
  const body = { to: 'Ada <ada@example.com>, b@example.com', reply_to: { email: 'c@example.com' }, topic_id: 't-1' }
  expect(bodyOf({ override: { body } })).toMatchObject({
    to: ['Ada <ada@example.com>', 'b@example.com'],
    reply_to: ['c@example.com'],
    topic_id: 't-1',
    from: 'News <news@example.org>',
  })
})

test('attachments beside the body of an override replace those of the channel', () => {
  const email = { attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' }] }
  const attachments = [{ filename: 'b.txt', contentType: 'text/plain', data: 'eW8=' }]
  expect(bodyOf({ email, override: { attachments } }).attachments).toEqual([
    { filename: 'b.txt', content_type: 'text/plain', content: 'eW8=' },
  ])
})

test.each([
  ['Ada', 'Ada <a@b.co>'],
  ['Grüße 👋', 'Grüße 👋 <a@b.co>'],
  ['Doe, Ada', '"Doe, Ada" <a@b.co>'],
  ['Ada "the" \\ first', '"Ada \\"the\\" \\\\ first" <a@b.co>'],
])('the sender %s', (fromName, from) => {
  expect(bodyOf({ settings: { ...scene.settings, fromName, fromAddress: 'a@b.co' } }).from).toBe(from)
})

test.each([
  [{ subject: 'a\nb' }, 'subject must not contain line breaks'],
  [{ from: 'no-address' }, 'from has an invalid mail address'],
  [{ from: null }, 'from is missing'],
  [{ to: [] }, 'to is missing'],
  [{ to: null }, 'to is missing'],
  [{ to: ['a@b.co\r\nx'] }, 'to has an invalid mail address'],
  [{ headers: { 'X-A': 'a\nb' } }, 'headers.X-A must not contain line breaks'],
  [{ headers: { From: 'x' } }, 'headers.From cannot be set'],
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
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, {}), { kind: 'in_doubt' }],
  ['400 validation_error', failure(400, 'validation_error'), { kind: 'rejected', scope: 'content' }],
  ['401 missing_api_key', failure(401, 'missing_api_key'), { kind: 'rejected', scope: 'configuration' }],
  ['401 restricted_api_key', failure(401, 'restricted_api_key'), { kind: 'rejected', scope: 'configuration' }],
  [
    '403 invalid_api_key',
    replied(403, { name: 'invalid_api_key', message: 're_secret is invalid' }),
    { kind: 'rejected', scope: 'configuration', error: '403 Forbidden: ******** is invalid' },
  ],
  ['403 of an unverified domain', failure(403, 'validation_error'), { kind: 'rejected', scope: 'configuration' }],
  ['404 not_found', failure(404, 'not_found'), { kind: 'rejected', scope: 'configuration' }],
  ['409 in progress', failure(409, 'concurrent_idempotent_requests'), { kind: 'retry', attempted: true }],
  ['409 another body', failure(409, 'invalid_idempotent_request'), { kind: 'in_doubt' }],
  ['422 invalid_attachment', failure(422, 'invalid_attachment'), { kind: 'rejected', scope: 'content' }],
  ['422 invalid_from_address', failure(422, 'invalid_from_address'), { kind: 'rejected', scope: 'configuration' }],
  ['422 invalid_region', failure(422, 'invalid_region'), { kind: 'rejected', scope: 'configuration' }],
  ['429 daily_quota_exceeded', failure(429, 'daily_quota_exceeded'), { kind: 'retry', attempted: false }],
  ['429', replied(429, '', { 'retry-after': '2' }), { kind: 'retry', attempted: false, retryAfterMs: 2_000 }],
  ['451 security_error', failure(451, 'security_error'), { kind: 'rejected', scope: 'content' }],
  ['500 application_error', failure(500, 'application_error'), { kind: 'retry', attempted: true }],
  ['cut', { kind: 'failure', failure: 'reset', message: 'cut', reached: true }, { kind: 'in_doubt' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check accepts a key that may only send, and explains any other error', () => {
  const check = resend.signIn?.(scene.settings, 0)
  expect(check?.request).toMatchObject({ method: 'GET', url: 'https://api.resend.com/domains' })
  expect(check?.failureIn(replied(200, { data: [] }))).toBeUndefined()
  expect(check?.failureIn(failure(401, 'restricted_api_key'))).toBeUndefined()
  expect(check?.failureIn(failure(403, 'invalid_api_key'))).toBe('403 Forbidden: Explained')
})

const webhookSecret = `whsec_${Buffer.from('a key of Svix').toString('base64')}`
const deliveryId = '1-691f0000-0000000000000000000000ab-0'

/** Signed as the documentation describes it; `changed` is the body that arrives. */
function callback(
  event: unknown,
  options: {
    at?: number
    text?: string
    changed?: string
    before?: string
    settings?: { webhookSecret?: string }
  } = {},
) {
  const {
    at = RUN_AT,
    text = JSON.stringify(event),
    changed = text,
    before = '',
    settings = { webhookSecret },
  } = options
  const timestamp = String(at / 1_000)
  const signature = createHmac('sha256', 'a key of Svix').update(`msg_1.${timestamp}.${text}`).digest('base64')
  return runCallback(resend, settings, {
    headers: { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': `${before}v1,${signature}` },
    body: Buffer.from(changed),
  })
}

const event = (type: string, data: object = {}) => ({
  ...{ type, created_at: new Date(RUN_AT - 60_000).toISOString() },
  data: { email_id: 'r-1', to: ['ada@example.com'], tags: { delivery_id: deliveryId }, ...data },
})

test.each<[string, object, object]>([
  ['email.delivered', {}, { kind: 'delivered' }],
  [
    'email.bounced',
    { bounce: { type: 'Permanent', subType: 'General', message: 'No such user' } },
    { kind: 'bounced', gone: 'hard_bounce', error: 'No such user' },
  ],
  [
    'email.bounced',
    { bounce: { type: 'Transient', subType: 'MailboxFull', message: 'Full' } },
    { kind: 'bounced', error: 'Full' },
  ],
  ['email.failed', { failed: { reason: 'reached_daily_quota' } }, { kind: 'bounced', error: 'reached_daily_quota' }],
  ['email.suppressed', { suppressed: { message: 'On the list' } }, { kind: 'bounced', error: 'On the list' }],
  ['email.complained', {}, { kind: 'complained' }],
  ['email.opened', {}, { kind: 'opened' }],
  ['email.clicked', { click: { link: 'https://a.co/' } }, { kind: 'clicked', url: 'https://a.co/' }],
  ['email.delivered', { tags: [{ name: 'delivery_id', value: deliveryId }] }, { kind: 'delivered' }],
])('the event %s of %j', (type, data, receipt) => {
  expect(callback(event(type, data))).toEqual({
    kind: 'accepted',
    receipts: [{ deliveryId, at: RUN_AT - 60_000, address: 'ada@example.com', isOfAnyRecipient: true, ...receipt }],
  })
})

test('an event of a mail to several addressees names none', () => {
  expect(callback(event('email.bounced', { to: ['ada@example.com', 'bob@example.com'] }))).toEqual({
    kind: 'accepted',
    receipts: [{ deliveryId, kind: 'bounced', at: RUN_AT - 60_000, isOfAnyRecipient: true }],
  })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[string, object, string[]]>([
  ['email.sent', {}, []],
  ['email.scheduled', {}, []],
  ['email.delivered', {}, ['delivered']],
  ['email.delivery_delayed', {}, ['delayed']],
  [
    'email.bounced',
    { bounce: { type: 'Permanent', subType: 'General', message: 'No' } },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'email.bounced',
    { bounce: { type: 'Permanent', subType: 'NoEmail', message: 'No' } },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'email.bounced',
    { bounce: { type: 'Permanent', subType: 'Suppressed', message: 'No' } },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'email.bounced',
    { bounce: { type: 'Permanent', subType: 'OnAccountSuppressionList', message: 'No' } },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'email.bounced',
    {
      bounce: {
        type: 'Permanent',
        subType: 'General',
        message: 'No',
        diagnosticCode: ['smtp; 550 5.7.1 blocked using bl.example.net'],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'email.bounced',
    { bounce: { type: 'Permanent', subType: 'General', message: 'No', diagnosticCode: ['smtp; 550 5.1.1 unknown'] } },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'email.bounced',
    { bounce: { type: 'Permanent', message: 'No', diagnosticCode: ['smtp; 550 5.1.1 <bob@other.example> unknown'] } },
    ['bounced SOFT'],
  ],
  ['email.bounced', { bounce: { type: 'Transient', subType: 'General', message: 'No' } }, ['bounced SOFT']],
  ['email.bounced', { bounce: { type: 'Transient', subType: 'MailboxFull', message: 'No' } }, ['bounced SOFT']],
  ['email.bounced', { bounce: { type: 'Transient', subType: 'MessageTooLarge', message: 'No' } }, ['bounced SOFT']],
  ['email.bounced', { bounce: { type: 'Transient', subType: 'ContentRejected', message: 'No' } }, ['bounced SOFT']],
  ['email.bounced', { bounce: { type: 'Transient', subType: 'AttachmentRejected', message: 'No' } }, ['bounced SOFT']],
  ['email.bounced', { bounce: { type: 'Undetermined', subType: 'Undetermined', message: 'No' } }, ['bounced SOFT']],
  ['email.failed', { failed: { reason: 'reached_daily_quota' } }, ['bounced SOFT']],
  ['email.suppressed', { suppressed: { message: 'On the list', type: 'OnAccountSuppressionList' } }, ['bounced SOFT']],
  ['email.complained', {}, ['complained: complaint of ada@example.com']],
  ['email.complained', { complaint: { type: 'not-spam' } }, []],
  ['email.opened', {}, ['opened']],
  ['email.clicked', {}, ['clicked']],
])('%s of %j does %j', (name, changes, effects) => {
  expect(receiptEffects(callback(event(name, changes)), 'email')).toEqual(effects)
})

test('events that are no receipts, or of mails of others, are left out', () => {
  const others = [event('email.sent'), event('contact.created')]
  for (const other of [...others, event('email.delivered', { tags: {} }), event('email.delivered', { tags: [null] })])
    expect(callback(other)).toEqual({ kind: 'accepted', receipts: [] })
})

test('a callback is refused when it is changed, old, unsigned, unreadable, or cannot be verified', () => {
  const refused = (error: string) => ({ kind: 'refused', error })
  const delivered = event('email.delivered')
  expect(callback(delivered, { changed: '{}' })).toEqual(refused('The signature is wrong'))
  expect(callback(delivered, { settings: { webhookSecret: 'whsec_b3RoZXI=' } })).toEqual(
    refused('The signature is wrong'),
  )
  expect(callback(delivered, { at: RUN_AT - 301_000 })).toEqual(refused('The signature has expired'))
  expect(callback(delivered, { settings: { webhookSecret: 'whsec_' } })).toEqual(
    refused('webhookSecret must be a signing secret'),
  )
  expect(callback(delivered, { settings: {} })).toEqual(
    refused('The integration has no webhookSecret to verify callbacks with'),
  )
  expect(runCallback(resend, { webhookSecret }, { body: Buffer.from('{}') })).toEqual(
    refused('The callback is not signed'),
  )
  expect(callback(undefined, { text: 'x' })).toEqual(refused('The body is not JSON'))
  expect(callback(delivered, { before: 'v1,b2xk v2,x ' }).kind).toBe('accepted')
  for (const text of garbageBodies) expect(callback(undefined, { text }), text).not.toHaveProperty('receipts.0')
})
