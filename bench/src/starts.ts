/** Starting: the first time, again, and again with messages left by a killed process; and the memory of the first. */
import type { Bench, Figures } from './measure.ts'
import { memoryOf } from './process-figures.ts'
import { apiKey, events, setUp, startProduct } from './product.ts'
import type { LoadAnswer, LoadAsk } from './world/world.ts'

/** Lets what starting left behind settle; memory is read afterwards. */
const SETTLE_MS = 2_000
const LOAD_MS = 2_000

export async function starts(bench: Bench): Promise<Figures> {
  const place = await bench.places.empty()
  const first = await startProduct(place, bench.port)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const { now: memory, highest: memoryHighest } = memoryOf(first.pid)
  await first.stop()

  const again = await startProduct(place, bench.port)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const { now: memoryAgain } = memoryOf(again.pid)
  await setUp(again, bench.sinks)
  const ask: LoadAsk = {
    port: bench.port,
    apiKey,
    event: events.webhook,
    delayMs: 3_600_000,
    connections: 64,
    warmMs: 0,
    measureMs: LOAD_MS,
  }
  const { answered } = await bench.world.ask<LoadAnswer>('load', ask)
  await again.stop('SIGKILL')

  const recovered = await startProduct(place, bench.port)
  await recovered.stop()
  return {
    firstMs: first.readyMs,
    againMs: again.readyMs,
    recoveredMs: recovered.readyMs,
    messages: answered,
    memory,
    memoryHighest,
    memoryAgain,
  }
}
