/** The row of this node: written every ten seconds with its work, connections and latency, and when it stops. */

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { version } from './assets.ts'
import type { Log } from './base/log.ts'
import type { Metrics } from './base/metrics.ts'
import type { Clock } from './base/time/clock.ts'
import { MINUTE, SECOND } from './base/time/duration.ts'
import type { Config } from './config.ts'
import { type Engine, failureLevel } from './database/engine.ts'
import { type NodeState, stopNode, writeNode } from './database/tables/installation/nodes.ts'
import { startWorker } from './queue/poll.ts'

export interface Heartbeat {
  stop(): Promise<void>
}

/** Four of them are missed before a node counts as dead. */
const BEAT_MS = 10 * SECOND
/** Latencies are those of so many beats. */
const BEATS = (5 * MINUTE) / BEAT_MS

/** As coarse as the timer of the metrics, which scrapes reset: it costs half of one of 10 ms. */
const EVENT_LOOP_PRECISION_MS = 50

/** Cumulative counts by the upper bound of their bucket, in seconds. */
type Buckets = readonly { bound: number; count: number }[]

interface HeartbeatOptions {
  engine: Engine
  clock: Clock
  config: Pick<Config, 'role'>
  log: Log
  metrics: Metrics
}

export function startHeartbeat({ engine, clock, config, log, metrics }: HeartbeatOptions): Heartbeat {
  const started = clock.now()
  const earlier: Buckets[] = []
  const eventLoop = monitorEventLoopDelay({ resolution: EVENT_LOOP_PRECISION_MS })
  eventLoop.enable()
  const worker = startWorker({
    name: 'heartbeat',
    log,
    async poll() {
      const now = await latencies(metrics)
      const since = earlier[0] ?? []
      if (earlier.push(now) > BEATS) earlier.shift()
      const state: NodeState = {
        role: config.role,
        in_flight: await gauge(metrics, 'postrider_messages_in_flight'),
        calls: await gauge(metrics, 'postrider_delivery_slots_used'),
        connections: engine.connections(),
        memory_bytes: process.memoryUsage.rss(),
        event_loop_p99_ms: eventLoopDelay(eventLoop),
        ...figuresBetween(since, now),
      }
      await writeNode(engine, { version, started, state }, clock.now())
      return BEAT_MS
    },
  })
  return {
    async stop() {
      await worker.stop()
      eventLoop.disable()
      await stopNode(engine, clock.now()).catch((error: unknown) =>
        log[failureLevel(error)](
          { event: 'node.stop_not_recorded', err: error },
          'the stop of this node is not recorded',
        ),
      )
    },
  }
}

/** The 99th percentile since the call before; null before its timer has run. */
function eventLoopDelay(histogram: IntervalHistogram): number | null {
  const delay = histogram.count === 0 ? null : eventLoopDelayOf(histogram.percentile(99))
  histogram.reset()
  return delay
}

/** The histogram has the time between two runs of its timer. */
export const eventLoopDelayOf = (nanoseconds: number): number =>
  Math.max(0, Math.round(nanoseconds / 1e6) - EVENT_LOOP_PRECISION_MS)

async function gauge({ registry }: Metrics, name: string): Promise<number> {
  return (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0
}

async function latencies({ registry }: Metrics): Promise<Buckets> {
  const figure = await registry.getSingleMetric('postrider_accept_to_call_seconds')?.get()
  return (figure?.values ?? []).flatMap(({ labels, value }) => {
    const le = (labels as { le?: number | string }).le
    return le === undefined ? [] : [{ bound: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), count: value }]
  })
}

/** Percentiles are the upper bounds of their buckets; beyond the last one they are that bound. */
export function figuresBetween(
  before: Buckets,
  after: Buckets,
): Pick<NodeState, 'started_messages' | 'p50_ms' | 'p95_ms'> {
  const counts = after.map(({ bound, count }, at) => ({ bound, count: count - (before[at]?.count ?? 0) }))
  const total = counts.at(-1)?.count ?? 0
  const largest = counts.at(-2)?.bound ?? 0
  const percentile = (share: number) => {
    const bound = counts.find(({ count }) => count >= total * share)?.bound ?? largest
    return total === 0 ? null : Math.round(Math.min(bound, largest) * SECOND)
  }
  return { started_messages: total, p50_ms: percentile(0.5), p95_ms: percentile(0.95) }
}
