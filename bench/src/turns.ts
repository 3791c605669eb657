/** Load in short turns: all servers are up at once, so that a slow minute of the machine affects each of them. */
import type { Bench, Benches, Figures, Side } from './measure.ts'
import { httpLoad, type Load, loadOn, type Server, withServer } from './measures.ts'

const TURNS = 30
const TURN_MS = 2_000
/** Traces of the other server on the cores and in the caches are gone by then. */
const SETTLE_MS = 400

/** Hands over the figures of each turn as it ends. */
export async function httpInTurns(benches: Benches, keep: (side: Side, figures: Figures) => void): Promise<void> {
  const sides = (['limit', 'product', 'other'] as const).filter((side) => benches[side])
  const open = async (servers: [Side, Server][], rest: readonly Side[]): Promise<void> => {
    const [side, ...after] = rest
    const bench = side && benches[side]
    if (!bench) return takeTurns({ bench: benches.product, servers, load: httpLoad, turns: TURNS, keep })
    await withServer(bench, side, httpLoad, (server) => open([...servers, [side, server]], after))
  }
  await open([], sides)
}

export interface Turns<Name> {
  bench: Bench
  servers: readonly (readonly [Name, Server])[]
  load: Load
  /** Turns of each server. */
  turns: number
  /** Takes the figures of a turn as it ends. */
  keep(name: Name, figures: Figures): void
}

/** Throughput of a turn: accepts where the load is due later, receipts of the providers otherwise. */
export async function takeTurns<Name>({ bench, servers, load, turns, keep }: Turns<Name>): Promise<void> {
  const times = { warmMs: 0, measureMs: bench.warm * 1_000 }
  for (const [, server] of servers) await loadOn(bench, server, load, times)
  for (let turn = 0; turn < turns; turn += 1)
    for (const [name, server] of turn % 2 === 0 ? servers : [...servers].reverse()) {
      const times = { warmMs: SETTLE_MS, measureMs: TURN_MS }
      const { received, answered, seconds, refused, cpu, cpuAll } = await loadOn(bench, server, load, times)
      const count = load.delayMs === undefined ? received : answered
      keep(name, { perSecond: count / seconds, refused, cpu, cpuAll })
    }
}
