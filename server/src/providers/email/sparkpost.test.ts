/** SparkPost: the request for a message, content that it takes as a template, and the meaning of each answer. */
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
import sparkpost from './sparkpost.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 'key-1', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(200, { results: { total_accepted_recipients: 1, total_rejected_recipients: 0, id: 't-1' } })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(sparkpost, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (status: number, code: string) =>
  replied(status, { errors: [{ message: 'Explained', description: 'in detail', code }] })

test.each([
  ['us', 'https://api.sparkpost.com'],
  ['eu', 'https://api.eu.sparkpost.com'],
])('a message becomes one request in the region %s', (region, base) => {
  const { requests, outcome } = run({ settings: { ...scene.settings, region } })
  expect(requests).toMatchObject([
    { method: 'POST', url: `${base}/api/v1/transmissions`, headers: { authorization: 'key-1' }, final: true },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 't-1' }, delivered: false })
})

test('braces of rendered content are no placeholders', () => {
  const { content } = bodyOf({ content: { subject: '{{a}}', text: '{{{b}}} {c}', html: '<p>{{ if x }}</p>' } })
  expect(content.subject).toBe('{{opening_double_curly()}}a{{closing_double_curly()}}')
  expect(content.text).toBe('{{opening_triple_curly()}}b{{closing_triple_curly()}} {c}')
  expect(content.html).not.toContain('{{ if')
})

test('the stored key does not follow another region', () => {
  const { requests, outcome } = run({ override: { config: { region: 'eu' } } })
  expect(requests).toEqual([])
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'configuration' })
})

test.each([
  [{ content: { subject: 'a\nb' } }, 'subject must not contain line breaks'],
  [{ content: { from: null } }, 'from is missing'],
  [{ content: { headers: { To: 'x' } } }, 'headers.To cannot be set'],
  [{ recipients: [] }, 'recipients must be an array with an entry'],
  [{ recipients: [{ address: { email: 'a@b.co', header_to: 'a\nb' } }] }, 'header_to must not contain line breaks'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, {}), { kind: 'in_doubt' }],
  [
    'no accepted recipient in a 200',
    replied(200, { results: { total_accepted_recipients: 0, total_rejected_recipients: 1, id: 't-1' } }),
    { kind: 'rejected', scope: 'recipient' },
  ],
  ['no recipient', failure(400, '5002'), { kind: 'rejected', scope: 'recipient' }],
  ['a suppressed recipient', failure(400, '1902'), { kind: 'rejected', scope: 'recipient' }],
  ['a domain that is not configured', failure(400, '7001'), { kind: 'rejected', scope: 'configuration' }],
  ['a field', failure(422, '1300'), { kind: 'rejected', scope: 'content' }],
  ['a sending limit', failure(420, '2102'), { kind: 'retry', attempted: false }],
  ['the code in its error', failure(400, '7001'), { error: '400 Bad Request: Explained: in detail (7001)' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check accepts a key that may only send', () => {
  const check = sparkpost.signIn?.(scene.settings, 0)
  expect(check?.request).toMatchObject({ method: 'GET', url: 'https://api.sparkpost.com/api/v1/account' })
  expect(check?.failureIn(failure(403, '1'))).toBeUndefined()
  expect(check?.failureIn(replied(401, { errors: [{ message: 'Unauthorized.' }] }))).toContain('Unauthorized.')
})

const webhookToken = 'token-of-the-webhook'
const deliveryId = '1-691f0000-0000000000000000000000ab-0'

const post = (
  body: string,
  headers: Record<string, string> = { authorization: `Basic ${btoa(`postrider:${webhookToken}`)}` },
  settings = { webhookToken },
) => runCallback(sparkpost, settings, { headers, body: Buffer.from(body) })
const callback = (event: unknown) => post(JSON.stringify(event))
const event = (type: string, changes: object = {}, name = 'message_event') => ({
  msys: {
    [name]: {
      ...{ type, timestamp: String(RUN_AT / 1_000 - 60), raw_rcpt_to: 'Ada@example.com', rcpt_to: 'ada@example.com' },
      ...{ rcpt_meta: { delivery_id: deliveryId }, ...changes },
    },
  },
})
const track = (type: string, changes: object = {}) => event(type, changes, 'track_event')
const no = { raw_reason: '550 no', reason: '550 ...' }

test.each<[object, object]>([
  [event('delivery'), { kind: 'delivered' }],
  [event('bounce', { bounce_class: '10', ...no }), { kind: 'bounced', gone: 'hard_bounce', error: '550 no' }],
  [event('out_of_band', { bounce_class: '30', ...no }), { kind: 'bounced', gone: 'hard_bounce', error: '550 no' }],
  [event('bounce', { bounce_class: '22', ...no }), { kind: 'bounced', error: '550 no' }],
  [event('policy_rejection', { reason: 'Policy' }), { kind: 'bounced', error: 'Policy' }],
  [event('generation_failure', { reason: 'Template' }, 'gen_event'), { kind: 'bounced', error: 'Template' }],
  [event('out_of_band', { bounce_class: '90' }), { kind: 'unsubscribed' }],
  [event('spam_complaint'), { kind: 'complained' }],
  [event('list_unsubscribe', {}, 'unsubscribe_event'), { kind: 'unsubscribed' }],
  [track('open', { user_agent_parsed: { is_proxy: true, is_prefetched: false } }), { kind: 'opened' }],
  [track('initial_open', { user_agent_parsed: { is_prefetched: true } }), { kind: 'opened', isAutomated: true }],
  [track('click', { target_link_url: 'https://a.co/' }), { kind: 'clicked', url: 'https://a.co/' }],
])('the event %j', (event, receipt) => {
  expect(callback([{ msys: {} }, event])).toEqual({
    kind: 'accepted',
    receipts: [{ deliveryId, at: RUN_AT - 60_000, address: 'Ada@example.com', ...receipt }],
  })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[string, object, string[]]>([
  ['injection', {}, []],
  ['delivery', {}, ['delivered']],
  ['delay', { reason: '451 later' }, ['delayed']],
  ['bounce', { bounce_class: '1', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '10', raw_reason: '550 no' }, ['bounced HARD: hard_bounce of ada@example.com']],
  ['bounce', { bounce_class: '20', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '21', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '22', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '23', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '24', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '25', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '30', raw_reason: '550 no' }, ['bounced HARD: hard_bounce of ada@example.com']],
  ['bounce', { bounce_class: '40', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '50', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '51', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '52', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '53', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '54', raw_reason: '550 no' }, ['bounced SOFT']],
  ['bounce', { bounce_class: '60', raw_reason: '550 no' }, []],
  ['bounce', { bounce_class: '70', raw_reason: '550 no' }, ['delayed']],
  ['bounce', { bounce_class: '80', raw_reason: '550 no' }, []],
  ['bounce', { bounce_class: '90', raw_reason: '550 no' }, ['unsubscribed: unsubscribed of ada@example.com']],
  ['bounce', { bounce_class: '100', raw_reason: '550 no' }, []],
  ['out_of_band', { bounce_class: '10' }, ['bounced HARD: hard_bounce of ada@example.com']],
  ['out_of_band', { bounce_class: '60' }, []],
  ['bounce', { bounce_class: '10', raw_reason: '550 5.7.1 listed by bl.example.net' }, ['bounced SOFT']],
  ['policy_rejection', { bounce_class: '25' }, ['bounced SOFT']],
  ['generation_failure', {}, ['bounced SOFT']],
  ['generation_rejection', {}, ['bounced SOFT']],
  ['spam_complaint', {}, ['complained: complaint of ada@example.com']],
  ['spam_complaint', { fbtype: 'abuse' }, ['complained: complaint of ada@example.com']],
  ['spam_complaint', { fbtype: 'fraud' }, ['complained: complaint of ada@example.com']],
  ['spam_complaint', { fbtype: 'virus' }, ['complained: complaint of ada@example.com']],
  ['spam_complaint', { fbtype: 'other' }, ['complained: complaint of ada@example.com']],
  ['spam_complaint', { fbtype: 'not-spam' }, []],
  ['spam_complaint', { fbtype: 'auth-failure' }, []],
  ['spam_complaint', { fbtype: 'opt-out' }, ['unsubscribed: unsubscribed of ada@example.com']],
  ['list_unsubscribe', {}, ['unsubscribed: unsubscribed of ada@example.com']],
  ['link_unsubscribe', {}, ['unsubscribed: unsubscribed of ada@example.com']],
  ['open', {}, ['opened']],
  ['click', {}, ['clicked']],
  ['spam_complaint', { rcpt_type: 'bcc' }, []],
  ['open', { rcpt_type: 'cc' }, []],
])('%s of %j does %j', (name, changes, effects) => {
  expect(receiptEffects(callback([event(name, changes)]), 'email')).toEqual(effects)
})

test('events that are no receipts, of copies, or of mails of others, are left out', () => {
  const replies = ['60', '80', '100'].map((bounce_class) => event('out_of_band', { bounce_class }))
  const others = [event('injection'), event('bounce', { bounce_class: '10', rcpt_type: 'cc' })]
  expect(callback([...replies, ...others, event('delivery', { rcpt_meta: {} })])).toEqual({
    kind: 'accepted',
    receipts: [],
  })
})

test('a callback is refused without the right token, and without one in the settings', () => {
  const refused = (error: string) => ({ kind: 'refused', error })
  const body = JSON.stringify([event('delivery')])
  expect(post(body).kind).toBe('accepted')
  expect(post(body, {})).toEqual(refused('The callback has no token: enter webhookToken at the provider'))
  expect(post(body, { authorization: `Basic ${btoa('postrider:other')}` })).toEqual(refused('The token is wrong'))
  expect(
    runCallback(
      sparkpost,
      {},
      { headers: { authorization: `Basic ${btoa(`postrider:${webhookToken}`)}` }, body: Buffer.from(body) },
    ),
  ).toEqual(refused('The integration has no webhookToken to verify callbacks with'))
})

test('a body that cannot be read is refused, and one without events has no receipts', () => {
  expect(post('x')).toEqual({ kind: 'refused', error: 'The body is not JSON' })
  for (const body of garbageBodies) expect(post(body), body).not.toHaveProperty('receipts.0')
})
