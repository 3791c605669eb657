/** Events are described in words: by which channel and provider, why, and until when. */
import type { DecisionStep, HistoryEvent, MessageExplanation } from '@postrider/client'
import { expect, test } from 'vitest'
import { eventFacts, eventLook, eventTexts, factsWithoutWay, stopOf } from './event-words.ts'

const via = { channel: { id: 'email' }, integration: { id: 'I', provider: 'smtp' } }
const format = {
  time: (at: number) => `at ${at}`,
  channel: (channel: string) => (channel === 'sms' ? 'SMS' : 'Email'),
  integration: ({ id, provider }: { id: string; provider: string }) =>
    id === 'I2' ? 'Second mail' : `the ${provider}`,
  template: (id: string) => (id === 'T' ? 'Order shipped' : id),
  reason: (reason: string) => `Meaning of ${reason}`,
  suppression: (reason: string) => `the cause ${reason}`,
  error: (error: string) => (error === 'Held by the server' ? 'Angehalten' : error),
  stop: ({ type }: HistoryEvent) => (type === 'FILTERED' ? 'The step' : undefined),
}

test.each<[HistoryEvent, string[]]>([
  [{ type: 'MAPPED', ts: 1, event_id: 'order-shipped', notification_id: 'T' }, ['Template Order shipped']],
  [{ type: 'ENQUEUED', ts: 1, event: '', recipient: 'r', data: {}, profile: {}, override: {} }, ['Inline content']],
  [{ type: 'DELAYED', ts: 1, until: 9 }, ['Due at 9']],
  [{ type: 'CANCELED', ts: 1, source: 'key/first key' }, ['By the key first key']],
  [{ type: 'CANCELED', ts: 1, source: 'erasure' }, ['The person was erased']],
  [{ type: 'CANCELED', ts: 1 }, []],
  [{ type: 'RELEASED', ts: 1, cause: 'call' }, ['By POST /messages/release']],
  [
    { type: 'RELEASED', ts: 1, cause: 'dead_letter', source: 'key/ops' },
    ['By the release of its dead letter (POST /dead-letters/:id/release)', 'By the key ops'],
  ],
  [{ type: 'RELEASED', ts: 1, cause: 'settings' }, ['Such messages are no longer held']],
  [
    { type: 'RELEASED', ts: 1, cause: 'repair', integration_id: 'I2' },
    ['Second mail was added or changed, or works again'],
  ],
  [
    { type: 'DELIVERING', ts: 1, ...via, attempt: 2, error: '450 busy', next_attempt_at: 7 },
    ['By email through the smtp', 'Attempt 2: 450 busy'],
  ],
  [
    { type: 'DELIVERING', ts: 1, ...via, attempt: 2, held_back: 'limit', error: 'The limit is reached' },
    ['By email through the smtp', 'The limit is reached'],
  ],
  [
    { type: 'DELIVERING', ts: 1, ...via, attempt: 2, held_back: 'circuit_breaker', error: 'Circuit breaker open: 535' },
    ['By email through the smtp', '535'],
  ],
  [{ type: 'SENT', ts: 1, ...via, channel: { id: 'sms' } }, ['By SMS through the smtp']],
  [{ type: 'HELD', ts: 1, until: 9, error_message: 'Held by the server' }, ['Angehalten', 'At the latest at 9']],
  [{ type: 'FILTERED', ts: 1, channel: { id: '' }, reason: 'FILTERED', error_message: 'As stored' }, ['The step']],
  [
    { type: 'UNDELIVERABLE', ts: 1, ...via, error_message: '550', reason: 'PROVIDER_ERROR', suppressed: 'hard_bounce' },
    ['By email through the smtp', '550', 'The address is suppressed: the cause hard_bounce'],
  ],
  [
    {
      ...{ type: 'UNROUTABLE', ts: 1, channel: { id: '' }, reason: 'INCOMPLETE_PROFILE_DATA' },
      error_message: 'No usable address: email (S) needs `email` in the profile',
    },
    ['The recipient has no usable address'],
  ],
  [
    { type: 'CLICKED', ts: 1, ...via, url: 'https://x.example', automated: true },
    ['By email through the smtp', 'Link https://x.example', 'By a program, not by a person'],
  ],
  [
    { type: 'UNDELIVERABLE', ts: 1, channel: { id: '' }, error_message: 'Opted out', reason: 'UNSUBSCRIBED' },
    ['Meaning of UNSUBSCRIBED'],
  ],
  [
    { type: 'UNDELIVERABLE', ts: 1, ...via, error_message: '552 full', reasonCode: 'HARD' },
    ['By email through the smtp', '552 full', 'A permanent bounce'],
  ],
  [
    {
      ...{ type: 'PROFILE_LOADED', ts: 1, received_profile: {}, stored_profile: {} },
      merged_profile: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, n])),
    },
    ['Profile with k0, k1, k2, k3, k4, k5, k6, k7 …'],
  ],
  [
    {
      ...{ type: 'PROFILE_LOADED', ts: 1, received_profile: {}, stored_profile: {} },
      merged_profile: { name: '•••', '•••': '•••', email: '•••', '•••2': '•••' },
    },
    ['Profile with name, email, 2 masked'],
  ],
])('%o', (event, facts) => {
  expect(eventFacts(event, eventTexts.en, format)).toEqual(facts)
})

test('the end of one delivery is not that of a message that another one delivers', () => {
  const end: HistoryEvent = { type: 'UNDELIVERABLE', ts: 1, ...via, error_message: '500', reason: 'PROVIDER_ERROR' }
  const by = (id: string): HistoryEvent => ({
    type: 'SENT',
    ts: 2,
    ...via,
    integration: { id, provider: 'x' },
    reference: {},
  })
  expect(eventLook(end, [end])).toEqual({ title: 'UNDELIVERABLE', tone: 'bad' })
  // Given up after the other one had accepted it, and failed before.
  for (const events of [
    [by('J'), end],
    [end, by('J')],
  ])
    expect(eventLook(end, events)).toEqual({ title: 'notHere', tone: 'warn', also: 'elsewhere' })
  // A bounce of what was sent.
  expect(eventLook(end, [by('I'), end]).title).toBe('UNDELIVERABLE')
})

test('an integration that was held back until the address was suppressed is not called, and has not failed', () => {
  const waits: HistoryEvent = {
    type: 'DELIVERING',
    ts: 1,
    ...via,
    attempt: 1,
    error: 'Open',
    held_back: 'circuit_breaker',
  }
  const called: HistoryEvent = { type: 'DELIVERING', ts: 2, ...via, attempt: 1, error: '451 later' }
  const end: HistoryEvent = { type: 'UNDELIVERABLE', ts: 3, ...via, error_message: 'Suppressed', reason: 'SUPPRESSED' }
  expect(eventLook(end, [waits, end]).title).toBe('notCalled')
  expect(eventLook(end, [waits, called, end]).title).toBe('UNDELIVERABLE')
})

test('a wait without a call is no attempt; the row of an attempt names its integration by itself', () => {
  const attempt: HistoryEvent = { type: 'DELIVERING', ts: 1, ...via, attempt: 1, error: '450 busy', next_attempt_at: 6 }
  const withoutCall: HistoryEvent = { ...attempt, held_back: 'circuit_breaker' }
  expect([attempt, withoutCall].map((event) => eventLook(event, [attempt, withoutCall]).title)).toEqual([
    ...['DELIVERING', 'circuit_breaker'],
  ])
  expect(factsWithoutWay(attempt, eventTexts.en, format)).toEqual(['Attempt 1: 450 busy'])
})

test('an event that ends a decision has the words of its step; what ended otherwise has not', () => {
  const stop: DecisionStep = {
    step: 'route',
    outcome: 'stopped',
    code: 'opted_out',
    params: {},
    summary: '',
    facts: {},
  }
  const explained = (decision: MessageExplanation['decision']) => ({ decision, steps: [stop] })
  const optedOut = explained({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', error: 'Opted out' })
  const end: HistoryEvent = { type: 'UNDELIVERABLE', ts: 1, channel: { id: '' }, reason: 'UNSUBSCRIBED' }
  expect(stopOf(end, optedOut)).toBe(stop)
  expect(stopOf({ ...end, ...via }, optedOut)).toBeUndefined()
  expect(stopOf({ ...end, reason: 'FAILED' }, optedOut)).toBeUndefined()
  const decidedWith = (error: string) => explained({ status: 'HELD', reason: 'PROVIDER_ERROR', error })
  const hold: HistoryEvent = { type: 'HELD', ts: 1, until: 9, reason: 'PROVIDER_ERROR', error_message: 'Switched off' }
  expect(stopOf(hold, decidedWith('Switched off'))).toBe(stop)
  // Held after an attempt, and decided anew.
  expect(stopOf(hold, decidedWith('535 denied'))).toBeUndefined()
})
