/** Starting: the first time, again, and again with messages left by a killed process; time, CPU and memory. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench, Figures } from './measure.ts'
import type { LoadAnswer, LoadRequest } from './peers/peers.ts'
import { groupMemory } from './processes.ts'
import { apiKey, events, setUp, startProduct } from './product.ts'

/** Lets what starting left behind settle; memory is read afterwards. */
const SETTLE_MS = 2_000
const LOAD_MS = 2_000

export async function starts(bench: Bench): Promise<Figures> {
  const place = await bench.databases.empty()
  const first = await startProduct(place, bench.port)
  await pause(SETTLE_MS)
  const memory = groupMemory(first.processes)
  await first.stop()

  const again = await startProduct(place, bench.port)
  await pause(SETTLE_MS)
  const memoryAgain = groupMemory(again.processes)
  await setUp(again, bench.sinks)
  const request: LoadRequest = {
    port: bench.port,
    apiKey,
    event: events.webhook,
    delayMs: 3_600_000,
    connections: 64,
    warmMs: 0,
    measureMs: LOAD_MS,
  }
  const { answered } = await bench.peers.call<LoadAnswer>('load', request)
  await again.stop('SIGKILL')

  const recovered = await startProduct(place, bench.port)
  await recovered.stop()
  return {
    firstMs: first.readyMs,
    firstCpuMs: first.readyCpuMs,
    againMs: again.readyMs,
    againCpuMs: again.readyCpuMs,
    recoveredMs: recovered.readyMs,
    messages: answered,
    memory,
    memoryAgain,
  }
}
