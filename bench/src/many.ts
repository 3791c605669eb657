/** Jobs for many users: how fast they are taken in and sent to beside single sends, and what a single send notices of them. */
import { Postrider } from '@postrider/client'
import type { Bench, Figures } from './measure.ts'
import { httpLoad, loadOn, timing } from './measures.ts'
import type { LatencyAnswer, LatencyRequest } from './peers/peers.ts'
import { apiKey, events, type Product, withProduct } from './product.ts'

/** As many as one call takes. */
const USERS_A_CALL = 1_000
/** Two ingesting callers keep the server busy. */
const CALLERS = 2
const PER_SECOND = 20
/** Long enough for a p99 that means something. */
const SENDS = 400
const POLL_MS = 50
/** A provider across a continent. */
const SLOW_MS = 100

/** One run, so that ratios compare the same minutes. Each job is for `users` of the options. */
export function manyUsers(bench: Bench): Promise<Figures> {
  return withProduct(bench, async (product) => {
    const { port } = product
    const client = new Postrider({ apiKey, baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 60_000 })
    const latency = (first: number) =>
      bench.peers.call<LatencyAnswer>('latency', {
        ...{ port, apiKey, event: events.webhook, perSecond: PER_SECOND, count: SENDS, first },
      } satisfies LatencyRequest)
    const before = await singles(bench, product)
    const job = await ingestedJob(client, bench.users)
    const alone = await finished(bench, client, job.id)
    const after = await singles(bench, product)
    const slow = await ingestedJob(client, bench.users)
    const mails = await ingestedJob(client, bench.users, events.batch)
    await bench.peers.call('answerAfter', SLOW_MS)
    const slowly = await finished(bench, client, slow.id)
    const batched = await finished(bench, client, mails.id)
    await bench.peers.call('answerAfter', 0)
    const idle = await latency(11_000_000)
    const beside = await ingestedJob(client, bench.users)
    await client.bulk.run(beside.id)
    const busy = await latency(12_000_000)
    const single = (before + after) / 2
    return {
      users: bench.users,
      ingestPerSecond: job.perSecond,
      singlePerSecond: single,
      perSecond: alone,
      ofSingle: (100 * alone) / single,
      slowPerSecond: slowly,
      batchedPerSecond: batched,
      batchedOfDirect: (100 * batched) / alone,
      idleP95: idle.p95,
      busyP95: busy.p95,
      idleP99: idle.p99,
      busyP99: busy.p99,
    }
  })
}

async function singles(bench: Bench, product: Product): Promise<number> {
  const { received, seconds } = await loadOn(bench, product, httpLoad, timing(bench))
  return received / seconds
}

async function ingestedJob(
  client: Postrider,
  users: number,
  event: string = events.webhook,
): Promise<{ id: string; perSecond: number }> {
  const { jobId } = await client.bulk.create({ message: { event, data: { carrier: 'Night Train' } } })
  const from = performance.now()
  await ingest(client, jobId, users)
  return { id: jobId, perSecond: (users * 1_000) / (performance.now() - from) }
}

/** Messages a second, from the run of the job until its last one is recorded. */
async function finished({ peers, users }: Bench, client: Postrider, jobId: string): Promise<number> {
  const before = await peers.call<number>('received')
  const from = performance.now()
  await client.bulk.run(jobId)
  while ((await peers.call<number>('received')) - before < users) await pause(POLL_MS)
  while (!(await isRecorded(client, jobId))) await pause(POLL_MS)
  return (users * 1_000) / (performance.now() - from)
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
