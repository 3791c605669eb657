/** One job for many users: how fast they are taken in and sent to, and what a single send notices of it. */
import { Postrider } from '@postrider/client'
import type { Bench, Figures } from './measure.ts'
import type { LatencyAnswer, LatencyRequest } from './peers/peers.ts'
import { apiKey, events, withProduct } from './product.ts'

/** As many as one call takes. */
const USERS_A_CALL = 1_000
/** Two ingesting callers keep the server busy. */
const CALLERS = 2
const PER_SECOND = 20
/** Long enough for a p95 that means something. */
const SENDS = 200
const POLL_MS = 250

export function manyUsers(bench: Bench): Promise<Figures> {
  return withProduct(bench, async ({ port }) => {
    const client = new Postrider({ apiKey, baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 60_000 })
    const latency = (first: number) =>
      bench.peers.call<LatencyAnswer>('latency', {
        ...{ port, apiKey, event: events.webhook, perSecond: PER_SECOND, count: SENDS, first },
      } satisfies LatencyRequest)
    await latency(10_000_000)
    const idle = await latency(11_000_000)

    const { jobId } = await client.bulk.create({ message: { event: events.webhook, data: { carrier: 'Night Train' } } })
    const ingesting = performance.now()
    await ingest(client, jobId, bench.users)
    const ingested = performance.now()
    const before = await bench.peers.call<number>('received')
    await client.bulk.run(jobId)
    const busy = await latency(12_000_000)
    const sent = async () => (await bench.peers.call<number>('received')) - before - busy.received
    while ((await sent()) < bench.users) await pause(POLL_MS)
    while (!(await isRecorded(client, jobId))) await pause(POLL_MS)
    const ended = performance.now()
    return {
      users: bench.users,
      ingestPerSecond: (bench.users * 1_000) / (ingested - ingesting),
      perSecond: (bench.users * 1_000) / (ended - ingested),
      idleP95: idle.p95,
      busyP95: busy.p95,
    }
  })
}

async function ingest(client: Postrider, jobId: string, count: number): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < count) {
      const from = next
      next += USERS_A_CALL
      const users = Array.from({ length: Math.min(USERS_A_CALL, count - from) }, (_, n) => userOf(from + n))
      const { total } = await client.bulk.ingest(jobId, { users })
      if (total !== users.length) throw new Error(`${users.length} users were sent, ${total} taken`)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

const userOf = (n: number) => ({
  recipient: `bulk-${n}`,
  profile: { email: `ada.lovelace.${n}@example.com` },
  data: { n, order: `A-${n}`, total: '42.50 EUR', arrives: 'Tuesday, before noon' },
})

/** Made, and none of them before its end. */
async function isRecorded(client: Postrider, jobId: string): Promise<boolean> {
  const { status } = await client.requests.get(jobId)
  if (status !== 'COMPLETED') return false
  const { results } = await client.messages.list({ traceId: jobId, status: ['ENQUEUED', 'ROUTED'] })
  return results.length === 0
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
