/** Mailjet: the request for a message, and the meaning of each answer, whose messages have a status of their own. */
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
import mailjet from './mailjet.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 'key-1', secretKey: 'secret-1', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(200, { Messages: [{ Status: 'success', To: [{ MessageUUID: 'u-1' }] }] })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(mailjet, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (code: string, field: string, StatusCode = 400, status = StatusCode) =>
  replied(status, {
    Messages: [
      {
        Status: 'error',
        Errors: [{ ErrorCode: code, StatusCode, ErrorMessage: 'Explained', ErrorRelatedTo: [field] }],
      },
    ],
  })

test('a message becomes one request', () => {
  const { requests, outcome } = run()
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: 'https://api.mailjet.com/v3.1/send',
      headers: { authorization: `Basic ${Buffer.from('key-1:secret-1').toString('base64')}` },
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { MessageUUID: 'u-1' }, delivered: false })
})

test('an override adds globals beside the message', () => {
  const override = { body: { Globals: { CustomCampaign: 'orders' } } }
  expect(bodyOf({ override })).toMatchObject({
    Messages: [{ Subject: 'Hello' }],
    Globals: { CustomCampaign: 'orders' },
  })
})

test.each([
  [{ Messages: [] }, 'Messages must be an array with one entry'],
  [{ Messages: [{ From: 'a@b.co' }] }, 'To is missing'],
  [{ Messages: [{ To: 'a@b.co' }] }, 'From is missing'],
  [{ Globals: { Headers: { 'X-A': 'a\nb' } } }, 'Globals.Headers.X-A must not contain line breaks'],
  [{ Messages: [{ From: 'a@b.co', To: 'a@b.co', Subject: 'a\nb' }] }, 'Messages.Subject must not contain line breaks'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, { Messages: [] }), { kind: 'in_doubt' }],
  ['an error in a 200', failure('send-0003', 'HTMLPart', 400, 200), { kind: 'rejected', scope: 'content' }],
  ['a sender that is not validated', failure('send-0008', 'From', 403), { kind: 'rejected', scope: 'configuration' }],
  ['a recipient', failure('mj-0013', 'To[0].Email'), { kind: 'rejected', scope: 'recipient' }],
  ['content', failure('send-0010', 'TemplateID'), { kind: 'rejected', scope: 'content' }],
  ['a limit in a 200', failure('mj-0001', '', 429, 200), { kind: 'retry', attempted: false }],
  ['no key', replied(401, { StatusCode: 401, ErrorMessage: 'No key' }), { scope: 'configuration' }],
  ['the code in its error', failure('send-0003', 'HTMLPart'), { error: '400 Bad Request: Explained (send-0003)' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check lists senders', () => {
  const check = mailjet.signIn?.(scene.settings, 0)
  expect(check?.request).toMatchObject({ method: 'GET', url: 'https://api.mailjet.com/v3/REST/sender?Limit=1' })
  expect(check?.failureIn(replied(401, { ErrorMessage: 'No key' }))).toBe('401 Unauthorized: No key')
})

const webhookPassword = 'token-of-the-webhook'
const deliveryId = '1-691f0000-0000000000000000000000ab-0'

const post = (
  body: string,
  headers: Record<string, string> = { authorization: `Basic ${btoa(`postrider:${webhookPassword}`)}` },
  settings = { webhookPassword },
) => runCallback(mailjet, settings, { headers, body: Buffer.from(body) })
const callback = (event: unknown) => post(JSON.stringify(event))
const event = (name: string, changes: object = {}) => ({
  ...{
    event: name,
    time: RUN_AT / 1_000 - 60,
    email: 'ada@example.com',
    CustomID: deliveryId,
    Payload: '',
    ...changes,
  },
})

test.each<[string, object, object]>([
  ['sent', { smtp_reply: '250 OK' }, { kind: 'delivered' }],
  ['sent', { CustomID: '', Payload: JSON.stringify({ delivery_id: deliveryId }) }, { kind: 'delivered' }],
  [
    'bounce',
    { hard_bounce: true, error: 'user unknown', comment: '550 no' },
    { kind: 'bounced', gone: 'hard_bounce', error: '550 no' },
  ],
  [
    'bounce',
    { hard_bounce: false, error: 'quota exceeded', comment: '' },
    { kind: 'bounced', error: 'quota exceeded' },
  ],
  ['blocked', { error: 'preblocked' }, { kind: 'bounced', error: 'preblocked' }],
  ['spam', { source: 'JMRPP' }, { kind: 'complained' }],
  ['unsub', { mj_list_id: 1 }, { kind: 'unsubscribed' }],
  ['open', { agent: 'Mozilla/5.0' }, { kind: 'opened' }],
  ['click', { url: 'https://a.co/' }, { kind: 'clicked', url: 'https://a.co/' }],
])('the event %s of %j', (name, changes, receipt) => {
  const receipts = [{ deliveryId, at: RUN_AT - 60_000, address: 'ada@example.com', ...receipt }]
  expect(callback(event(name, changes))).toEqual({ kind: 'accepted', receipts })
  // Version 2 groups events in a list.
  expect(callback([event(name, changes), event('other')])).toEqual({ kind: 'accepted', receipts })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[string, object, string[]]>([
  ['sent', {}, ['delivered']],
  [
    'bounce',
    { error: 'user unknown', error_related_to: 'recipient', hard_bounce: true },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'bounce',
    { error: 'mailbox inactive', error_related_to: 'recipient', hard_bounce: true },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'bounce',
    { error: 'invalid domain', error_related_to: 'domain', hard_bounce: true },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'bounce',
    { error: 'no mail host', error_related_to: 'domain', hard_bounce: true },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  ['bounce', { error: 'user unknown', error_related_to: 'recipient', hard_bounce: false }, ['bounced SOFT']],
  ['bounce', { error: 'quota exceeded', error_related_to: 'recipient', hard_bounce: false }, ['bounced SOFT']],
  ['bounce', { error: 'quota exceeded', error_related_to: 'recipient', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'blacklisted', error_related_to: 'recipient', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'spam reporter', error_related_to: 'recipient', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'relay/access denied', error_related_to: 'domain', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'greylisted', error_related_to: 'domain', hard_bounce: false, blocked: true }, ['delayed']],
  ['blocked', { error: 'greylisted', error_related_to: 'domain', hard_bounce: false }, ['delayed']],
  ['bounce', { error: 'Greylisted', error_related_to: 'domain', hard_bounce: false }, ['delayed']],
  ['bounce', { error: 'greylisted', error_related_to: 'domain', hard_bounce: true }, ['bounced SOFT']],
  [
    'bounce',
    { error: 'typofix', error_related_to: 'domain', hard_bounce: true },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  ['bounce', { error: 'sender blocked', error_related_to: 'spam', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'content blocked', error_related_to: 'spam', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'policy issue', error_related_to: 'spam', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'system issue', error_related_to: 'system', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'protocol issue', error_related_to: 'system', hard_bounce: true }, ['bounced SOFT']],
  ['bounce', { error: 'connection issue', error_related_to: 'system', hard_bounce: false }, ['bounced SOFT']],
  [
    'bounce',
    { error: '', error_related_to: '', hard_bounce: true, comment: '550 5.7.1 blocked using bl.example.net' },
    ['bounced SOFT'],
  ],
  [
    'bounce',
    { error: '', error_related_to: '', hard_bounce: true, comment: '550 5.1.1 unknown' },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  ['blocked', { error: 'preblocked', error_related_to: 'mailjet', hard_bounce: false }, ['bounced SOFT']],
  ['blocked', { error: 'duplicate in campaign', error_related_to: 'mailjet', hard_bounce: false }, ['bounced SOFT']],
  ['blocked', { error: 'user unknown', error_related_to: 'recipient', hard_bounce: true }, ['bounced SOFT']],
  ['spam', { source: 'JMRPP' }, ['complained: complaint of ada@example.com']],
  ['spam', { source: '' }, ['complained: complaint of ada@example.com']],
  ['unsub', { mj_list_id: 1 }, ['unsubscribed: unsubscribed of ada@example.com']],
  ['open', {}, ['opened']],
  ['click', {}, ['clicked']],
])('%s of %j does %j', (name, changes, effects) => {
  expect(receiptEffects(callback(event(name, changes)), 'email')).toEqual(effects)
})

test('events of mails of others are left out', () => {
  const others = [{ CustomID: 'mine' }, { CustomID: '' }, { CustomID: '', Payload: '{' }, { CustomID: 7 }]
  for (const changes of others) expect(callback(event('sent', changes))).toEqual({ kind: 'accepted', receipts: [] })
})

test('a callback is refused without the right token, and without one in the settings', () => {
  const refused = (error: string) => ({ kind: 'refused', error })
  const body = JSON.stringify([event('sent')])
  expect(post(body).kind).toBe('accepted')
  expect(post(body, {})).toEqual(refused('The callback has no token: enter webhookPassword at the provider'))
  expect(post(body, { authorization: `Basic ${btoa('postrider:other')}` })).toEqual(refused('The token is wrong'))
  expect(
    runCallback(
      mailjet,
      {},
      { headers: { authorization: `Basic ${btoa(`postrider:${webhookPassword}`)}` }, body: Buffer.from(body) },
    ),
  ).toEqual(refused('The integration has no webhookPassword to verify callbacks with'))
})

test('a body that cannot be read is refused, and one without events has no receipts', () => {
  expect(post('x')).toEqual({ kind: 'refused', error: 'The body is not JSON' })
  for (const body of garbageBodies) expect(post(body), body).not.toHaveProperty('receipts.0')
})
