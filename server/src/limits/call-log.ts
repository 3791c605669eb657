/** Calls of integrations over time: counted in memory by class and latency, and added to rows every few seconds. */
import type { Log } from '../base/log.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { addHealth, type HealthBucket } from '../database/tables/workspace/integration-health.ts'

/** Results of calls. In rows they are numbers, in this order: new ones are added at the end. */
export const callClasses = [
  'sent',
  'recipient',
  'content',
  'configuration',
  'authentication',
  'rate_limited',
  'connection',
  'failed',
  'in_doubt',
] as const
export type CallClass = (typeof callClasses)[number]

/** A call that the provider answered as it should, whatever became of its message. */
export const isWorking = (outcome: CallClass): boolean =>
  outcome === 'sent' || outcome === 'recipient' || outcome === 'content'

/** Milliseconds; a last class has the longer ones. Each bound is about 1.6 times the one before. */
export const latencyBounds = [
  10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1_000, 1_600, 2_500, 4_000, 6_300, 10_000, 16_000, 25_000,
] as const

export const BUCKET_MS = 5 * MINUTE
/** A process that dies loses the calls of this time. */
const FLUSH_MS = 10 * SECOND
/** While the database is away: an hour of a hundred integrations. */
const BUCKETS_MAX = 1_200
const ERROR_LENGTH_MAX = 300

export interface LoggedCall {
  workspaceId: number
  integrationId: string
  callClass: CallClass
  startedAt: number
  endedAt: number
  error?: string | undefined
}

export interface CallLog {
  record(call: LoggedCall): void
  /** Adds what this node has counted, so that a reader sees its latest calls. */
  flush(): Promise<void>
  /** Writes what is left. */
  stop(): Promise<void>
}

export function createCallLog({ engine, log }: { engine: Engine; log: Log }): CallLog {
  let buckets = new Map<string, HealthBucket>()
  /** The bucket that each integration uses now: a key of the time and the id is not built for every call. */
  const current = new Map<string, HealthBucket>()
  let writing: Promise<void> | undefined

  const flush = async () => {
    if (buckets.size === 0) return
    const taken = buckets
    buckets = new Map()
    current.clear()
    try {
      await addHealth(engine, [...taken.values()])
    } catch (error) {
      log[failureLevel(error)](
        { event: 'integration.health_not_written', err: error, buckets: taken.size },
        'counts of calls could not be written; they are written later',
      )
      for (const [key, bucket] of taken) merge(buckets, key, bucket)
    }
  }
  const flushSerialized = () => {
    writing ??= flush().finally(() => {
      writing = undefined
    })
    return writing
  }
  // A flush in progress has not the calls since its start.
  const flushAll = async () => {
    await writing
    await flushSerialized()
  }
  const timer = setInterval(flushSerialized, FLUSH_MS).unref()

  /** Undefined when there are too many. */
  const bucketOf = ({ workspaceId, integrationId, endedAt }: LoggedCall): HealthBucket | undefined => {
    const latest = current.get(integrationId)
    if (latest && endedAt >= latest.at && endedAt < latest.at + BUCKET_MS) return latest
    const at = endedAt - (endedAt % BUCKET_MS)
    const key = `${integrationId} ${at}`
    const bucket = buckets.get(key) ?? emptyBucket(workspaceId, integrationId, at)
    if (!buckets.has(key) && buckets.size >= BUCKETS_MAX) return undefined
    buckets.set(key, bucket)
    current.set(integrationId, bucket)
    return bucket
  }

  return {
    record(call) {
      const bucket = bucketOf(call)
      if (!bucket) return
      const { callClass, startedAt, endedAt, error } = call
      count(bucket.calls, callClasses.indexOf(callClass))
      count(bucket.latencies, latencyClass(endedAt - startedAt))
      if (isWorking(callClass)) bucket.success_at = Math.max(bucket.success_at ?? 0, endedAt)
      else if (error !== undefined) {
        bucket.error = withoutAddresses(error)
        bucket.error_class = callClass
        bucket.error_at = endedAt
      }
    },
    flush: flushAll,
    async stop() {
      clearInterval(timer)
      await flushAll()
    },
  }
}

const emptyBucket = (workspaceId: number, integrationId: string, at: number): HealthBucket => ({
  ...{ workspace_id: workspaceId, integration_id: integrationId, span: BUCKET_MS, at },
  calls: callClasses.map(() => 0),
  latencies: Array.from({ length: latencyBounds.length + 1 }, () => 0),
  ...{ error: null, error_class: null, error_at: null, success_at: null },
})

function count(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1
}

function latencyClass(ms: number): number {
  const index = latencyBounds.findIndex((bound) => ms <= bound)
  return index === -1 ? latencyBounds.length : index
}

function merge(buckets: Map<string, HealthBucket>, key: string, earlier: HealthBucket): void {
  const later = buckets.get(key)
  if (!later) {
    if (buckets.size < BUCKETS_MAX) buckets.set(key, earlier)
    return
  }
  later.calls = later.calls.map((calls, index) => calls + (earlier.calls[index] ?? 0))
  later.success_at = later.success_at ?? earlier.success_at
  later.latencies = later.latencies.map((calls, index) => calls + (earlier.latencies[index] ?? 0))
  if (later.error_at === null) {
    const { error, error_class, error_at } = earlier
    Object.assign(later, { error, error_class, error_at })
  }
}

/** Errors of providers repeat addresses of people: they are masked. */
export const withoutAddresses = (error: string): string =>
  error
    .slice(0, ERROR_LENGTH_MAX)
    .replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '…@…')
    .replaceAll(/\+?\d(?:[\s().-]{0,2}\d){8,}/g, '…')
    .replaceAll(/[\w-]{24,}/g, '…')

/** The latency that this share of the calls does not exceed, by linear interpolation; undefined without calls. */
export function percentile(latencies: readonly number[], share: number): number | undefined {
  const total = latencies.reduce((sum, calls) => sum + calls, 0)
  if (total === 0) return undefined
  let left = total * share
  for (const [index, calls] of latencies.entries()) {
    if (calls > 0 && left <= calls) {
      const from = latencyBounds[index - 1] ?? 0
      const to = latencyBounds[index] ?? LONGEST_MS
      return Math.round(from + ((to - from) * left) / calls)
    }
    left -= calls
  }
  return LONGEST_MS
}

/** An attempt ends then. */
const LONGEST_MS = 30 * SECOND
