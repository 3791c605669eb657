/** The shares of the lanes in a claim: 70, 20 and 10 %; other lanes use what a lane leaves unused. */
import { LANES } from '../database/tables/messages/lanes.ts'

export type LaneShares = readonly [transactional: number, automation: number, bulk: number]

export function laneShares(count: number): LaneShares {
  const bulk = Math.max(1, Math.floor(count * 0.1))
  const automation = Math.max(1, Math.floor(count * 0.2))
  return [Math.max(1, count - bulk - automation), automation, bulk]
}

/** Claims by share, from the bulk lane at most `bulkMax`; lanes whose share was filled are claimed again for the rest. */
export async function claimFairly<Row extends { lane: number }>(
  count: number,
  bulkMax: number,
  claim: (shares: LaneShares) => Promise<Row[]>,
): Promise<Row[]> {
  const bounds = [count, count, Math.max(0, bulkMax)] as const
  const [transactional, automation, bulk] = laneShares(count)
  const shares: LaneShares = [transactional, automation, Math.min(bulk, bounds[2])]
  const first = await claim(shares)
  const left = count - first.length
  const taken = LANES.map((lane) => first.filter((row) => row.lane === lane).length)
  const filled = LANES.filter((lane) => taken[lane] === shares[lane] && shares[lane] < bounds[lane])
  if (left <= 0 || filled.length === 0) return first
  // An odd one goes to the more urgent lane.
  const more = (lane: 0 | 1 | 2) => {
    const index = filled.indexOf(lane)
    if (index < 0) return 0
    return Math.min(Math.ceil((left - index) / filled.length), bounds[lane] - shares[lane])
  }
  return [...first, ...(await claim([more(0), more(1), more(2)]))]
}
