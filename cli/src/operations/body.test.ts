/** Bodies of calls from `field=value` arguments. */
import { expect, test } from 'vitest'
import { assignable, bodyOf } from './body.ts'
import { operations } from './generated.ts'

const bodyFor = (id: keyof typeof operations, parts: Partial<Parameters<typeof bodyOf>[0]>) => {
  const { body = {} } = operations[id] as { body?: Parameters<typeof bodyOf>[0]['fields'] }
  return bodyOf({ fields: body, named: {}, assigned: {}, ...parts })
}

test('values become what the contract says of their fields, and dots lead into objects', () => {
  expect(bodyFor('webhooks.update', { assigned: { enabled: 'false', types: ['message:updated'], url: '1' } })).toEqual({
    enabled: false,
    types: ['message:updated'],
    url: '1',
  })
  expect(bodyFor('tenants.put', { assigned: { name: 'Acme', 'properties.plan': 'gold' } })).toEqual({
    name: 'Acme',
    properties: { plan: 'gold' },
  })
})

test('a body that wraps one object is given by the fields of that object', () => {
  expect(bodyFor('preferences.putTopic', { assigned: { status: 'OPTED_IN', has_custom_routing: 'true' } })).toEqual({
    topic: { status: 'OPTED_IN', has_custom_routing: true },
  })
  expect(
    bodyFor('preferences.putTopic', {
      file: { topic: { status: 'OPTED_IN', has_custom_routing: true } },
      assigned: { status: 'OPTED_OUT' },
    }),
  ).toEqual({ topic: { status: 'OPTED_OUT', has_custom_routing: true } })
})

test('arguments take precedence over the file, and both over defaults; a field with one value is filled in', () => {
  expect(bodyFor('events.put', { named: { id: 'welcome' } })).toEqual({ id: 'welcome', type: 'notification' })
  expect(
    bodyFor('inbound.trackEvent', {
      named: { event: 'bought' },
      assigned: { userId: 'ada' },
      file: { messageId: 'm-1', userId: 'grace' },
      defaults: { messageId: 'random', properties: {} },
    }),
  ).toEqual({ event: 'bought', messageId: 'm-1', type: 'track', userId: 'ada', properties: {} })
  expect(Object.keys(assignable(operations['inbound.trackEvent'].body, ['event']))).toEqual([
    'messageId',
    'properties',
    'userId',
  ])
})

test.each([
  ['an unknown field', { nmae: 'Acme' }, /Unknown field `nmae`/],
  ['a member of a text', { 'name.first': 'Acme' }, /Unknown field `name\.first`/],
  ['an inherited name', { constructor: 'x' }, /Unknown field `constructor`/],
  ['text for an object', { properties: 'gold' }, /`properties` must be an object or a list/],
  ['an object and a member of it', { properties: 1, 'properties.plan': 'gold' }, /properties/],
])('%s is refused before the call', (_name, assigned, message) =>
  expect(() => bodyFor('tenants.put', { assigned })).toThrow(message),
)

test('text for a truth value is refused', () =>
  expect(() => bodyFor('webhooks.update', { assigned: { enabled: 'yes' } })).toThrow(/must be true or false/))
