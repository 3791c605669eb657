/** The peers of the server: those who send, and the providers; one process, so that both ends share a clock. */
import { serveCalls } from '../child.ts'
import { messageBody, sendBody } from '../sample.ts'
import { quantile } from '../statistics.ts'
import { requestBytes } from './http-connection.ts'
import { startHttpSink } from './http-sink.ts'
import { type ClosedLoopResult, closedLoop, openLoop, until } from './load.ts'
import { startSmtpSink } from './smtp-sink.ts'

export interface Ports {
  http: number
  smtp: number
}

export interface LoadRequest {
  port: number
  apiKey: string
  event: string
  delayMs?: number
  /** Another call than a send, always the same. */
  call?: { path: string; body: unknown }
  /** Each with content of its own, in the second generation of the body. */
  inline?: boolean
  connections: number
  warmMs: number
  measureMs: number
  /** How many messages may be accepted and not yet received; no bound for messages that are not sent. */
  inFlightMax?: number
}

export interface LoadAnswer extends ClosedLoopResult {
  /** Messages that the sinks received in the measured time. */
  received: number
  /** All requests that were sent, warm-up included. */
  requests: number
}

export interface LatencyRequest {
  port: number
  apiKey: string
  event: string
  perSecond: number
  count: number
  /** The number of the first one, where others are counted at the same time. */
  first?: number
}

export interface LatencyAnswer {
  received: number
  p50: number
  p95: number
  p99: number
}

export interface SteadyRequest extends LatencyRequest {
  connections: number
}

/** Milliseconds from the planned time of each call, in order; NaN for a call that was refused or not answered. */
export interface SteadyAnswer {
  accepts: Float64Array
  receipts: Float64Array
  refused: number
}

/** The wait for messages in flight after the last request. */
const SETTLE_MS = 5_000

/** At 50 a second and 20 ms an answer one would do. */
const LATENCY_CONNECTIONS = 16
/** A database that stalls for some seconds is still behind when the last request was answered. */
const STEADY_SETTLE_MS = 30_000

let received = 0
let answerMs = 0
/** Messages not yet received: when each was sent, or planned to be sent, by its number. */
const sentAt = new Map<number, number>()
let arrival: (n: number, latencyMs: number) => void = () => undefined

/** The number a sample carries, in the JSON body or in the subject of a mail. */
function arrived(text: string): void {
  received += 1
  if (sentAt.size === 0) return
  const n = Number(/"n":(\d+)/.exec(text)?.[1])
  const sent = sentAt.get(n)
  if (sent !== undefined && sentAt.delete(n)) arrival(n, performance.now() - sent)
}

serveCalls({
  open: async (): Promise<Ports> => ({
    http: await startHttpSink(arrived, () => answerMs),
    smtp: await startSmtpSink(arrived),
  }),

  async load(request: LoadRequest): Promise<LoadAnswer> {
    const { port, apiKey, event, delayMs, inline, inFlightMax, call } = request
    const before = received
    let started = 0
    let [first, last] = [0, 0]
    setTimeout(() => {
      first = received
    }, request.warmMs)
    setTimeout(() => {
      last = received
    }, request.warmMs + request.measureMs)
    const result = await closedLoop({
      ...request,
      request(n) {
        started = n
        const headers = { authorization: `Bearer ${apiKey}` }
        if (call) return requestBytes(call.path, headers, call.body)
        const sample = { event, n, ...(delayMs === undefined ? {} : { delayMs }) }
        const body = inline ? messageBody(sample) : sendBody(sample)
        return requestBytes('/send', headers, body)
      },
      hasRoom: () => inFlightMax === undefined || started - (received - before) < inFlightMax,
      port,
    })
    await until(() => last > 0 || delayMs !== undefined || call !== undefined, request.measureMs)
    if (inFlightMax !== undefined) await until(() => received - before >= started, SETTLE_MS)
    return { ...result, received: last - first, requests: started }
  },

  async latency(request: LatencyRequest): Promise<LatencyAnswer> {
    const { first = 0 } = request
    const latencies: number[] = []
    arrival = (_n, latencyMs) => latencies.push(latencyMs)
    await openLoop({
      ...request,
      connections: LATENCY_CONNECTIONS,
      request: numbered(request),
      sending: (n) => void sentAt.set(first + n, performance.now()),
    })
    await until(() => sentAt.size === 0, SETTLE_MS)
    sentAt.clear()
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => quantile(latencies, q)) as [number, number, number]
    return { received: latencies.length, p50, p95, p99 }
  },

  async steady(request: SteadyRequest): Promise<SteadyAnswer> {
    const { first = 0, count } = request
    const accepts = new Float64Array(count).fill(Number.NaN)
    const receipts = new Float64Array(count).fill(Number.NaN)
    let refused = 0
    arrival = (n, latencyMs) => {
      receipts[n - first - 1] = latencyMs
    }
    await openLoop({
      ...request,
      request: numbered(request),
      sending: (n, planned) => void sentAt.set(first + n, planned),
      answered(n, planned, status) {
        if (status < 300) accepts[n - 1] = performance.now() - planned
        else refused += 1
      },
    })
    await until(() => sentAt.size <= refused, STEADY_SETTLE_MS)
    sentAt.clear()
    return { accepts, receipts, refused }
  },

  received: () => received,

  /** How long the provider over HTTP takes for an answer. */
  answerAfter: (ms: number) => void (answerMs = ms),

  /** Receipts of the sinks, whichever process calls them. */
  async count({ warmMs, measureMs }: { warmMs: number; measureMs: number }): Promise<number> {
    await pause(warmMs)
    const before = received
    await pause(measureMs)
    return received - before
  },
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const numbered =
  ({ apiKey, event, first = 0 }: LatencyRequest) =>
  (n: number) =>
    requestBytes('/send', { authorization: `Bearer ${apiKey}` }, sendBody({ event, n: first + n }))
