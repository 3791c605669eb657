/** The measurements of the product and, where there is one, of its limit: each on a fresh copy of the schema. */
import { startChild } from './child.ts'
import type { CallRequest } from './limits/callers.ts'
import type { LimitRequest } from './limits/server.ts'
import type { Bench, Figures, Measure, Side } from './measure.ts'
import type { LatencyAnswer, LatencyRequest, LoadAnswer, LoadRequest } from './peers/peers.ts'
import { cpuMicrosecondsOf, groupCpuMicroseconds, groupMemory, type ProcessGroup } from './processes.ts'
import { apiKey, events, withProduct } from './product.ts'

const CONNECTIONS = 64
const HOUR_MS = 3_600_000
/** Enough to keep every slot busy, little enough that accepting does not run away from delivering. */
const IN_FLIGHT_MAX = 1_000
const MAIL_CONNECTIONS = 20
const PER_SECOND = 50

export const httpLoad: Load = { event: events.webhook, connections: CONNECTIONS, inFlightMax: IN_FLIGHT_MAX }
export const mailLoad: Load = { ...httpLoad, event: events.mail }
/** Due in an hour, so that nothing else runs. */
export const acceptLoad: Load = { event: events.webhook, delayMs: HOUR_MS, connections: CONNECTIONS }

export const measures = {
  /** Durable accepts. */
  accepts: {
    sides: ['limit', 'product', 'other'],
    async run(bench, side) {
      const { answered, seconds, p50, p99, refused, cpu, cpuAll } = await underLoad(bench, side, acceptLoad)
      return { perSecond: answered / seconds, p50, p99, refused, cpu, cpuAll }
    },
  },
  /** From the call to the provider's receipt, over HTTP; the rate is counted at the sink. */
  http: {
    sides: ['limit', 'product', 'other'],
    async run(bench, side) {
      const { received, seconds, refused, cpu, cpuAll, memory } = await underLoad(bench, side, httpLoad)
      return { perSecond: received / seconds, refused, cpu, cpuAll, memory }
    },
  },
  /** The same to be compared with `http`: the content comes with each send, and no two are alike. */
  inline: {
    sides: ['product', 'other'],
    async run(bench, side) {
      const load = { ...httpLoad, inline: true }
      const { received, seconds, refused, cpu, cpuAll } = await underLoad(bench, side, load)
      return { perSecond: received / seconds, refused, cpu, cpuAll }
    },
  },
  /** The limit is nodemailer's pool with nothing around it: nothing is accepted or written down. */
  mail: {
    sides: ['limit', 'product', 'other'],
    async run(bench, side) {
      if (side === 'limit') return callers(bench, 'mail', bench.sinks.smtp, MAIL_CONNECTIONS)
      const { received, seconds, refused, cpu, cpuAll } = await underLoad(bench, side, mailLoad)
      return { perSecond: received / seconds, refused, cpu, cpuAll }
    },
  },
  /** From the start of a call in its caller until the provider has the message, at a low rate. */
  latency: {
    sides: ['product', 'other'],
    async run(bench) {
      return withProduct(bench, async ({ port }) => {
        const request: LatencyRequest = {
          port,
          apiKey,
          event: events.webhook,
          perSecond: PER_SECOND,
          count: PER_SECOND,
        }
        await bench.peers.call<LatencyAnswer>('latency', request)
        const { received, p50, p99 } = await bench.peers.call<LatencyAnswer>('latency', {
          ...request,
          count: PER_SECOND * bench.seconds,
        })
        return { received, p50, p99 }
      })
    },
  },
} satisfies Record<string, Measure>

/** Bare undici to the HTTP sink: what no server that calls a provider can exceed. */
export const bareCalls = (bench: Bench) => callers(bench, 'http', bench.sinks.http, CONNECTIONS)

export type Load = Omit<LoadRequest, 'port' | 'apiKey' | 'warmMs' | 'measureMs'>
type Timing = Pick<LoadRequest, 'warmMs' | 'measureMs'>

interface Loaded extends LoadAnswer {
  /** Microseconds a message of the server's own process. */
  cpu: number
  /** And of all processes, the database's included. */
  cpuAll: number
}

export interface Server {
  pid: number
  processes: ProcessGroup
  port: number
}

function underLoad(bench: Bench, side: Side, load: Load): Promise<Loaded & { memory: number }> {
  return withServer(bench, side, load, async (server) => {
    const loaded = await loadOn(bench, server, load, timing(bench))
    return { ...loaded, memory: groupMemory(server.processes) }
  })
}

/** One of the two on a fresh copy of the schema, for as long as it is used. */
export async function withServer<T>(
  bench: Bench,
  side: Side,
  { delayMs }: Load,
  use: (server: Server) => Promise<T>,
): Promise<T> {
  if (side !== 'limit') return withProduct(bench, use)
  const limit = startChild(new URL('./limits/server.js', import.meta.url))
  try {
    const { storage, commandPart } = await bench.databases.copy()
    const sink = delayMs === undefined ? { sinkPort: bench.sinks.http } : {}
    const port = await limit.call<number>('start', { storage, ...sink } satisfies LimitRequest)
    const answer = await use({ pid: limit.pid, processes: { pid: limit.pid, commandPart }, port })
    // A killed one would leave its database server running beside the next measurement.
    await limit.call('close')
    return answer
  } finally {
    await limit.stop()
  }
}

export async function loadOn(bench: Bench, server: Server, load: Load, times: Timing): Promise<Loaded> {
  const { pid, processes, port } = server
  const [before, allBefore] = [cpuMicrosecondsOf(pid), groupCpuMicroseconds(processes)]
  const answer = await bench.peers.call<LoadAnswer>('load', { ...load, ...times, apiKey, port } satisfies LoadRequest)
  return {
    ...answer,
    cpu: (cpuMicrosecondsOf(pid) - before) / answer.requests,
    cpuAll: (groupCpuMicroseconds(processes) - allBefore) / answer.requests,
  }
}

async function callers(bench: Bench, kind: 'http' | 'mail', port: number, connections: number): Promise<Figures> {
  const { warmMs, measureMs } = timing(bench)
  const child = startChild(new URL('./limits/callers.js', import.meta.url))
  try {
    const calling = child.call(kind, { port, connections, forMs: warmMs + measureMs + 500 } satisfies CallRequest)
    const received = await bench.peers.call<number>('count', { warmMs, measureMs })
    await calling
    return { perSecond: received / (measureMs / 1_000) }
  } finally {
    await child.stop()
  }
}

export function timing({ seconds, warm }: Bench) {
  return { measureMs: seconds * 1_000, warmMs: warm * 1_000 }
}
