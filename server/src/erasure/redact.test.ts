/** Redacted messages keep times and states, never content or recipients; redacted requests keep the other recipients. */
import { expect, test } from 'vitest'
import { secretKey } from '../base/secret.ts'
import { hasCursorAt, namingPattern, pseudonymOf, redactFlush, redactMessage, redactRequest } from './redact.ts'

const message = {
  id: 'm',
  flushes: 3,
  event: 'welcome',
  due_at: null,
  sent: 5,
  tags: null,
  deliveries: null,
  events: null,
  notification: null,
  considered: null,
  released: null,
}
const without = (columns: Partial<Parameters<typeof redactMessage>[0]>) =>
  redactMessage({ ...message, ...columns }, '7', 'erased-x', 'outbox')

test('the input is the event and the pseudonym', () => {
  expect(without({})).toEqual({
    id: 'm',
    flushes: 3,
    tags: null,
    input: '{"event":"welcome","recipient":"erased-x"}',
    pinned: null,
    deliveries: null,
    events: null,
    outbox_id: null,
  })
})

test('the decision stays in the snapshot', () => {
  const { pinned } = without({ notification: { id: 'n', version: 2 }, considered: [], released: 4 })
  expect(JSON.parse(pinned ?? '')).toEqual({ notification: { id: 'n', version: 2 }, considered: [], released: 4 })
})

test('deliveries keep their times and states, and lose errors, references and what was next', () => {
  const delivery = {
    n: 0,
    channel: 'email',
    provider: 'smtp',
    integration: 'I',
    state: 'sent',
    attempts: 2,
    firstAt: 1,
    sentAt: 5,
    nextAt: 6,
    error: 'no such user ada@example.com',
    reference: { 'message-id': 'x' },
    log: [{ number: 1, started: 1, ended: 2, outcome: 'retry', error: 'ada@example.com is busy' }],
  }
  const { nextAt: _next, error: _error, reference: _reference, ...kept } = delivery
  const bare = JSON.parse(without({ deliveries: JSON.stringify([delivery]) }).deliveries ?? '')
  expect(bare).toEqual([{ ...kept, log: [{ number: 1, started: 1, ended: 2, outcome: 'retry' }] }])
})

test('requests to providers and their replies go with the person', () => {
  const exchange = { attempt: 1, request: { protocol: 'http', url: 'https://x', body: 'ada@example.com' } }
  const events = JSON.stringify([{ type: 'UNDELIVERABLE', ts: 1, n: 0, reason: 'PROVIDER_ERROR', exchange }])
  expect(without({ events }).events).not.toMatch(/exchange|ada@/)
})

test.each([
  [{ due_at: 9, sent: null }, 'outbox'],
  [{ due_at: 9, sent: 5 }, null],
  [{ due_at: null, sent: null }, null],
])('%j is canceled: %s', (columns, outboxId) => {
  expect(without(columns).outbox_id).toBe(outboxId)
})

test('tags stay, unless the person is a word of theirs', () => {
  expect(without({ tags: ['7', 'user:7', 'v17', '77', '7th', 'a-7'] }).tags).toEqual(['v17', '77', '7th'])
})

test('history keeps what happened and drops what was said', () => {
  const events = [
    { type: 'DELIVERING', ts: 1, n: 0, attempt: 1, error: 'to ada@example.com', next_attempt_at: 9 },
    { type: 'UNROUTABLE', ts: 2, channel: { id: '' }, reason: 'NO_PROVIDERS', error_message: 'for ada' },
    { type: 'UNDELIVERABLE', ts: 3, n: 0, error_message: 'ada', reason: 'PROVIDER_ERROR' },
  ]
  const { events: bare } = redactFlush({ message_id: 'm', flush: 1, events: JSON.stringify(events) })
  expect(without({ events: JSON.stringify(events) }).events).toBe(bare)
  expect(JSON.parse(bare)).toEqual([
    { type: 'DELIVERING', ts: 1, n: 0, attempt: 1, next_attempt_at: 9, error: '' },
    { type: 'UNROUTABLE', ts: 2, reason: 'NO_PROVIDERS', channel: { id: '' } },
    { type: 'UNDELIVERABLE', ts: 3, n: 0, reason: 'PROVIDER_ERROR' },
  ])
})

const ada = { recipient: 'ada', profile: { email: 'ada@example.com' } }
const bob = { recipient: 'bob' }
const request = (targets: unknown[], progress: string | null = null) => ({
  id: 'r',
  due_at: null,
  input: JSON.stringify({ event: 'e', data: { secret: 1 } }),
  targets: JSON.stringify({ targets, marks: { traceId: 't' }, notBefore: 5 }),
  progress,
})

test('other recipients keep their positions and the shared input', () => {
  const before = request([
    { kind: 'users', users: [ada, bob, ada] },
    { kind: 'list', listId: 'l' },
  ])
  const { removed, targets, input } = redactRequest(before, 'ada')
  expect([removed, input]).toEqual([2, before.input])
  expect(JSON.parse(targets)).toEqual({
    targets: [
      { kind: 'users', users: [null, bob, null] },
      { kind: 'list', listId: 'l' },
    ],
    marks: { traceId: 't' },
    notBefore: 5,
  })
})

test('the shared input is removed with the last recipient', () => {
  const { targets, input } = redactRequest(request([{ kind: 'users', users: [null, ada] }]), 'ada')
  expect(JSON.parse(input)).toEqual({ event: 'e' })
  expect(JSON.parse(targets)).toEqual({ targets: [{ kind: 'users', users: [null, null] }], notBefore: 5 })
})

test.each([
  [null, false],
  ['', false],
  ['{"target":0,"after":3}', false],
  ['{"target":0,"after":"ada"}', true],
  ['{"target":0,"after":"adam"}', false],
  [JSON.stringify({ target: 0, after: JSON.stringify({ group: 'l', after: 'ada' }) }), true],
  [JSON.stringify({ target: 0, after: JSON.stringify({ group: 'ada', after: 'adam' }) }), false],
])('progress %s has its cursor at ada: %s', (progress, expected) => {
  expect(hasCursorAt({ progress }, 'ada')).toBe(expected)
})

test('a cursor with the person is removed, any other stays', () => {
  const progressOf = (after: unknown) =>
    redactRequest(request([{ kind: 'list', listId: 'l' }], JSON.stringify({ target: 0, after })), 'ada').progress
  expect([progressOf('ada'), progressOf('bob')]).toEqual(['{"target":0,"after":null}', '{"target":0,"after":"bob"}'])
})

test('a pseudonym is unique for a person, a workspace and a key', () => {
  const [first, two] = [1, 2].map((byte) => secretKey(Buffer.alloc(32, byte)))
  const names = [
    pseudonymOf(first!, 1, 'ada'),
    pseudonymOf(first!, 2, 'ada'),
    pseudonymOf(first!, 1, 'bob'),
    pseudonymOf(two!, 1, 'ada'),
  ]
  expect(new Set(names).size).toBe(4)
  expect(pseudonymOf(first!, 1, 'ada')).toBe(names[0])
  expect(names[0]).toMatch(/^erased-[0-9a-f]{32}$/)
})

test.each([
  ['ada', '{"user_id":"ada"}', true],
  ['ada', '{"recipient": "ada"}', true],
  ['ada', '{"recipientId":"ada"}', true],
  ['ada', '{"user_id":"adam"}', false],
  ['ada', '{"name":"ada"}', false],
  ['a.a', '{"user_id":"aba"}', false],
  ['a"\\(b', JSON.stringify({ memberId: 'a"\\(b' }), true],
  ['ädä🎈', JSON.stringify({ userId: 'ädä🎈' }), true],
])('%s in %s: %s', (person, text, names) => {
  expect(new RegExp(namingPattern(person), 'u').test(text)).toBe(names)
})
