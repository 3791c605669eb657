/** What the pools promise: one an origin, the least recently used goes first, and none stays for nothing. */
import { Pool } from 'undici'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { originPools } from './origin-pools.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const origin = (number: number) => `http://host${number}.example`

test('an origin keeps its pool until it was idle for a minute', async () => {
  const pools = originPools((name) => new Pool(name))
  const first = pools.get(origin(1))
  vi.advanceTimersByTime(50_000)
  expect(pools.get(origin(1))).toBe(first)
  vi.advanceTimersByTime(50_000)
  expect(pools.get(origin(1))).toBe(first)
  vi.advanceTimersByTime(80_000)
  expect(first.closed).toBe(true)
  expect(pools.get(origin(1))).not.toBe(first)
  await pools.close()
})

test('beyond a thousand origins the one unused for longest is closed', async () => {
  const pools = originPools((name) => new Pool(name))
  const opened: Pool[] = []
  for (let number = 0; number < 1_000; number += 1) {
    opened.push(pools.get(origin(number)))
    vi.advanceTimersByTime(1)
  }
  pools.get(origin(0))
  vi.advanceTimersByTime(1)
  pools.get(origin(1_000))
  expect(opened.map(({ closed }) => closed).indexOf(true)).toBe(1)
  expect(opened.filter(({ closed }) => closed)).toHaveLength(1)
  await pools.close()
})

test('closing closes them all', async () => {
  const pools = originPools((name) => new Pool(name))
  const opened = [pools.get(origin(1)), pools.get(origin(2))]
  await pools.close()
  expect(opened.every(({ destroyed }) => destroyed)).toBe(true)
})
