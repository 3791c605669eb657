/** The health of an integration over a window, from its buckets. */
import { healthDaysMax, type ProviderHealth } from '@postrider/contract'
import { invalidField } from '../base/errors.ts'
import { DAY, durationEnd, MINUTE, parseDuration } from '../base/time/duration.ts'
import type { HealthBucket } from '../database/tables/workspace/integration-health.ts'
import { BUCKET_MS, callClasses, isWorking, percentile } from '../limits/call-log.ts'

/** The length of the window; throws a 400. */
export function windowMs(window: string | undefined): number {
  if (window === undefined) return DAY
  const length = parseDuration(window) ?? durationEnd(window, 0)
  if (!(length !== undefined && length >= MINUTE && length <= healthDaysMax * DAY))
    throw invalidField(
      'window',
      `must be a duration from a minute to ${healthDaysMax} days, such as \`15m\`, \`24h\` or \`PT24H\``,
    )
  return length
}

type Buckets = readonly Omit<HealthBucket, 'workspace_id' | 'integration_id'>[]

export function healthFigures(
  buckets: Buckets,
  { from, to }: { from: number; to: number },
): Omit<ProviderHealth, 'integration' | 'circuit_breaker'> {
  const calls = sums(buckets.map((bucket) => bucket.calls))
  const latencies = sums(buckets.map((bucket) => bucket.latencies))
  const total = figuresOf({ calls, latencies })
  const working = callClasses.reduce((sum, name, index) => sum + (isWorking(name) ? (calls[index] ?? 0) : 0), 0)
  const last = buckets.findLast(({ error_at }) => error_at !== null)
  return {
    from: from - (from % BUCKET_MS),
    to,
    ...total,
    ...(total.calls > 0 && { working: Math.round((working / total.calls) * 10_000) / 10_000 }),
    ...(last?.error_at && {
      last_error: { at: last.error_at, result: last.error_class ?? 'failed', error: last.error ?? '' },
    }),
    buckets: buckets.map((bucket) => ({ at: bucket.at, span_ms: bucket.span, ...figuresOf(bucket) })),
  }
}

function figuresOf({ calls, latencies }: Pick<HealthBucket, 'calls' | 'latencies'>) {
  const results: ProviderHealth['results'] = {}
  for (const [index, name] of callClasses.entries()) {
    const count = calls[index] ?? 0
    if (count > 0) results[name] = count
  }
  const [p50, p95] = [percentile(latencies, 0.5), percentile(latencies, 0.95)]
  return {
    calls: calls.reduce((sum, count) => sum + count, 0),
    results,
    ...(p50 !== undefined && { p50_ms: p50 }),
    ...(p95 !== undefined && { p95_ms: p95 }),
  }
}

function sums(rows: readonly (readonly number[])[]): number[] {
  const total: number[] = []
  for (const row of rows) for (const [index, count] of row.entries()) total[index] = (total[index] ?? 0) + count
  return total
}
