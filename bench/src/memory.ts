/** Memory of all processes, the database's included, and the CPU of a product that has nothing to do. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench, Figures } from './measure.ts'
import { httpLoad, loadOn, timing } from './measures.ts'
import { groupCpuMicroseconds, groupMemory, type MemoryWatch, watchMemory } from './processes.ts'
import { startProduct, withProduct } from './product.ts'

const SETTLE_MS = 10_000
/** After the first start V8 gives memory back and every task runs once; what follows is what goes on for days. */
const IDLE_AFTER_MS = 60_000
const STARTING_EVERY_MS = 100
const LOADED_EVERY_MS = 1_000

export async function memoryAndIdle(bench: Bench): Promise<Figures> {
  return { ...(await afterFirstStart(bench)), ...(await underLoad(bench)) }
}

async function afterFirstStart(bench: Bench): Promise<Figures> {
  const place = await bench.databases.empty()
  let starting: MemoryWatch | undefined
  const product = await startProduct(place, bench.port, {
    spawned(processes) {
      starting = watchMemory(processes, STARTING_EVERY_MS)
    },
  })
  try {
    const startingHighest = starting?.stop() ?? Number.NaN
    await pause(SETTLE_MS)
    const memory = groupMemory(product.processes)
    await pause(IDLE_AFTER_MS - SETTLE_MS)
    const before = groupCpuMicroseconds(product.processes)
    await pause(bench.idle * 1_000)
    const idleCpu = groupCpuMicroseconds(product.processes) - before
    return { startingHighest, memory, idlePercent: idleCpu / (bench.idle * 10_000) }
  } finally {
    await product.stop()
  }
}

function underLoad(bench: Bench): Promise<Figures> {
  return withProduct(bench, async (product) => {
    const watch = watchMemory(product.processes, LOADED_EVERY_MS)
    const { received, seconds } = await loadOn(bench, product, httpLoad, timing(bench))
    const memoryLoaded = groupMemory(product.processes)
    return { perSecond: received / seconds, memoryLoaded, memoryHighest: watch.stop() }
  })
}
