/** Load on a server: as much as it takes over kept connections, or a fixed rate whatever it takes. */
import { quantile } from '../statistics.ts'
import { type HttpConnection, openConnection } from './http-connection.ts'

interface Target {
  port: number
  /** The bytes of the n-th request. */
  request(n: number): Buffer
}

export interface ClosedLoop extends Target {
  connections: number
  warmMs: number
  measureMs: number
  /** While false no further request is started. */
  hasRoom(): boolean
}

export interface ClosedLoopResult {
  answered: number
  refused: number
  seconds: number
  p50: number
  p99: number
}

/** Each connection sends the next request as soon as it has the reply. */
export async function closedLoop(loop: ClosedLoop): Promise<ClosedLoopResult> {
  const { request, connections, hasRoom } = loop
  const latencies: number[] = []
  let refused = 0
  let requests = 0
  const begin = performance.now()
  const from = begin + loop.warmMs
  const until = from + loop.measureMs
  const run = (connection: HttpConnection) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const sent = performance.now()
        if (sent >= until) return resolve()
        if (!hasRoom()) return void setTimeout(next, 1)
        connection.send(request((requests += 1)), (status) => {
          const now = performance.now()
          if (now >= from && now < until) {
            if (status < 300) latencies.push(now - sent)
            else refused += 1
          }
          if (status === 401 || status === 404) reject(new Error(`The server answered ${status}`))
          else next()
        })
      }
      next()
    })
  await over(loop.port, connections, (open) => Promise.all(open.map(run)))
  return {
    answered: latencies.length,
    refused,
    seconds: loop.measureMs / 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }
}

export interface OpenLoop extends Target {
  connections: number
  perSecond: number
  count: number
  /** Called just before the n-th request is sent, with the time at which it was planned to be sent. */
  sending(n: number, planned: number): void
  answered?(n: number, planned: number, status: number): void
}

/** After the last request was planned; a server that needs longer has lost it. */
const ANSWER_TIMEOUT_MS = 60_000

/**
 * Requests at times fixed in advance, however slowly the server answers: a request whose time has come while every
 * connection is busy waits for one, and its latency counts from the planned time.
 */
export async function openLoop({
  port,
  request,
  connections,
  perSecond,
  count,
  ...callbacks
}: OpenLoop): Promise<void> {
  await over(port, connections, async (open) => {
    const idle = [...open]
    const overdue: number[] = []
    const start = performance.now()
    const plannedAt = (n: number) => start + (n * 1_000) / perSecond
    let answers = 0
    const send = (connection: HttpConnection, n: number) => {
      callbacks.sending(n, plannedAt(n))
      connection.send(request(n), (status) => {
        callbacks.answered?.(n, plannedAt(n), status)
        answers += 1
        const next = overdue.shift()
        if (next === undefined) idle.push(connection)
        else send(connection, next)
      })
    }
    for (let n = 1; n <= count; n += 1) {
      const wait = plannedAt(n) - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      // The one that rested longest: the server closes connections that no call comes on.
      const connection = idle.shift()
      if (connection) send(connection, n)
      else overdue.push(n)
    }
    await until(() => answers === count, ANSWER_TIMEOUT_MS)
  })
}

/** Resolves when the condition holds, and after the time in any case. */
export async function until(holds: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Ends early when a connection fails; closes all of them in any case. */
async function over(port: number, count: number, work: (open: HttpConnection[]) => Promise<unknown>): Promise<void> {
  let fail: (error: Error) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  const open = await Promise.all(Array.from({ length: count }, () => openConnection(port, fail)))
  try {
    await Promise.race([work(open), failure])
  } finally {
    for (const connection of open) connection.close()
  }
}
