/** HTTP in short turns: all servers are up at once, so that a slow minute of the machine affects each of them. */
import type { Bench, Benches, Figures, Side } from './measure.ts'
import { httpLoad, loadOn, type Server, withServer } from './measures.ts'

const TURNS = 30
const TURN_MS = 2_000
/** What the other one left on the cores and in the caches is gone by then. */
const SETTLE_MS = 400

/** Hands over the figures of each turn as it ends. */
export async function httpInTurns(benches: Benches, keep: (side: Side, figures: Figures) => void): Promise<void> {
  const sides = (['limit', 'product', 'other'] as const).filter((side) => benches[side])
  const open = async (servers: [Side, Server][], rest: readonly Side[]): Promise<void> => {
    const [side, ...after] = rest
    const bench = side && benches[side]
    if (!bench) return takeTurns(benches.product, servers, keep)
    await withServer(bench, side, httpLoad, (server) => open([...servers, [side, server]], after))
  }
  await open([], sides)
}

async function takeTurns(
  bench: Bench,
  servers: readonly [Side, Server][],
  keep: (side: Side, figures: Figures) => void,
): Promise<void> {
  const times = { warmMs: 0, measureMs: bench.warm * 1_000 }
  for (const [, server] of servers) await loadOn(bench, server, httpLoad, times)
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [side, server] of turn % 2 === 0 ? servers : [...servers].reverse()) {
      const times = { warmMs: SETTLE_MS, measureMs: TURN_MS }
      const { received, seconds, cpu, cpuAll } = await loadOn(bench, server, httpLoad, times)
      keep(side, { perSecond: received / seconds, cpu, cpuAll })
    }
}
