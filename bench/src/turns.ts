/** HTTP in short turns: limit and product are up at once, so that a slow minute of the machine meets both. */
import type { Bench, Figures, Side } from './measure.ts'
import { httpLoad, loadOn, type Server, withServer } from './measures.ts'

const TURNS = 30
const TURN_MS = 2_000
/** What the other one left on the cores and in the caches is gone by then. */
const SETTLE_MS = 400

/** Tells of each turn as it ends. */
export async function httpInTurns(bench: Bench, tell: (side: Side, figures: Figures) => void): Promise<void> {
  await withServer(bench, 'limit', httpLoad, (limit) =>
    withServer(bench, 'product', httpLoad, (product) => takeTurns(bench, { limit, product }, tell)),
  )
}

async function takeTurns(
  bench: Bench,
  servers: Record<Side, Server>,
  tell: (side: Side, figures: Figures) => void,
): Promise<void> {
  const sides = ['limit', 'product'] as const
  for (const side of sides) await loadOn(bench, servers[side], httpLoad, { warmMs: 0, measureMs: bench.warm * 1_000 })
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const side of turn % 2 === 0 ? sides : [...sides].reverse()) {
      const times = { warmMs: SETTLE_MS, measureMs: TURN_MS }
      const { received, seconds, cpu } = await loadOn(bench, servers[side], httpLoad, times)
      tell(side, { perSecond: received / seconds, cpu })
    }
}
