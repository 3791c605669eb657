/** What stays of a message says when and how, never who or what. */
import { expect, test } from 'vitest'
import { bareFlush, withoutRecipient } from './redact-message.ts'

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
const without = (columns: Partial<Parameters<typeof withoutRecipient>[0]>) =>
  withoutRecipient({ ...message, ...columns }, '7', 'erased-x', 'announced')

test('the input is the event and the pseudonym', () => {
  expect(without({})).toEqual({
    id: 'm',
    flushes: 3,
    tags: null,
    input: '{"event":"welcome","recipient":"erased-x"}',
    pinned: null,
    deliveries: null,
    events: null,
    announcement: null,
  })
})

test('of what was pinned the decision stays', () => {
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

test.each([
  [{ due_at: 9, sent: null }, 'announced'],
  [{ due_at: 9, sent: 5 }, null],
  [{ due_at: null, sent: null }, null],
])('%j is cancelled: %s', (columns, announcement) => {
  expect(without(columns).announcement).toBe(announcement)
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
  const { events: bare } = bareFlush({ message_id: 'm', flush: 1, events: JSON.stringify(events) })
  expect(without({ events: JSON.stringify(events) }).events).toBe(bare)
  expect(JSON.parse(bare)).toEqual([
    { type: 'DELIVERING', ts: 1, n: 0, attempt: 1, next_attempt_at: 9, error: '' },
    { type: 'UNROUTABLE', ts: 2, reason: 'NO_PROVIDERS', channel: { id: '' } },
    { type: 'UNDELIVERABLE', ts: 3, n: 0, reason: 'PROVIDER_ERROR' },
  ])
})
