/** What one claim takes from each lane: 70, 20 and 10 %, and what a lane leaves unused the others get. */

export type LaneShares = readonly [transactional: number, automation: number, bulk: number]

export function laneShares(count: number): LaneShares {
  const bulk = Math.max(1, Math.floor(count * 0.1))
  const automation = Math.max(1, Math.floor(count * 0.2))
  return [Math.max(1, count - bulk - automation), automation, bulk]
}

/** Claims by share; lanes that gave all they were asked for are asked once more for what is left. */
export async function claimFairly<Row extends { lane: number }>(
  count: number,
  claim: (shares: LaneShares) => Promise<Row[]>,
): Promise<Row[]> {
  const shares = laneShares(count)
  const first = await claim(shares)
  const left = count - first.length
  const taken = [0, 1, 2].map((lane) => first.filter((row) => row.lane === lane).length)
  const hungry = [0, 1, 2].filter((lane) => taken[lane] === shares[lane as 0 | 1 | 2])
  if (left <= 0 || hungry.length === 0 || hungry.length === 3) return first
  // An odd one goes to the more urgent lane.
  const more = (lane: number) => (hungry.includes(lane) ? Math.ceil((left - hungry.indexOf(lane)) / hungry.length) : 0)
  return [...first, ...(await claim([more(0), more(1), more(2)]))]
}
