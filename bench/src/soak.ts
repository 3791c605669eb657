/**
 * Full load for minutes: whether the rate stays, while tables are vacuumed and analyzed at random times, and while a
 * session holds a snapshot for a minute, as `pg_dump` does. Not on a local database, which has no other sessions.
 */
import pg from 'pg'
import type { Place } from './databases.ts'
import type { Bench, Figures } from './measure.ts'
import { httpLoad, loadOn } from './measures.ts'
import { groupCpuMicroseconds } from './processes.ts'
import { setUp, startProduct } from './product.ts'

const MINUTE_MS = 60_000
/** A plan that went wrong costs more than this; a checkpoint does not. */
const SLICE_MS = 10_000
const SLICES_A_MINUTE = MINUTE_MS / SLICE_MS
const MAINTENANCE_PAUSE_MS = 1_000

export async function soak(bench: Bench): Promise<Figures> {
  const place = await bench.databases.copy()
  const product = await startProduct(place, bench.port, bench)
  try {
    await setUp(product, bench.sinks)
    const slices = Math.max(2, Math.round(bench.minutes)) * SLICES_A_MINUTE
    const times = { warmMs: bench.warm * 1_000, measureMs: slices * SLICE_MS + 1_000 }
    const load = loadOn(bench, product, httpLoad, times)
    await pause(times.warmMs)
    const done = new AbortController()
    const maintained = maintain(place, done.signal)
    const rates: number[] = []
    const cpuBefore = groupCpuMicroseconds(product.processes)
    const snapshotFrom = Math.floor(slices / SLICES_A_MINUTE / 2) * SLICES_A_MINUTE
    let release = async () => {}
    for (let slice = 0; slice < slices; slice += 1) {
      if (slice === snapshotFrom) release = await holdSnapshot(place)
      if (slice === snapshotFrom + SLICES_A_MINUTE) await release()
      rates.push(await bench.peers.call<number>('count', { warmMs: 0, measureMs: SLICE_MS }))
    }
    const cpuAll = (groupCpuMicroseconds(product.processes) - cpuBefore) / rates.reduce((sum, rate) => sum + rate, 0)
    done.abort()
    await Promise.all([load, maintained])
    const minute = (from: number) => rates.slice(from, from + SLICES_A_MINUTE).reduce((sum, rate) => sum + rate, 0) / 60
    const [first, last] = [minute(0), minute(slices - SLICES_A_MINUTE)]
    return {
      minutes: slices / SLICES_A_MINUTE,
      firstPerSecond: first,
      ...('url' in place.storage && { heldPerSecond: minute(snapshotFrom) }),
      lastPerSecond: last,
      slowestPerSecond: (Math.min(...rates) * 1_000) / SLICE_MS,
      lastOfFirst: (100 * last) / first,
      cpuAll,
    }
  } finally {
    await product.stop()
    await bench.databases.remove(place)
  }
}

/** VACUUM or ANALYZE of one table after the other, every second one of messages in progress. */
async function maintain({ storage }: Place, signal: AbortSignal): Promise<void> {
  if (!('url' in storage)) return
  const client = await connect(storage.url)
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  const any = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)]
  for (let turn = 0; !signal.aborted; turn += 1) {
    const table = turn % 2 === 0 ? 'messages_live' : any(rows)?.name
    await client.query(`${any(['analyze', 'analyze', 'vacuum', 'vacuum analyze'])} ${table}`)
    await pause(Math.random() * MAINTENANCE_PAUSE_MS)
  }
  await client.end()
}

/** Resolves with the end of the session. */
async function holdSnapshot({ storage }: Place): Promise<() => Promise<void>> {
  if (!('url' in storage)) return async () => {}
  const client = await connect(storage.url)
  await client.query('begin isolation level repeatable read')
  await client.query('select from messages limit 1')
  return () => client.end()
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
