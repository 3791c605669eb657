/** Brevo: the request for a message, its idempotency key, and the meaning of each answer. */
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
import brevo from './brevo.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 'xkeysib-1', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(201, { messageId: '<1@smtp-relay.mailin.fr>' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(brevo, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (status: number, code: string, message = 'Explained') => replied(status, { code, message })

test('a message becomes one request, with the same key for every attempt', () => {
  const { requests, outcome } = run()
  expect(requests).toMatchObject([
    { method: 'POST', url: 'https://api.brevo.com/v3/smtp/email', headers: { 'api-key': 'xkeysib-1' }, final: true },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { messageId: '<1@smtp-relay.mailin.fr>' }, delivered: false })
  const keyOf = (deliveryId: string) => bodyOf({ message: { deliveryId } }).headers.idempotencyKey
  expect(keyOf('delivery-1')).toBe(keyOf('delivery-1'))
  expect(keyOf('delivery-1')).not.toBe(keyOf('delivery-2'))
})

test('several addresses for replies are refused', () => {
  expect(() => run({ email: { replyTo: ['a@b.co', 'c@d.co'] } })).toThrow('replyTo takes one mail address')
})

test('an override names a sender by its id, and an address of the sender', () => {
  const override = { body: { sender: { id: 7 }, headers: { 'sender.ip': '192.0.2.1' } } }
  expect(bodyOf({ override })).toMatchObject({ headers: { 'sender.ip': '192.0.2.1' } })
  expect(bodyOf({ override }).sender).toEqual({ id: 7 })
})

test.each([
  [{ subject: 'a\nb' }, 'subject must not contain line breaks'],
  [{ sender: null }, 'sender is missing'],
  [{ to: [] }, 'to is missing'],
  [{ headers: { 'X-A': 'a\nb' } }, 'headers.X-A must not contain line breaks'],
  [{ attachment: {} }, 'attachment must be an array'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each<[string, Reply, object]>([
  ['no id', replied(201, {}), { kind: 'in_doubt' }],
  ['a key that was used', failure(400, 'duplicate_request'), { kind: 'sent', reference: {} }],
  ['invalid_parameter', failure(400, 'invalid_parameter'), { kind: 'rejected', scope: 'content' }],
  [
    'a sender that is not verified',
    failure(400, 'invalid_parameter', 'Sending has been rejected because the sender you used is not valid'),
    { kind: 'rejected', scope: 'configuration' },
  ],
  ['a recipient', failure(400, 'invalid_parameter', 'email is not valid in to'), { scope: 'recipient' }],
  ['unauthorized', failure(401, 'unauthorized'), { kind: 'rejected', scope: 'configuration' }],
  ['no credits', failure(402, 'not_enough_credits'), { kind: 'rejected', scope: 'configuration' }],
  [
    '429 with the dialect of Brevo',
    replied(429, { message: 'Slow down' }, { 'x-sib-ratelimit-reset': '20' }),
    { kind: 'retry', attempted: false, retryAfterMs: 20_000 },
  ],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check reads the account', () => {
  const check = brevo.signIn?.(scene.settings, 0)
  expect(check?.request).toMatchObject({ method: 'GET', url: 'https://api.brevo.com/v3/account' })
  expect(check?.failureIn(failure(401, 'unauthorized', 'Key not found'))).toBe('401 Unauthorized: Key not found')
})

const webhookToken = 'token-of-the-webhook'
const deliveryId = '1-691f0000-0000000000000000000000ab-0'

const post = (
  body: string,
  headers: Record<string, string> = { authorization: `Bearer ${webhookToken}` },
  settings = { webhookToken },
) => runCallback(brevo, settings, { headers, body: Buffer.from(body) })
const callback = (event: unknown) => post(JSON.stringify(event))
const event = (name: string, changes: object = {}) => ({
  ...{ event: name, email: 'ada@example.com', ts_event: RUN_AT / 1_000 - 60, ts_epoch: RUN_AT - 90_000 },
  ...{ 'X-Mailin-custom': `message_id:1|delivery_id:${deliveryId}`, ...changes },
})

test.each<[string, object, object]>([
  ['delivered', {}, { kind: 'delivered' }],
  ['hard_bounce', { reason: '550 no' }, { kind: 'bounced', gone: 'hard_bounce', error: '550 no' }],
  ['invalid_email', {}, { kind: 'bounced', gone: 'hard_bounce' }],
  ['soft_bounce', { reason: 'Full' }, { kind: 'bounced', error: 'Full' }],
  ['blocked', { reason: 'Blocked' }, { kind: 'bounced', error: 'Blocked' }],
  ['error', {}, { kind: 'bounced' }],
  ['spam', {}, { kind: 'complained' }],
  ['unsubscribed', {}, { kind: 'unsubscribed' }],
  ['opened', {}, { kind: 'opened' }],
  ['unique_opened', {}, { kind: 'opened' }],
  ['unique_proxy_open', {}, { kind: 'opened', isAutomated: true }],
  ['click', { link: 'https://a.co/' }, { kind: 'clicked', url: 'https://a.co/' }],
])('the event %s of %j', (name, changes, receipt) => {
  const receipts = [{ deliveryId, at: RUN_AT - 60_000, address: 'ada@example.com', ...receipt }]
  expect(callback(event(name, changes))).toEqual({ kind: 'accepted', receipts })
  // Several events come as a list where the webhook is batched.
  expect(callback([event(name, changes), event('request')])).toEqual({ kind: 'accepted', receipts })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[string, object, string[]]>([
  ['request', {}, []],
  ['delivered', {}, ['delivered']],
  ['deferred', { reason: '451 later' }, ['delayed']],
  ['hard_bounce', {}, ['bounced HARD: hard_bounce of ada@example.com']],
  ['hard_bounce', { reason: '550 5.1.1 unknown' }, ['bounced HARD: hard_bounce of ada@example.com']],
  ['hard_bounce', { reason: '550 5.7.1 blocked using bl.example.net' }, ['bounced SOFT']],
  ['soft_bounce', { reason: 'Full' }, ['bounced SOFT']],
  ['invalid_email', {}, ['bounced HARD: hard_bounce of ada@example.com']],
  ['blocked', { reason: 'blocked : due to blacklist user' }, ['bounced SOFT']],
  ['blocked', { reason: 'blocked : due to unsubscribed user' }, ['bounced HARD: unsubscribed of ada@example.com']],
  ['blocked', {}, ['bounced SOFT']],
  ['error', {}, ['bounced SOFT']],
  ['spam', {}, ['complained: complaint of ada@example.com']],
  ['complaint', {}, ['complained: complaint of ada@example.com']],
  ['unsubscribed', {}, ['unsubscribed: unsubscribed of ada@example.com']],
  ['unsubscribe', {}, ['unsubscribed: unsubscribed of ada@example.com']],
  ['opened', {}, ['opened']],
  ['unique_opened', {}, ['opened']],
  ['proxy_open', {}, ['opened']],
  ['unique_proxy_open', {}, ['opened']],
  ['click', {}, ['clicked']],
  ['list_addition', {}, []],
])('%s of %j does %j', (name, changes, effects) => {
  expect(receiptEffects(callback(event(name, changes)), 'email')).toEqual(effects)
})

test('events that are no receipts, or of mails of others, are left out', () => {
  const others = ['delivery_id:mine', `x${deliveryId}`, '', 7, null].map((custom) =>
    event('delivered', { 'X-Mailin-custom': custom }),
  )
  for (const other of [event('request'), event('list_addition'), ...others])
    expect(callback(other)).toEqual({ kind: 'accepted', receipts: [] })
})

test('a callback is refused without the right token, and without one in the settings', () => {
  const refused = (error: string) => ({ kind: 'refused', error })
  const body = JSON.stringify(event('delivered'))
  expect(post(body).kind).toBe('accepted')
  expect(post(body, {})).toEqual(refused('The callback has no token: enter webhookToken at the provider'))
  expect(post(body, { authorization: 'Bearer other' })).toEqual(refused('The token is wrong'))
  expect(
    runCallback(brevo, {}, { headers: { authorization: `Bearer ${webhookToken}` }, body: Buffer.from(body) }),
  ).toEqual(refused('The integration has no webhookToken to verify callbacks with'))
})

test('a body that cannot be read is refused, and one without events has no receipts', () => {
  expect(post('x')).toEqual({ kind: 'refused', error: 'The body is not JSON' })
  for (const body of garbageBodies) expect(post(body), body).not.toHaveProperty('receipts.0')
})
