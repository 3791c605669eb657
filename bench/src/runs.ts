/** Automations: how fast runs are started and stepped through, and what a hundred thousand that wait cost. */
import { timedId } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import { runQueue, runsInsert } from '@postrider/server/internal/database/tables/automations/live-runs'
import { openStorage, type Place } from './databases.ts'
import type { Bench, Figures } from './measure.ts'
import type { LoadAnswer, LoadRequest } from './peers/peers.ts'
import { groupCpuMicroseconds, groupMemory } from './processes.ts'
import { apiKey, startProduct } from './product.ts'
import { quantile } from './statistics.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 86_400_000
const CONNECTIONS = 64
const STEPS = 50
const ROWS_A_STATEMENT = 5_000
const CLAIMS = 300
const SETTLE_MS = 2_000
/** Seldom: a list takes time from the steps. */
const POLL_MS = 1_000

const data = { name: 'Ada', order: 'A-1', total: '42.50 EUR' }
const waits = { automation: { steps: [{ action: 'delay', duration: '1 hour' }] }, recipient: 'user', data }
/** Each is one commit and nothing else. */
const passes = Array.from({ length: STEPS }, () => ({ action: 'delay', until: '2020-01-01T00:00:00Z' }))
const walks = { automation: { steps: passes }, recipient: 'user', data }

export async function automationRuns(bench: Bench): Promise<Figures> {
  const rates = await moving(bench)
  const empty = await costOf(bench, 0)
  const waiting = await costOf(bench, bench.waiting)
  return {
    ...rates,
    waiting: bench.waiting,
    memoryEmpty: empty.memory,
    memoryWaiting: waiting.memory,
    claimEmptyP50: empty.claim,
    claimWaitingP50: waiting.claim,
  }
}

async function moving(bench: Bench): Promise<Figures> {
  const product = await startProduct(await bench.databases.copy(), bench.port, bench)
  try {
    const load = (body: unknown, warmMs: number, measureMs: number) =>
      bench.peers.call<LoadAnswer>('load', {
        ...{ port: product.port, apiKey, event: '', connections: CONNECTIONS, warmMs, measureMs },
        call: { path: '/automations/invoke', body },
      } satisfies LoadRequest)
    const started = await load(waits, bench.warm * 1_000, bench.seconds * 1_000)
    await walked(product.port, (await load(walks, 0, 1_000)).requests)
    const cpu = groupCpuMicroseconds(product.processes)
    const begin = performance.now()
    const { requests } = await load(walks, 0, 1_000)
    await walked(product.port, requests)
    const steps = requests * STEPS
    return {
      startedPerSecond: started.answered / started.seconds,
      stepsPerSecond: (steps * 1_000) / (performance.now() - begin),
      stepCpu: (groupCpuMicroseconds(product.processes) - cpu) / steps,
    }
  } finally {
    await product.stop()
  }
}

/** No run is in progress any more. */
async function walked(port: number, requests: number): Promise<void> {
  if (requests === 0) throw new Error('No run was started')
  for (;;) {
    const reply = await fetch(`http://127.0.0.1:${port}/automations/runs?limit=1&status=PROCESSING`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { runs } = (await reply.json()) as { runs: unknown[] }
    if (runs.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** CPU of a product that only waits, and of claims on its table. */
async function costOf(bench: Bench, count: number): Promise<{ memory: number; claim: number }> {
  const place = await bench.databases.copy()
  const claim = await withStorage(place, async (engine) => {
    for (let from = 0; from < count; from += ROWS_A_STATEMENT)
      await seed(engine, Math.min(ROWS_A_STATEMENT, count - from), Date.now() + YEAR_MS)
    await engine.run({ text: 'analyze runs' })
    await seed(engine, 1, Date.now())
    return claimTime(engine)
  })
  const product = await startProduct(place, bench.port)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const memory = groupMemory(product.processes)
  await product.stop()
  return { memory, claim }
}

async function withStorage<T>(place: Place, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openStorage(place)
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

async function seed(engine: Engine, rows: number, due: number): Promise<void> {
  const now = Date.now()
  const { automation, ...context } = waits
  const runs = Array.from({ length: rows }, () => {
    const id = timedId(now)
    return {
      ...{ id, workspace_id: 1, mode: 'live', lane: 1, due_at: due, lease: null, cancelation_token: null },
      ...{ template_id: null, source: ['api'], depth: 0, root: id, parent_id: null, created: now },
      ...{ automation: JSON.stringify(automation), start: JSON.stringify({ context }) },
    }
  })
  await engine.run(runsInsert(runs))
}

/** Microseconds, of the one run that is due. */
async function claimTime(engine: Engine): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < CLAIMS; n += 1) {
    const now = Date.now()
    const begin = performance.now()
    const claimed = await runQueue.claim(engine, {
      ...{ now, until: now + HOUR_MS, lease: `L${n}`, limits: [128, 128], bytesMax: 16_777_216 },
      ...{ exceptRoots: [], rootMax: 64, shares: [], share: [128, 128] },
    })
    times.push((performance.now() - begin) * 1_000)
    if (claimed.length !== 1) throw new Error(`${claimed.length} runs were claimed`)
    await runQueue.release(engine, claimed, now)
  }
  return quantile(times, 0.5)
}
