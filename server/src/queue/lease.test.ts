/** A lease is renewed in time, and given up before another worker may take it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../base/log.ts'
import { createLeases, type LeasesOptions, WorkerLease } from './lease.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LEASE_MS = 45_000

type Renew = LeasesOptions<WorkerLease>['renew']

function keeper(renew: Renew = async (leases) => new Set(leases.map(({ id }) => id))) {
  const renewals: string[][] = []
  const ranOut: { id: string; at: number }[] = []
  const start = Date.now()
  const leases = createLeases({
    leaseMs: LEASE_MS,
    now: Date.now,
    log: createLog('silent'),
    renew: (leases, until) => {
      renewals.push(leases.map(({ id }) => id))
      return renew(leases, until)
    },
    onExpired: ({ id }) => void ranOut.push({ id, at: Date.now() - start }),
  })
  const hold = (id: string) => {
    const lease = new WorkerLease({ id, lease: 'L' }, Date.now() + LEASE_MS)
    leases.add(lease)
    return lease
  }
  return { renewals, ranOut, leases, hold }
}

test('a lease is renewed after a third of its time, and again', async () => {
  const { renewals, leases, hold } = keeper()
  const lease = hold('m')
  await vi.advanceTimersByTimeAsync(14_999)
  expect(renewals).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(renewals).toEqual([['m']])
  expect(lease.until).toBe(Date.now() + LEASE_MS)
  await vi.advanceTimersByTimeAsync(300_000)
  expect(lease.isLost).toBe(false)
  leases.stop()
})

test('a dropped lease is neither renewed nor lost', async () => {
  const { renewals, ranOut, leases, hold } = keeper()
  const lease = hold('m')
  expect(leases.find('m')).toBe(lease)
  expect(leases.drop(lease)).toBe(true)
  await vi.advanceTimersByTimeAsync(100_000)
  expect([renewals, ranOut, lease.isLost, leases.find('m'), leases.size]).toEqual([[], [], false, undefined, 0])
  leases.stop()
})

test('a row leased again was lost before, and dropping the first lease leaves the later one alone', async () => {
  const { renewals, leases, hold } = keeper()
  const [earlier, later] = [hold('m'), hold('m')]
  expect([earlier.isLost, later.isLost]).toEqual([true, false])
  expect(leases.drop(earlier)).toBe(false)
  expect(leases.all()).toEqual([later])
  await vi.advanceTimersByTimeAsync(15_000)
  expect(renewals).toEqual([['m']])
  leases.stop()
})

test('a lease that belongs to another worker by now is lost at once, and not renewed again', async () => {
  const { renewals, ranOut, leases, hold } = keeper(async () => new Set(['kept']))
  const [kept, gone] = [hold('kept'), hold('gone')]
  await vi.advanceTimersByTimeAsync(15_000)
  expect([kept.isLost, gone.isLost]).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(45_000)
  expect(renewals).toEqual([['kept', 'gone'], ['kept'], ['kept'], ['kept']])
  expect(ranOut).toEqual([])
  leases.stop()
})

test.each<[string, Renew]>([
  ['is refused', () => Promise.reject(new Error('no database'))],
  ['never answers', () => new Promise(() => {})],
])('when renewing %s the lease is given up once, five seconds before it ends', async (_how, renew) => {
  const { ranOut, leases, hold } = keeper(renew)
  const lease = hold('m')
  await vi.advanceTimersByTimeAsync(39_999)
  expect(lease.isLost).toBe(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lease.isLost).toBe(true)
  expect(ranOut).toEqual([{ id: 'm', at: 40_000 }])
  leases.stop()
})

test('a lease is lost at its end, before a timer has run', () => {
  const lease = new WorkerLease({ id: 'm', lease: 'L' }, 1_000)
  expect([lease.isValid(999), lease.isLost]).toEqual([true, false])
  lease.renew(2_000)
  expect([lease.isValid(1_999), lease.isValid(2_000), lease.isLost]).toEqual([true, false, true])
})

test('a lease that its worker gave up is not renewed, and still reported when it runs out', async () => {
  const { renewals, ranOut, leases, hold } = keeper()
  const lease = hold('m')
  lease.lose()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([renewals, ranOut]).toEqual([[], [{ id: 'm', at: 40_000 }]])
  leases.stop()
})

test('a renewal that answers late does not bring back what was given up', async () => {
  let answer = (_renewed: ReadonlySet<string>) => {}
  const { ranOut, leases, hold } = keeper(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  const lease = hold('m')
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  answer(new Set(['m']))
  await vi.advanceTimersByTimeAsync(10_000)
  expect([lease.isLost, ranOut.length]).toEqual([true, 1])
  leases.stop()
})
