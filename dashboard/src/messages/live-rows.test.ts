/** The live tail keeps its order, moves nothing that is read, spreads what arrives, and is bounded. */
import type { Message } from '@postrider/client'
import { expect, test } from 'vitest'
import {
  countOfFrame,
  hasUnfinished,
  liveRowsMax,
  newestOf,
  noLiveRows,
  showPending,
  started,
  startedAbove,
  withArrived,
  withFrame,
  withUpdates,
} from './live-rows.ts'

const message = (n: number, status = 'ENQUEUED') =>
  ({ id: `1-${String(n).padStart(8, '0')}`, status, recipient: 'ada' }) as Message
/** From `first` up to `last`, as the API lists them after a message. */
const later = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => message(first + index))
const numbers = (messages: readonly Message[]) => messages.map(({ id }) => Number(id.slice(2)))

test('new messages come on top, in order, a few a frame', () => {
  let live = withArrived(started([message(2), message(1)]), later(3, 6))
  expect(newestOf(live)).toBe(message(6).id)
  live = withFrame(live, 3, false)
  expect(numbers(live.rows)).toEqual([5, 4, 3, 2, 1])
  expect(numbers(live.arriving)).toEqual([6])
  live = withFrame(live, 3, false)
  expect(numbers(live.rows)).toEqual([6, 5, 4, 3, 2, 1])
  expect(withFrame(live, 3, false)).toBe(live)
})

test('while a row is read, new ones wait in order until they are shown', () => {
  let live = withFrame(withArrived(started([message(2), message(1)]), later(3, 4)), 9, true)
  live = withFrame(withArrived(live, later(5, 5)), 9, true)
  expect(numbers(live.rows)).toEqual([2, 1])
  expect(numbers(live.pending)).toEqual([5, 4, 3])
  expect(newestOf(live)).toBe(message(5).id)
  expect(numbers(showPending(live).rows)).toEqual([5, 4, 3, 2, 1])
})

test('a start again moves no row that is read, and takes their place when it is shown', () => {
  const live = startedAbove(started([message(2), message(1)]), [message(9), message(8)])
  expect(numbers(live.rows)).toEqual([2, 1])
  expect(newestOf(live)).toBe(message(9).id)
  const more = withFrame(withArrived(live, later(10, 10)), 9, true)
  expect(numbers(more.pending)).toEqual([10, 9, 8])
  const shown = showPending(more)
  expect(numbers(shown.rows)).toEqual([10, 9, 8])
  expect(numbers(withFrame(withArrived(shown, later(11, 11)), 9, false).rows)).toEqual([11, 10, 9, 8])
})

test('the first message is shown whether or not the page is scrolled', () => {
  expect(numbers(withFrame(withArrived(noLiveRows, later(1, 1)), 1, true).rows)).toEqual([1])
  expect(newestOf(noLiveRows)).toBeUndefined()
})

test('the oldest rows leave, on the screen and on their way', () => {
  const live = withFrame(withArrived(started(later(1, liveRowsMax).reverse()), later(1_001, 1_010)), 10, false)
  expect(live.rows).toHaveLength(liveRowsMax)
  expect(live.rows.at(-1)).toEqual(message(11))
  const flooded = withArrived(live, later(2_000, 4_000))
  expect(flooded.arriving).toHaveLength(liveRowsMax)
  expect(newestOf(flooded)).toBe(message(4_000).id)
})

test('rows that are known are updated, and stay the same where nothing has changed', () => {
  const live = withFrame(withArrived(started([message(1)]), later(2, 2)), 1, true)
  expect(hasUnfinished(live, 1)).toBe(true)
  const updated = withUpdates(live, [message(3), message(2, 'SENT'), message(1, 'DELIVERED')])
  expect([updated.rows, updated.pending].map(([row]) => row?.status)).toEqual(['DELIVERED', 'SENT'])
  expect(hasUnfinished(updated, 1)).toBe(false)
  expect(withUpdates(updated, [message(2, 'SENT')]).rows).toBe(updated.rows)
})

test('frames share what arrives until the next is read', () => {
  expect(countOfFrame(100, 500, 16)).toBe(4)
  expect(countOfFrame(3, 500, 16)).toBe(1)
  expect(countOfFrame(100, 10, 16)).toBe(100)
  expect(countOfFrame(0, 500, 16)).toBe(0)
})
