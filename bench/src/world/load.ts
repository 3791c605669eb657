/** Load on a server: as much as it takes over kept connections, or so many a second whatever it takes. */
import { quantile } from '../statistics.ts'
import { type HttpConnection, openConnection } from './http-connection.ts'

export interface Target {
  port: number
  /** The bytes of the n-th request. */
  request(n: number): Buffer
}

export interface ClosedLoop extends Target {
  connections: number
  warmMs: number
  measureMs: number
  /** While false no further request is begun. */
  hasRoom(): boolean
}

export interface ClosedLoopResult {
  answered: number
  refused: number
  seconds: number
  p50: number
  p99: number
}

/** Each connection asks again as soon as it is answered. */
export async function closedLoop(loop: ClosedLoop): Promise<ClosedLoopResult> {
  const { request, connections, hasRoom } = loop
  const latencies: number[] = []
  let refused = 0
  let asked = 0
  const begin = performance.now()
  const from = begin + loop.warmMs
  const until = from + loop.measureMs
  const run = (connection: HttpConnection) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const sent = performance.now()
        if (sent >= until) return resolve()
        if (!hasRoom()) return void setTimeout(next, 1)
        connection.ask(request((asked += 1)), (status) => {
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
  perSecond: number
  count: number
  /** Told just before the n-th request leaves. */
  leaves(n: number): void
}

// At 50 a second and 20 ms an answer one would do.
const CONNECTIONS = 16

/** A request every so often, over as many connections as that takes. */
export async function openLoop({ port, request, perSecond, count, leaves }: OpenLoop): Promise<void> {
  await over(port, CONNECTIONS, async (open) => {
    const idle = [...open]
    const begin = performance.now()
    for (let n = 1; n <= count; n += 1) {
      const wait = begin + (n * 1_000) / perSecond - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      const connection = idle.pop()
      if (!connection) throw new Error('The server answers more slowly than it is asked')
      leaves(n)
      connection.ask(request(n), () => idle.push(connection))
    }
  })
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
