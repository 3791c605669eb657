/** The next attempt of a message is that of the delivery whose turn it is, and its context is what its row does not say. */
import { expect, test } from 'vitest'
import type { StoredDelivery } from '../delivery.ts'
import { contextOf, deliveryRecords, hasContext } from './message-reply.ts'

const delivery = (n: number, channel: 'email' | 'sms', rest: Partial<StoredDelivery> = {}): StoredDelivery => ({
  ...{ n, channel, provider: `p${n}`, integration: `i${n}`, state: 'waiting', attempts: 1, firstAt: 0 },
  ...{ log: [], nextAt: 100 + n, ...rest },
})
const nextOf = (...deliveries: StoredDelivery[]) =>
  deliveryRecords('m', deliveries).map(({ next_attempt_at: at }) => at)

test.each<[string, StoredDelivery[], (number | undefined)[]]>([
  ['alone', [delivery(0, 'email')], [100]],
  ['the next integration', [delivery(0, 'email', { failedOver: 'provider' }), delivery(1, 'email')], [undefined, 101]],
  [
    'a started one',
    [delivery(0, 'email', { failedOver: 'provider' }), delivery(1, 'email', { state: 'started' })],
    [undefined, 101],
  ],
  ['the next channel', [delivery(0, 'email', { failedOver: 'channel' }), delivery(1, 'sms')], [undefined, 101]],
  [
    'the integration again, as the next one has failed',
    [delivery(0, 'email', { failedOver: 'provider' }), delivery(1, 'email', { state: 'failed', nextAt: undefined })],
    [100, undefined],
  ],
  ['a channel beside it', [delivery(0, 'email', { failedOver: 'provider' }), delivery(1, 'sms')], [100, 101]],
])('%s', (_turn, deliveries, expected) => expect(nextOf(...deliveries)).toEqual(expected))

test('only a message that waits for a time or a repair has an end of that', () => {
  const row = (status: string, recipient = 'ada') => ({ status, recipient })
  const due = { id: 'm', due_at: 100, input: null, events: null, paused: null, paused_by: null }
  const states = ['DELAYED', 'HELD', 'ROUTED', 'ENQUEUED'].map((status) => contextOf(row(status), due))
  expect(states).toEqual([{ until: 100 }, { until: 100 }, {}, {}])
  // A node works on it.
  expect(contextOf(row('DELAYED'), { ...due, due_at: null })).toEqual({})
  // Its request is paused: its time says nothing of when it goes on.
  expect(contextOf(row('DELAYED'), { ...due, paused: 50, paused_by: 'key/backend' })).toEqual({
    ...{ paused: 50, pausedBy: 'key/backend' },
  })
  expect(['DELAYED', 'HELD', 'CANCELED', 'ROUTED', 'SENT'].filter((status) => hasContext(row(status)))).toEqual([
    ...['DELAYED', 'HELD', 'CANCELED', 'ROUTED'],
  ])
})

test('the address of a recipient without a user is that of the send', () => {
  const row = { status: 'SENT', recipient: 'anon_1' }
  expect(hasContext(row)).toBe(true)
  const none = { id: 'm', due_at: null, events: null, paused: null, paused_by: null }
  const addressOf = (profile: unknown) => contextOf(row, { ...none, input: JSON.stringify({ profile }) })
  expect(addressOf({ phone_number: '+4915112345678', email: 'ada@example.com' })).toEqual({
    address: 'ada@example.com',
  })
  expect(addressOf({ phone_number: '+4915112345678' })).toEqual({ address: '+4915112345678' })
  expect(addressOf({ slack: { channel: 'C1' } })).toEqual({})
  expect(addressOf({ email: ['ada@example.com'] })).toEqual({})
  expect(addressOf(undefined)).toEqual({})
})
