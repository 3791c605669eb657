/** Documents and choices become layers in their order; what cannot be read says nothing. */
import { expect, test } from 'vitest'
import { documentLayers, type TopicFacts, topicLayers } from './precedence.ts'

const about = { event: 'shipped', notification: 'N1', category: 'news' }
const out = { status: 'OPTED_OUT' }

test('the notification comes before its category, its id before the event', () => {
  const document = { notifications: { N1: { status: 'OPTED_IN' }, shipped: out }, categories: { news: out } }
  expect(documentLayers('recipient', document, about)).toEqual([
    { source: 'recipient', status: 'OPTED_IN' },
    { source: 'recipient', status: 'OPTED_OUT' },
  ])
  expect(documentLayers('list', { notifications: { shipped: out } }, about)).toEqual([
    { source: 'list', status: 'OPTED_OUT' },
  ])
})

test('other notifications, other categories and inherited names say nothing', () => {
  const document = { notifications: { N2: out }, categories: { sport: out } }
  expect(documentLayers('recipient', document, about)).toEqual([])
  const odd = { event: 'toString', notification: 'constructor', category: '__proto__' }
  expect(documentLayers('recipient', { notifications: {}, categories: {} }, odd)).toEqual([])
})

test.each([undefined, null, 'text', [], { notifications: [] }, { notifications: { N1: 'OPTED_OUT' } }])(
  '%j is no document',
  (document) => {
    expect(documentLayers('list', document, about)).toEqual([])
  },
)

test('snoozes are read in every spelling, and left out where they cannot be', () => {
  const rules = [
    { type: 'snooze', until: '1970-01-01T00:00:05Z' },
    { until: '6000', start: 2_000 },
    { type: 'snooze', until: 7_000, start: null },
    { type: 'snooze', until: 'soon' },
    { type: 'snooze', until: 8_000, start: 'soon' },
    { type: 'status', until: 9_000 },
    { type: 'snooze' },
    'snooze',
  ]
  expect(documentLayers('recipient', { notifications: { N1: { rules } } }, about)).toEqual([
    {
      source: 'recipient',
      snoozes: [{ until: 5_000 }, { start: 2_000, until: 6_000 }, { until: 7_000 }],
      endlessSnooze: true,
    },
  ])
})

test('channels are the named ones in their order; an empty list and an odd status say nothing', () => {
  const entry = { status: 'MAYBE', channel_preferences: [{ channel: 'sms' }, {}, 'push', { channel: 'email' }] }
  expect(documentLayers('send', { notifications: { N1: entry } }, about)).toEqual([
    { source: 'send', channels: ['sms', 'email'] },
  ])
  expect(documentLayers('send', { notifications: { N1: { channel_preferences: [] } } }, about)).toEqual([
    { source: 'send' },
  ])
})

test('choices come from the user in the tenant down to the topic', () => {
  const choice = (status: string, ...custom_routing: string[]) => ({
    status,
    has_custom_routing: custom_routing.length > 0,
    custom_routing,
  })
  const facts: TopicFacts = {
    in_tenant: choice('OPTED_IN', 'sms'),
    anywhere: { ...choice('OPTED_OUT'), custom_routing: ['email'] },
    tenants: [
      { tenant: 'acme', ...choice('REQUIRED') },
      { tenant: 'group', ...choice('OPTED_OUT', 'push') },
    ],
    topic: choice('OPTED_IN', 'email', 'push'),
  }
  expect(topicLayers(facts, 'acme')).toEqual([
    { source: 'recipient', status: 'OPTED_IN', channels: ['sms'], tenant: 'acme' },
    { source: 'recipient', status: 'OPTED_OUT' },
    { source: 'tenant', status: 'REQUIRED', tenant: 'acme' },
    { source: 'tenant', status: 'OPTED_OUT', channels: ['push'], tenant: 'group' },
    { source: 'topic', status: 'OPTED_IN', channels: ['email', 'push'] },
  ])
  expect(topicLayers({ in_tenant: null, anywhere: null, tenants: null, topic: null }, undefined)).toEqual([])
})
