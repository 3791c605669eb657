/** The state of the system, read again while the page is visible. */
import type { MessageFilter } from '@postrider/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import type { TrafficWindow } from './search.ts'

const REFRESH_MS = 5_000

export const systemQuery = queryOptions({
  queryKey: ['system', 'state'],
  queryFn: ({ signal }) => api.system.get({ signal }),
  refetchInterval: REFRESH_MS,
})

const buckets = { '24h': '1h', '30d': '1d' } as const
const TRAFFIC_REFRESH_MS = 60_000

/** Messages of the environment, by the hour or by the day. */
export const trafficQuery = (window: TrafficWindow) =>
  queryOptions({
    queryKey: ['system', 'traffic', window],
    queryFn: async ({ signal }) => {
      const summary = await api.metrics.summary({ window, bucket: buckets[window] }, { signal })
      return (summary.buckets ?? []).map(({ start, accepted, finished, statuses }) => ({
        ...{ at: start, accepted, finished },
        undelivered: statuses.find(({ status }) => status === 'UNDELIVERABLE')?.count ?? 0,
      }))
    },
    refetchInterval: TRAFFIC_REFRESH_MS,
  })

/** The calls that opened a breaker were those of messages accepted before. */
const BEFORE_OPENED_MS = 5 * 60_000

/** The search of the messages that a provider was tried for and that failed, around the opening of its breaker and since. */
export const failedSince = (provider: string, since: number) => ({
  ...{ provider: [provider], status: ['UNDELIVERABLE'] },
  enqueued_after: new Date(since - BEFORE_OPENED_MS).toISOString(),
})

const FAILED_COUNTED = 100
const FAILED_REFRESH_MS = 15_000

/** Beyond a hundred their number is said as a minimum. */
export const failedQuery = (search: ReturnType<typeof failedSince>) =>
  queryOptions({
    queryKey: ['messages', 'failed', search],
    queryFn: async ({ signal }) => {
      const { results, paging } = await api.messages.list(
        { ...(search as MessageFilter), limit: FAILED_COUNTED },
        { signal },
      )
      return { count: results.length, isMore: paging.more }
    },
    refetchInterval: FAILED_REFRESH_MS,
  })
