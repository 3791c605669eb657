/** The state of the system, read again while the page is visible. */
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
