/** Every lane has its share of a claim, unused shares spill, and no claim takes more than there is room for. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { claimFairly, type LaneShares, laneShares } from './lane-shares.ts'

/** A table with this much in each lane. */
function table(waiting: readonly number[]) {
  const left = [...waiting]
  const requested: number[] = []
  return {
    requested,
    claim: async (shares: LaneShares) => {
      requested.push(shares.reduce<number>((sum, share) => sum + share, 0))
      return shares.flatMap((share, lane) => {
        const taken = Math.min(share, left[lane] ?? 0)
        left[lane] = (left[lane] ?? 0) - taken
        return Array.from({ length: taken }, () => ({ lane }))
      })
    },
  }
}
const byLane = (rows: readonly { lane: number }[]) =>
  [0, 1, 2].map((lane) => rows.filter((row) => row.lane === lane).length)
const counts = fc.integer({ min: 3, max: 500 })

test('shares are 70, 20 and 10 percent, sum up, and leave none without', () => {
  expect(laneShares(200)).toEqual([140, 40, 20])
  fc.assert(
    fc.property(counts, (count) => {
      const shares = laneShares(count)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(count)
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(1)
    }),
  )
})

test('full lanes get exactly their shares', async () => {
  expect(byLane(await claimFairly(200, 200, table([1_000, 1_000, 1_000]).claim))).toEqual([140, 40, 20])
})

test('a lane that is alone gets everything', async () => {
  for (const lane of [0, 1, 2]) {
    const waiting = [0, 0, 0]
    waiting[lane] = 1_000
    expect(await claimFairly(200, 200, table(waiting).claim)).toHaveLength(200)
  }
})

test('a million bulk messages leave room for what is urgent', async () => {
  expect(byLane(await claimFairly(200, 200, table([50, 0, 1_000_000]).claim))[0]).toBe(50)
})

test('never more than requested, in two statements at most, and none without work', async () => {
  const lane = fc.integer({ min: 0, max: 600 })
  await fc.assert(
    fc.asyncProperty(counts, fc.tuple(lane, lane, lane), async (count, waiting) => {
      const { requested, claim } = table(waiting)
      const rows = await claimFairly(count, count, claim)
      expect(rows.length).toBeLessThanOrEqual(count)
      expect(requested.length).toBeLessThanOrEqual(2)
      expect(rows.length).toBeGreaterThanOrEqual(Math.min(1, waiting[0] + waiting[1] + waiting[2]))
    }),
  )
})

test('a bulk lane without room gives nothing, and the others get its share', async () => {
  expect(byLane(await claimFairly(200, 0, table([1_000, 1_000, 1_000]).claim))).toEqual([150, 50, 0])
  expect(byLane(await claimFairly(200, 5, table([1_000, 0, 1_000]).claim))).toEqual([195, 0, 5])
  expect(byLane(await claimFairly(200, 128, table([0, 0, 1_000]).claim))).toEqual([0, 0, 128])
})
