/** Candidates differ by the outcome of their deliveries; a decision of now is compared with the one of then. */
import type { Candidate, DeliveryRecord, MessageExplanation } from '@postrider/client'
import { expect, test } from 'vitest'
import { hasUser } from '../names/recipient-ids.ts'
import { candidateOutcome, changes, firstAddress, flat, isStopped, recipientOf, shownFirst } from './outcome.ts'

const candidate = (more: Partial<Candidate> = {}): Candidate => ({
  ...{ channel: 'email', provider: 'smtp', integration: 'I', selected: true, order: 0, ...more },
})
const delivery = (more: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  ...{ id: 'd', channel: 'email', provider: 'smtp', integration: 'I', status: 'SENT', attempts: [], attempts_total: 1 },
  ...more,
})

test.each([
  ['accepted', candidate(), [delivery({ attempts: [{ number: 1, started: 10, ended: 50 }] })], true],
  ['failed', candidate(), [delivery({ status: 'UNDELIVERABLE' })], true],
  ['failed', candidate(), [delivery({ status: 'UNDELIVERABLE', attempts_total: 0, reason: 'FAILED' })], true],
  [
    'notCalled',
    candidate(),
    [delivery({ status: 'UNDELIVERABLE', attempts_total: 0, reason: 'PROVIDER_ERROR' })],
    true,
  ],
  [
    ...(['notCalled', candidate()] as const),
    [delivery({ status: 'UNDELIVERABLE', attempts_total: 0, reason: 'SUPPRESSED' })],
    true,
  ],
  ['inDoubt', candidate(), [delivery({ status: 'UNDELIVERABLE', reason: 'IN_DOUBT' })], true],
  ['trying', candidate(), [delivery({ status: 'ROUTED' })], false],
  // The other half of an `all` has the message.
  ['trying', candidate(), [delivery({ status: 'ROUTED', attempts_total: 0, next_attempt_at: 9 })], true],
  ['notNeeded', candidate(), [delivery({ status: 'ROUTED', attempts_total: 0 })], true],
  ['notNeeded', candidate(), [delivery({ integration: 'other' })], true],
  ['next', candidate(), [], false],
  ['skipped', candidate({ selected: false, reason: 'SANDBOX' }), [], true],
] as const)('%s', (kind, input, deliveries, isFinal) => {
  expect(candidateOutcome(input, [...deliveries], isFinal).kind).toBe(kind)
})

test('after a cancellation nothing is tried again', () => {
  expect(candidateOutcome(candidate(), [delivery({ status: 'ROUTED' })], true, true).kind).toBe('failed')
})

test('the time of a delivery is that of all its attempts', () => {
  const attempts = [
    { number: 1, started: 10, ended: 20 },
    { number: 2, started: 100, ended: 150 },
  ]
  expect(candidateOutcome(candidate(), [delivery({ attempts })], true)).toMatchObject({ tookMs: 140 })
})

test('the content of the delivery that was accepted is shown first, else of the last one that was tried', () => {
  const rendered = ['I', 'J', 'K'].map((integration) => ({ channel: 'email' as const, integration }))
  const failed = delivery({ status: 'UNDELIVERABLE' })
  expect(shownFirst(rendered, [failed, delivery({ integration: 'J' })])).toBe(1)
  expect(shownFirst(rendered, [delivery(), delivery({ integration: 'J', status: 'UNDELIVERABLE' })])).toBe(0)
  expect(shownFirst(rendered, [failed, delivery({ integration: 'J', status: 'UNDELIVERABLE' })])).toBe(1)
  expect(shownFirst(rendered, [delivery({ status: 'ROUTED', attempts_total: 0 })])).toBe(0)
  expect(shownFirst(rendered, [failed, delivery({ integration: 'J', status: 'ROUTED', attempts_total: 0 })])).toBe(0)
})

const explanation = (more: Partial<MessageExplanation> = {}): MessageExplanation => ({
  message: { id: 'm', status: 'SENT' },
  decision: { status: 'ROUTED' },
  notification: { id: 'N', version: 'v1' },
  steps: [],
  candidates: [candidate({ title: 'Relay' })],
  rendered: [],
  profile: { email: 'ada@example.com', address: { city: 'London' } },
  deliveries: [],
  ...more,
})

test('a resend goes to the address of its first channel, as far as the reader may see it', () => {
  const rendered = ['sms', 'email'].map((channel) => ({ channel }) as MessageExplanation['rendered'][number])
  const profile = { email: 'ada@example.com', phone_number: '+44' }
  expect(firstAddress({ rendered, profile })).toBe('+44')
  expect(firstAddress({ rendered: rendered.slice(1), profile })).toBe('ada@example.com')
  expect(firstAddress({ rendered, profile: { phone_number: '•••' } })).toBeUndefined()
  expect(firstAddress({ rendered: [], profile })).toBeUndefined()
})

test('a recipient without a user is its address, and a user has it beside the id', () => {
  const rendered = [{ channel: 'email' } as MessageExplanation['rendered'][number]]
  const replies = { rendered, profile: { email: 'ada@example.com' } }
  expect(recipientOf({ recipient: 'ada' }, replies)).toBe('ada (ada@example.com)')
  expect(recipientOf({ recipient: 'anon_1', address: 'ada@example.com' }, replies)).toBe('ada@example.com')
  expect(recipientOf({ recipient: 'ada' }, { rendered: [], profile: {} })).toBe('ada')
  expect(recipientOf({ recipient: 'anon_1', address: '•••' }, { rendered: [], profile: {} })).toBe('•••')
  expect([hasUser('ada'), hasUser('anon_1'), hasUser('•••')]).toEqual([true, false, false])
})

test('a resend that is suppressed does not reach its recipient; one that is held can', () => {
  expect(isStopped(explanation({ decision: { status: 'UNDELIVERABLE', reason: 'SUPPRESSED' } }))).toBe(true)
  expect(isStopped(explanation({ decision: { status: 'HELD' } }))).toBe(false)
  expect(isStopped(explanation())).toBe(false)
})

test('nothing changed is no change', () => {
  expect(changes(explanation(), explanation())).toEqual([])
})

test('the result, the version, candidates and the profile are compared', () => {
  const now = explanation({
    decision: { status: 'UNDELIVERABLE', reason: 'SUPPRESSED' },
    notification: { id: 'N', version: 'v2' },
    candidates: [candidate({ title: 'Relay', selected: false, reason: 'SUPPRESSED' })],
    profile: { email: 'ada@example.com', address: { city: 'Paris' } },
  })
  expect(changes(explanation(), now)).toEqual([
    { what: 'decision', of: '', before: 'ROUTED', after: 'UNDELIVERABLE SUPPRESSED' },
    { what: 'template', of: '', before: 'v1', after: 'v2' },
    { what: 'candidate', of: 'email · Relay', before: '1', after: 'SUPPRESSED' },
    { what: 'profile', of: 'address.city', before: 'London', after: 'Paris' },
  ])
})

test('values are named by their paths', () => {
  expect([...flat({ a: { b: [1, { c: null }] }, d: 'x', e: {} })]).toEqual([
    ...[
      ['a.b.0', '1'],
      ['a.b.1.c', 'null'],
      ['d', 'x'],
      ['e', '{}'],
    ],
  ])
})
