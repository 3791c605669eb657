/** The body of a send that the form makes. */
import { expect, test } from 'vitest'
import { bodyOf, noContact, recipientOf, type SendForm } from './form.ts'

const form: SendForm = {
  event: ' welcome ',
  to: ' ada ',
  tenant: '',
  tags: '',
  options: {},
  contact: noContact,
  data: {},
}

test('a recipient is a user, an address or a number; a stored user wins', () => {
  expect(recipientOf('ada', false)).toEqual({ user_id: 'ada' })
  expect(recipientOf('ada@example.com', false)).toEqual({ email: 'ada@example.com' })
  expect(recipientOf('ada@example.com', true)).toEqual({ user_id: 'ada@example.com' })
  expect(recipientOf('+1 (202) 555-0143', false)).toEqual({ phone_number: '+1 (202) 555-0143' })
  expect(recipientOf('12025550143', false)).toEqual({ user_id: '12025550143' })
  // Half of an address that is being typed must not get the message.
  for (const half of ['ada@', 'ada@example', 'ada@example.', 'ada@example.c', 'ada@.com', 'ada@example..com'])
    expect(recipientOf(half, false)).toEqual({ user_id: half })
  for (const email of ['ada@mail.example.co.uk', 'ada@localhost', 'ä+b@bücher.example'])
    expect(recipientOf(email, false)).toEqual({ email })
})

test('only what is filled in is part of the send', () => {
  expect(bodyOf(form, true)).toEqual({ message: { to: { user_id: 'ada' }, template: 'welcome' } })
  const contact = { email: 'other@example.com', phone_number: ' ', locale: 'de' }
  const options: SendForm['options'] = {
    ...{ routing: { method: 'single', channels: ['sms'] }, topic: 'orders' },
    profile: { emial: 'ada@example.com' },
  }
  expect(bodyOf({ ...form, tenant: 'harbor', tags: 'order, ,eu ', options, contact, data: { n: 1 } }, true)).toEqual({
    message: {
      to: { user_id: 'ada', emial: 'ada@example.com', email: 'other@example.com', locale: 'de' },
      template: 'welcome',
      data: { n: 1 },
      context: { tenant_id: 'harbor' },
      ...{ routing: options.routing, preferences: { subscription_topic_id: 'orders' } },
      metadata: { tags: ['order', 'eu'] },
    },
  })
})

test('without a template or a recipient there is no send', () => {
  expect(bodyOf({ ...form, event: ' ' }, false)).toBeUndefined()
  expect(bodyOf({ ...form, to: '' }, false)).toBeUndefined()
})
