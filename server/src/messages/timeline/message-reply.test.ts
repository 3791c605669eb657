/** The next attempt of a message is that of the delivery whose turn it is, not of one that has failed over. */
import { expect, test } from 'vitest'
import type { StoredDelivery } from '../delivery.ts'
import { deliveryRecords } from './message-reply.ts'

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
