/** The form that a message was sent with. */
import type { DecisionStep, HistoryEvent, MessageExplanation } from '@postrider/client'
import { expect, test } from 'vitest'
import { optionsOf, storedSend } from './stored-send.ts'

const step = (name: DecisionStep['step'], changes: Partial<DecisionStep>): DecisionStep => ({
  ...{ step: name, outcome: 'passed', code: 'profile_of_send', params: {}, summary: '', facts: {} },
  ...changes,
})
const explanation = (steps: DecisionStep[], delayedUntil?: number): Pick<MessageExplanation, 'decision' | 'steps'> => ({
  steps,
  decision: { status: 'ROUTED', ...(delayedUntil !== undefined && { delayed_until: delayedUntil }) },
})
const accepted: HistoryEvent = {
  ...{ type: 'ENQUEUED', ts: 1, event: 'order-shipped', recipient: 'ada' },
  ...{ data: { id: 'A-1' }, profile: { email: 'other@example.com', locale: 'de' }, override: {} },
}

test('a send is filled in with its tenant and its tags', () => {
  const steps = [
    step('profile', {
      notes: [{ code: 'tenant_merged', params: { tenant_id: 'harbor' }, text: '' }],
    }),
  ]
  const facts = { message: { tags: ['order', 'eu'] }, history: [accepted], explanation: explanation(steps) }
  const form = {
    ...{ event: 'order-shipped', to: 'ada', tenant: 'harbor', tags: 'order, eu', options: {}, data: { id: 'A-1' } },
    contact: { email: 'other@example.com', phone_number: '', locale: 'de' },
  }
  expect(storedSend(facts, 'sent')).toEqual({ form, leftOut: [], fieldsLeftOut: [] })
  const contact = { email: '', phone_number: '', locale: '' }
  expect(storedSend(facts, 'stored').form).toEqual({ ...form, contact })
})

test('an address without a user is the recipient', () => {
  const history = [{ ...accepted, recipient: 'anon_1', profile: { email: 'lin@example.com' } }]
  const { form } = storedSend({ message: {}, history, explanation: explanation([]) }, 'sent')
  expect([form.to, form.contact.email]).toEqual(['lin@example.com', ''])
})

test('parts without a place in the form are named', () => {
  const history = [{ ...accepted, override: { email: { subject: 'Other' } } }]
  const steps = [step('map', { code: 'content_inline' })]
  expect(storedSend({ message: {}, history, explanation: explanation(steps, 5) }, 'sent').leftOut).toEqual([
    ...['content', 'delay', 'overrides'],
  ])
})

test('values of the profile without a field go along, also misspelled ones; those that cannot are named', () => {
  const profile = { emial: 'ada@example.com', slack: { channel: 'C1' }, firebaseToken: '********', data: { a: 1 } }
  const history = [{ ...accepted, profile: { ...profile, email: 'other@example.com' } }]
  const facts = { message: {}, history, explanation: explanation([]) }
  const sent = storedSend(facts, 'sent')
  expect(sent.form.options).toEqual({ profile: { emial: 'ada@example.com', slack: { channel: 'C1' } } })
  expect(sent.fieldsLeftOut).toEqual(['firebaseToken', 'data'])
  // Only the stored addresses count.
  const withStoredContact = storedSend(facts, 'stored')
  expect(withStoredContact.form.options).toEqual({})
  expect(withStoredContact.fieldsLeftOut).toEqual(['emial', 'slack', 'firebaseToken', 'data'])
})

test('routing and topic are those without which it would be decided otherwise', () => {
  const routed = (channels: unknown[], more = {}) => step('route', { facts: { method: 'single', channels, ...more } })
  const about = (topic: string) => step('preferences', { facts: { topic_id: topic } })
  const sent = { steps: [about('orders'), routed(['sms'])] }
  expect(optionsOf(sent, sent)).toEqual({})
  expect(optionsOf(sent, { steps: [routed(['email', 'sms'])] })).toEqual({
    routing: { method: 'single', channels: ['sms'] },
    topic: 'orders',
  })
  expect(optionsOf({ steps: [routed(['email'], { default_channels: true })] }, { steps: [] })).toEqual({})
  expect(optionsOf({ steps: [] }, sent)).toEqual({})
})
