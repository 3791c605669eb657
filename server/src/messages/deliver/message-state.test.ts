/** A message that ends leaves no delivery waiting. */
import { expect, test } from 'vitest'
import type { StoredDelivery } from '../delivery.ts'
import type { LeasedMessage } from '../leased-message.ts'
import { canceledState } from './message-state.ts'

const now = 1_000_000
const delivery = (n: number, state: StoredDelivery['state']): StoredDelivery => ({
  ...{ n, state, channel: 'email', provider: 'smtp', integration: `I${n}`, attempts: 1, firstAt: now, log: [] },
})
const jobWith = (...deliveries: StoredDelivery[]) => ({ deliveries, events: [] }) as unknown as LeasedMessage

test('canceled between two channels, the one that was sent counts and the other one is told of', () => {
  const leased = jobWith(delivery(0, 'sent'), delivery(1, 'waiting'))
  expect(canceledState(leased, now)).toMatchObject({ status: 'SENT', dueAt: null, keepLease: false })
  expect(leased.deliveries.map(({ state }) => state)).toEqual(['sent', 'failed'])
  expect(leased.events).toMatchObject([
    { type: 'UNDELIVERABLE', n: 1, error_message: expect.stringContaining('Canceled') },
  ])
})

test('canceled before anything was sent, it is canceled', () => {
  const leased = jobWith(delivery(0, 'waiting'))
  expect(canceledState(leased, now)).toMatchObject({ status: 'CANCELED', canceledAt: now })
  expect(leased.events).toMatchObject([{ type: 'CANCELED' }])
})
