/** A lease is renewed in time, and given up before somebody else may take it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../base/log.ts'
import { createLeases, type Held, type LeasesOptions } from './lease.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LEASE_MS = 45_000

function keeper(renew: LeasesOptions['renew'] = async (held) => new Set(held.map(({ id }) => id))) {
  const asked: string[][] = []
  const lost: { id: string; at: number }[] = []
  const start = Date.now()
  const leases = createLeases({
    leaseMs: LEASE_MS,
    now: Date.now,
    log: createLog('silent'),
    renew: (held, until) => {
      asked.push(held.map(({ id }) => id))
      return renew(held, until)
    },
  })
  const hold = (id: string) => {
    const one: Held = {
      id,
      lease: 'L',
      until: Date.now() + LEASE_MS,
      lost: () => void lost.push({ id, at: Date.now() - start }),
    }
    leases.hold(one)
    return one
  }
  return { asked, lost, leases, hold }
}

test('a lease is renewed after a third of its time, and again', async () => {
  const { asked, lost, leases, hold } = keeper()
  const one = hold('m')
  await vi.advanceTimersByTimeAsync(14_999)
  expect(asked).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(asked).toEqual([['m']])
  expect(one.until).toBe(Date.now() + LEASE_MS)
  await vi.advanceTimersByTimeAsync(300_000)
  expect(lost).toEqual([])
  leases.stop()
})

test('what was dropped is neither renewed nor lost', async () => {
  const { asked, lost, leases, hold } = keeper()
  hold('m')
  leases.drop({ id: 'm', lease: 'L' })
  await vi.advanceTimersByTimeAsync(100_000)
  expect([asked, lost, leases.size]).toEqual([[], [], 0])
  leases.stop()
})

test('whoever drops an earlier lease leaves the later one of the same id alone', async () => {
  const { leases, hold } = keeper()
  hold('m')
  leases.drop({ id: 'm', lease: 'earlier' })
  expect(leases.size).toBe(1)
  leases.stop()
})

test('a lease that belongs to somebody else by now is given up at once, once', async () => {
  const { lost, leases, hold } = keeper(async () => new Set(['kept']))
  hold('kept')
  hold('gone')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lost).toEqual([{ id: 'gone', at: 15_000 }])
  expect(leases.size).toBe(1)
  leases.stop()
})

test.each<[string, LeasesOptions['renew']]>([
  ['is refused', () => Promise.reject(new Error('no database'))],
  ['never answers', () => new Promise(() => {})],
])('when renewing %s the lease is given up five seconds before it ends', async (_how, renew) => {
  const { lost, leases, hold } = keeper(renew)
  hold('m')
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(lost).toEqual([{ id: 'm', at: 40_000 }])
  expect(leases.size).toBe(0)
  leases.stop()
})

test('a renewal that answers late does not bring back what was given up', async () => {
  let answer = (_renewed: ReadonlySet<string>) => {}
  const { lost, leases, hold } = keeper(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  hold('m')
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  answer(new Set(['m']))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(lost).toHaveLength(1)
  expect(leases.size).toBe(0)
  leases.stop()
})
