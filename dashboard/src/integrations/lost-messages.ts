/** The messages that ended undelivered at an integration while it failed: a repair does not bring them back, a replay does. */
import type { Integration, Message, ProviderHealth } from '@postrider/client'
import { failuresOf } from './health-bars.ts'

/** The calls that opened the breaker were made for messages that were accepted before. */
const ACCEPTED_BEFORE_MS = 60_000

export interface Outage {
  since: number
  /** Before the end of the time in which calls went well again; absent while it lasts. */
  until?: number | undefined
}

/** The outage that lasts, or the latest one of these buckets; undefined where calls went well. */
export function outageOf(
  { circuit_breaker: breaker }: Pick<Integration, 'circuit_breaker'>,
  buckets: ProviderHealth['buckets'] = [],
): Outage | undefined {
  if (breaker && breaker.state !== 'closed') return breaker.since === undefined ? undefined : { since: breaker.since }
  const last = buckets.findLastIndex(isOutage)
  const before = buckets.slice(0, Math.max(0, last)).findLastIndex((bucket) => !isOutage(bucket))
  const first = last < 0 ? undefined : buckets[before + 1]
  const next = buckets[last + 1]
  return first && { since: first.at, ...(next && { until: next.at + next.span_ms }) }
}

/** Refused settings need few calls to stop all others. */
function isOutage({ calls, results }: ProviderHealth['buckets'][number]): boolean {
  const isMisconfigured = (results.authentication ?? 0) + (results.configuration ?? 0) > 0
  return isMisconfigured || (calls > 0 && failuresOf({ calls, results }) >= calls / 2)
}

/** In the list of messages: those of the provider, which can have several integrations. */
export const lostSearch = (provider: string, { since, until }: Outage) => ({
  provider: [provider],
  status: ['UNDELIVERABLE'] satisfies Message['status'][] as string[],
  enqueued_after: new Date(since - ACCEPTED_BEFORE_MS).toISOString(),
  ...(until !== undefined && { enqueued_before: new Date(until).toISOString() }),
})

export const lostAt = (id: string, messages: readonly Pick<Message, 'providers'>[]): number =>
  messages.filter(({ providers = [] }) =>
    providers.some(({ integration, status }) => integration === id && status === 'UNDELIVERABLE'),
  ).length
