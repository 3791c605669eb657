/** A message that ends leaves no delivery waiting. */
import { expect, test } from 'vitest'
import type { StoredDelivery } from '../delivery.ts'
import { canceledSettlement } from './settlement.ts'

const now = 1_000_000
const byKey = { source: 'key/backend' }
const delivery = (n: number, state: StoredDelivery['state']): StoredDelivery => ({
  ...{ n, state, channel: 'email', provider: 'smtp', integration: `I${n}`, attempts: 1, firstAt: now, log: [] },
})

test('canceled between two channels, the one that was sent counts and the other one is reported', () => {
  const { state, deliveries, events } = canceledSettlement([delivery(0, 'sent'), delivery(1, 'waiting')], byKey, now)
  expect(state).toMatchObject({ status: 'SENT', dueAt: null, keepLease: false })
  expect(deliveries.map(({ state }) => state)).toEqual(['sent', 'failed'])
  expect(events).toMatchObject([
    { type: 'UNDELIVERABLE', n: 1, error_message: 'Canceled by key/backend when another channel had been sent' },
  ])
})

test('canceled before anything was sent, it is canceled, and by whom', () => {
  const { state, events } = canceledSettlement([delivery(0, 'waiting')], byKey, now)
  expect(state).toMatchObject({ status: 'CANCELED', canceledAt: now })
  expect(events).toEqual([{ type: 'CANCELED', ts: now, source: 'key/backend' }])
  // A node of an older version recorded no source.
  const unknown = canceledSettlement([delivery(0, 'waiting')], { source: undefined }, now)
  expect(unknown.events).toEqual([{ type: 'CANCELED', ts: now }])
})
