/** Suspected poison messages start last, in smaller and smaller groups, and wait only briefly for other messages. */
import { expect, test, vi } from 'vitest'
import { messageQueue } from '../database/tables/messages/live-messages.ts'
import { type LeasedMessage, leasedMessage } from './leased-message.ts'
import { createSuspectedMessages } from './poison-messages.ts'

const CLAIMS_SUSPECTED = messageQueue.poison.suspectedAfter + 1

function suspectedMessage(claims: number): LeasedMessage {
  const message = {
    ...{
      id: '1',
      workspace_id: 1,
      lane: 0,
      lease: 'l',
      claims,
      cancel_requested: false,
      cancel_source: null,
      status: 'ENQUEUED',
      event: 'e',
    },
    ...{
      recipient: 'r',
      notification_id: null,
      mode: 'live',
      request_id: null,
      list_id: null,
      enqueued: 0,
      first_due: 0,
      sent: null,
      delivered: null,
    },
    ...{ input: '{}', pinned: null, deliveries: null, flushes: 0, stalls: null, stalled_in: null },
  }
  return leasedMessage({ message }, { until: Number.POSITIVE_INFINITY, signal: new AbortController().signal })
}

function suspectedWith(...claims: number[]) {
  const clock = { now: 1_000 }
  const suspected = createSuspectedMessages(
    () => clock.now,
    () => {},
  )
  for (const count of claims) suspected.add(suspectedMessage(count))
  return { clock, suspected, next: (idle: boolean) => suspected.next(idle).map(({ message }) => message.claims) }
}

test('a message with more crashes comes later and in a smaller group', () => {
  const [first, second, third] = [CLAIMS_SUSPECTED, CLAIMS_SUSPECTED + 1, CLAIMS_SUSPECTED + 2]
  const { next } = suspectedWith(third, third, ...Array(7).fill(second), ...Array(60).fill(first))
  const groups = Array.from({ length: 7 }, () => next(true))
  expect(groups.map((group) => [group[0], group.length])).toEqual([
    ...[
      [first, 50],
      [first, 10],
    ],
    ...[
      [second, 5],
      [second, 2],
    ],
    ...[
      [third, 1],
      [third, 1],
    ],
    [undefined, 0],
  ])
})

test('while others are in flight suspected poison waits, but not for long', () => {
  const { clock, next } = suspectedWith(CLAIMS_SUSPECTED, CLAIMS_SUSPECTED + 1)
  expect(next(false)).toEqual([])
  clock.now += 250
  expect(next(false)).toEqual([CLAIMS_SUSPECTED])
  expect(next(false)).toEqual([])
  clock.now += 250
  expect(next(false)).toEqual([CLAIMS_SUSPECTED + 1])
})

test('they are requested again, also when a timer was early by the clock', () => {
  vi.useFakeTimers()
  try {
    const clock = { now: 1_000 }
    const groups: number[] = []
    const suspected = createSuspectedMessages(
      () => clock.now,
      () => void groups.push(suspected.next(false).length),
    )
    suspected.add(suspectedMessage(CLAIMS_SUSPECTED))
    clock.now += 249
    vi.advanceTimersByTime(250)
    expect(groups).toEqual([0])
    clock.now += 1
    vi.advanceTimersByTime(1)
    expect(groups).toEqual([0, 1])
  } finally {
    vi.useRealTimers()
  }
})

test('messages that were not started can be given back', () => {
  const { suspected } = suspectedWith(CLAIMS_SUSPECTED, CLAIMS_SUSPECTED)
  expect(suspected.rest()).toHaveLength(2)
  expect(suspected.size).toBe(0)
})
