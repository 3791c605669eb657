/** A steady load on a database with many messages: how long accepting and delivering take, second by second. */
import type { Bench, Figures } from './measure.ts'
import type { SteadyAnswer, SteadyRequest } from './peers/peers.ts'
import { groupCpuMicroseconds, watchMemory } from './processes.ts'
import { apiKey, events, type Product, startProduct } from './product.ts'
import { quantile } from './statistics.ts'
import { bytesOnDisk, storeMessages } from './stored-messages.ts'

/** The comparison: as much load on a database that has hardly anything stored. */
export const FEW_STORED = 10_000
/** At 200 a second and 5 s without an answer a thousand calls are open; more than that would be another test. */
const CONNECTIONS = 64
/** Reading the memory of a large process takes milliseconds in which it cannot map any. */
const MEMORY_EVERY_MS = 15_000

export interface SteadyRun {
  figures: Figures
  perSecond: number
  accepts: Float64Array
  receipts: Float64Array
}

export async function steadyLoad(bench: Bench, storedCount: number): Promise<SteadyRun> {
  const place = await bench.databases.copy()
  const bytesStored = await storeMessages(bench, place, storedCount)
  const bytesBefore = await bytesOnDisk(place)
  const product = await startProduct(place, bench.port, bench)
  const warmCount = Math.ceil(bench.warm * bench.perSecond)
  const count = Math.ceil(bench.minutes * 60 * bench.perSecond)
  let measured: Omit<SteadyRun, 'perSecond'>
  try {
    await load(bench, product, 0, warmCount)
    measured = await underWatch(bench, product, warmCount, count)
  } finally {
    await product.stop()
  }
  const bytesSent = ((await bytesOnDisk(place)) - bytesBefore) / (warmCount + count)
  await bench.databases.remove(place)
  const figures = { stored: storedCount, readyMs: product.readyMs, ...measured.figures, bytesStored, bytesSent }
  return { ...measured, perSecond: bench.perSecond, figures }
}

async function underWatch(bench: Bench, product: Product, first: number, count: number) {
  const memory = watchMemory(product.processes, MEMORY_EVERY_MS)
  const cpuBefore = groupCpuMicroseconds(product.processes)
  const { accepts, receipts, refused } = await load(bench, product, first, count)
  const cpuAll = (groupCpuMicroseconds(product.processes) - cpuBefore) / count
  const figures = {
    ...latencies('accept', accepts),
    ...latencies('receipt', receipts),
    refused,
    missing: receipts.filter(Number.isNaN).length - refused,
    cpuAll,
    memory: memory.stop(),
  }
  return { figures, accepts, receipts }
}

function load(bench: Bench, { port }: Product, first: number, count: number): Promise<SteadyAnswer> {
  const { perSecond } = bench
  const request: SteadyRequest = {
    port,
    apiKey,
    event: events.webhook,
    connections: CONNECTIONS,
    perSecond,
    count,
    first,
  }
  return bench.peers.call<SteadyAnswer>('steady', request)
}

function latencies(name: string, values: Float64Array): Figures {
  const measured = [...values].filter((value) => !Number.isNaN(value))
  return {
    [`${name}P50`]: quantile(measured, 0.5),
    [`${name}P99`]: quantile(measured, 0.99),
    [`${name}P999`]: quantile(measured, 0.999),
    [`${name}Max`]: quantile(measured, 1),
  }
}
