/** The buckets of a health report, gathered into as many bars as a chart has. */
import type { ProviderHealth } from '@postrider/client'

export interface Bar {
  at: number
  calls: number
  /** Calls that the integration is at fault for. */
  failures: number
  p95: number | undefined
}

/** Rejections of an address or of content are no fault of the integration. */
const harmless = ['sent', 'recipient', 'content'] as const

/** Calls that the integration is at fault for. */
export const failuresOf = ({ calls, results }: Pick<ProviderHealth, 'calls' | 'results'>): number =>
  calls - harmless.reduce((sum, name) => sum + (results[name] ?? 0), 0)

export function barsOf({ from, to, buckets }: Pick<ProviderHealth, 'from' | 'to' | 'buckets'>, count: number): Bar[] {
  const span = Math.max(1, (to - from) / count)
  const bars = Array.from({ length: count }, (_, index): Bar => {
    return { at: from + index * span, calls: 0, failures: 0, p95: undefined }
  })
  for (const { at, calls, results, p95_ms } of buckets) {
    const bar = bars[Math.max(0, Math.min(count - 1, Math.floor((at - from) / span)))]
    if (!bar) continue
    bar.calls += calls
    bar.failures += failuresOf({ calls, results })
    if (p95_ms !== undefined) bar.p95 = Math.max(bar.p95 ?? 0, p95_ms)
  }
  return bars
}
