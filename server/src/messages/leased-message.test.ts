/** No provider is called for a message that is canceled, whose request is stopped, or whose lease has ended. */
import { expect, test } from 'vitest'
import type { LiveMessage } from '../database/tables/messages/live-messages.ts'
import type { StoredDelivery } from './delivery.ts'
import { MessageLease } from './leased-message.ts'

const row = {
  id: 'm',
  lease: 'l',
  cancel_requested: false,
  cancel_source: null,
  status: 'ENQUEUED',
  stalls: null,
  flushes: 2,
}
const leaseOf = (fields: Partial<LiveMessage> = {}) =>
  new MessageLease({ ...row, ...fields } as LiveMessage, { until: 1_000, signal: new AbortController().signal })

test('a call may start until the lease ends, and not after it has ended once', () => {
  const lease = leaseOf()
  expect([lease.mayCall(999), lease.isLost]).toEqual([true, false])
  expect([lease.mayCall(1_000), lease.isLost]).toEqual([false, true])
  lease.renew(5_000)
  expect(lease.mayCall(1_001)).toBe(false)
})

test('a call may not start when the message is canceled here, or was when it was claimed', () => {
  const lease = leaseOf()
  lease.cancel({ source: 'key/backend' })
  lease.cancel({ source: 'erasure' })
  expect([lease.mayCall(1), lease.isLost, lease.cancellation]).toEqual([false, false, { source: 'key/backend' }])
  const requested = leaseOf({ cancel_requested: true, cancel_source: 'key/other' })
  expect([requested.mayCall(1), requested.cancellation]).toEqual([false, { source: 'key/other' }])
})

test('a call may not start while the request is paused; after a cancellation it cannot go on', () => {
  const lease = leaseOf()
  lease.stopWithRequest({ stopped: 'paused', by: 'key/backend' })
  expect([lease.mayCall(1), lease.isPaused, lease.cancellation]).toEqual([false, true, undefined])
  lease.stopWithRequest({})
  expect([lease.mayCall(1), lease.isPaused]).toEqual([true, false])
  lease.stopWithRequest({ stopped: 'canceled', by: 'key/backend' })
  lease.stopWithRequest({})
  expect([lease.mayCall(1), lease.isPaused, lease.cancellation]).toEqual([false, false, { source: 'key/backend' }])
})

test('the message is being called until its last call has ended', () => {
  const lease = leaseOf()
  const callAt = (startedAt: number) => ({ delivery: {} as StoredDelivery, startedAt })
  const [first, second] = [callAt(1), callAt(2)]
  lease.startCall(first)
  lease.startCall(second)
  lease.endCall(first)
  expect([lease.isCalling, lease.calls]).toEqual([true, [second]])
  lease.endCall(second)
  expect(lease.isCalling).toBe(false)
})

test('each write counts, and leaves its status', () => {
  const lease = leaseOf()
  lease.countWrite('ROUTED')
  lease.countWrite('SENT')
  expect([lease.flushes, lease.status]).toEqual([4, 'SENT'])
})
