/** The queries of one integration and of the catalog. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { integrationKey, integrationsQuery } from '../health/integrations.ts'
import { api } from '../session/api.ts'
import { withMailboxOf } from './order.ts'
import type { HealthWindow } from './search.ts'

const HEALTH_REFETCH_MS = 15_000

export const integrationQuery = (id: string) =>
  queryOptions({
    queryKey: [...integrationKey, 'one', id],
    queryFn: ({ signal }) => api.providers.get(id, { signal }),
  })

/** The integrations as messages reach them. */
export function useRoutedIntegrations() {
  const query = useQuery(integrationsQuery)
  const { data: served } = useQuery({
    queryKey: [...integrationKey, 'mailbox'],
    queryFn: async ({ signal }) => (await api.mailbox.list({ limit: 1 }, { signal })).channels,
  })
  const { data } = query
  const integrations = useMemo(() => data && (served ? withMailboxOf(data, served) : data), [data, served])
  return { ...query, data: integrations }
}

export const catalogQuery = queryOptions({
  queryKey: ['catalog'],
  queryFn: async ({ signal }) => (await api.providers.catalog({}, { signal })).results,
  // It changes with a release of the server only.
  staleTime: Number.POSITIVE_INFINITY,
})

export const healthQuery = (id: string, window: HealthWindow) =>
  queryOptions({
    queryKey: [...integrationKey, 'health', id, window],
    queryFn: ({ signal }) => api.providers.health(id, { window }, { signal }),
    refetchInterval: HEALTH_REFETCH_MS,
  })
