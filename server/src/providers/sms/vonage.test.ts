/** Vonage: the request, Unicode, and the statuses of the segments, which come with HTTP 200. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter-harness.ts'
import vonage from './vonage.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { apiKey: 'vonage-key', apiSecret: 'vonage-secret', from: 'Postrider' },
  content: { body: 'Hi & bye', text: 'Long form' },
}
const segment = (status: string, more = {}) => ({ to: '15550100000', 'message-id': `0A${status}`, status, ...more })
const answer = (...messages: object[]) => replied(200, { 'message-count': String(messages.length), messages })
const run = (changes: Partial<Scene> = {}, reply: Reply = answer(segment('0'))) =>
  runAdapter(vonage, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failing = (status: number) => answer(segment(String(status), { 'error-text': 'No' }))

test('a message becomes one request; its reference comes back with receipts', () => {
  const { requests, outcome, draft } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://rest.nexmo.com/sms/json',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from('vonage-key:vonage-secret').toString('base64')}`,
        'content-type': 'application/json',
      },
      body: '{"from":"Postrider","to":"15550100000","text":"Hi & bye","client-ref":"delivery-1"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: '0A0' }, delivered: false })
  expect(JSON.stringify(draft)).not.toContain('vonage-secret')
})

test('a text beyond GSM-7 is sent as Unicode, also when an override brings it; a chosen type stays', () => {
  expect(bodyOf({ content: { body: 'Grüße €5' } }).type).toBeUndefined()
  expect(bodyOf({ content: { body: 'Hi 👋' } }).type).toBe('unicode')
  expect(bodyOf({ override: { body: { text: 'Привет' } } }).type).toBe('unicode')
  expect(bodyOf({ override: { body: { text: 'Привет', type: 'text' } } }).type).toBe('text')
})

test('a long text is one request, and the first segment names the message', () => {
  const { outcome } = run({ content: { body: 'a'.repeat(400) } }, answer(segment('0'), segment('0'), segment('0')))
  expect(outcome).toEqual({ kind: 'sent', reference: { id: '0A0' }, delivered: false })
})

test.each<[string, Reply, object]>([
  ['throttled', failing(1), { kind: 'retry', attempted: false, error: 'No (1)' }],
  ['too many binds', failing(10), { kind: 'retry', attempted: false }],
  ['internal error', failing(5), { kind: 'retry', attempted: true }],
  ['missing parameters', failing(2), { kind: 'rejected', scope: 'content' }],
  ['bad credentials', failing(4), { kind: 'rejected', scope: 'configuration', error: 'No (4)' }],
  ['no credit', failing(9), { kind: 'rejected', scope: 'configuration' }],
  ['invalid sender', failing(15), { kind: 'rejected', scope: 'configuration' }],
  ['unroutable', failing(6), { kind: 'rejected', scope: 'recipient' }],
  ['barred', failing(7), { kind: 'rejected', scope: 'recipient' }],
  ['not on the list of a trial account', failing(29), { kind: 'rejected', scope: 'recipient' }],
  ['deactivated', failing(33), { kind: 'rejected', scope: 'recipient', gone: 'invalid_address' }],
  ['a new status', failing(99), { kind: 'rejected', scope: 'content' }],
  ['a status as a number', answer({ status: 7 }), { kind: 'rejected', scope: 'recipient', error: 'not accepted (7)' }],
  [
    'some segments only',
    answer(segment('0'), segment('5', { 'error-text': 'No' })),
    { kind: 'in_doubt', error: 'Some segments were not accepted: No (5)' },
  ],
  ['no segment at all', answer(), { kind: 'in_doubt' }],
  ['a page instead of an answer', replied(200, '<html>'), { kind: 'in_doubt' }],
  [
    '401',
    replied(401, { title: 'vonage-secret' }),
    { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized: ********' },
  ],
  ['429', replied(429, '', { 'retry-after': '2' }), { kind: 'retry', attempted: false, retryAfterMs: 2_000 }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('an address of an override is not the one of the profile', () => {
  const { outcome } = run({ override: { body: { to: '+15550199999' } } }, failing(33))
  expect(outcome).toMatchObject({ scope: 'recipient' })
  expect(outcome).not.toHaveProperty('gone')
})

test.each([
  [{ to: '' }, 'to is missing'],
  [{ from: '' }, 'from is missing'],
  [{ text: '' }, 'text is missing'],
  [{ to: '1555\r\n' }, 'to must not contain line breaks'],
  [{ api_secret: 'x' }, 'body.api_secret cannot be set, config can'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})
