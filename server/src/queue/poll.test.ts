/**
 * A worker sleeps until its next poll, wakes on a notification, survives failures, and stops when its poll has ended.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../base/log.ts'
import { startWorker } from './poll.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const log = createLog('silent')
const worker = (poll: () => Promise<number>) => startWorker({ name: 'test', poll, log })

test('it polls at once, and again after the time the poll named', async () => {
  let polls = 0
  const running = worker(async () => {
    polls += 1
    return 1_000
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(polls).toBe(1)
  await vi.advanceTimersByTimeAsync(999)
  expect(polls).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(polls).toBe(2)
  await running.stop()
})

test('a worker that begins later polls after that time, or when it is woken, and stops at once', async () => {
  let polls = 0
  const later = () =>
    startWorker({
      ...{ name: 'test', log, firstMs: 10_000 },
      poll: async () => {
        polls += 1
        return 60_000
      },
    })
  const running = later()
  await vi.advanceTimersByTimeAsync(9_999)
  expect(polls).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(polls).toBe(1)
  const woken = later()
  woken.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(polls).toBe(2)
  const stopped = later()
  await Promise.all([running, woken, stopped].map((worker) => worker.stop()))
  expect(polls).toBe(2)
})

test('a wake-up ends the sleep; one that comes during a poll is not lost', async () => {
  let polls = 0
  let during = () => {}
  const running = worker(async () => {
    polls += 1
    during()
    return 60_000
  })
  await vi.advanceTimersByTimeAsync(0)
  running.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(polls).toBe(2)
  during = () => {
    during = () => {}
    running.wake()
  }
  running.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(polls).toBe(4)
  await running.stop()
})

test('after failures it polls again, with growing pauses of at most 7.5 s, and then as before', async () => {
  let failing = true
  const at: number[] = []
  const running = worker(async () => {
    at.push(Date.now())
    if (failing) throw new Error('no database')
    return 1_000
  })
  await vi.advanceTimersByTimeAsync(60_000)
  const gaps = at.slice(1).map((time, n) => time - (at[n] ?? 0))
  expect(gaps[0]).toBeLessThanOrEqual(150)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(7_500)
  expect(Math.max(...gaps)).toBeGreaterThan(2_000)
  failing = false
  await vi.advanceTimersByTimeAsync(8_000)
  const polls = at.length
  await vi.advanceTimersByTimeAsync(1_000)
  expect(at.length).toBe(polls + 1)
  await running.stop()
})

test('stopping waits for the poll that runs, ends a sleep, and no poll follows', async () => {
  let polls = 0
  let finish = () => {}
  const running = worker(() => {
    polls += 1
    return new Promise((resolve) => {
      finish = () => resolve(0)
    })
  })
  let stopped = false
  const stopping = running.stop().then(() => {
    stopped = true
  })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(stopped).toBe(false)
  finish()
  await stopping
  await vi.advanceTimersByTimeAsync(60_000)
  expect(polls).toBe(1)

  const sleeping = worker(async () => 3_600_000)
  await vi.advanceTimersByTimeAsync(0)
  await sleeping.stop()
})
