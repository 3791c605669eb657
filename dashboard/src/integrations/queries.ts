/** The queries of one integration and of the catalog. */
import { queryOptions } from '@tanstack/react-query'
import { integrationKey } from '../health/integrations.ts'
import { api } from '../session/api.ts'
import type { HealthWindow } from './search.ts'

const HEALTH_REFETCH_MS = 15_000

export const integrationQuery = (id: string) =>
  queryOptions({
    queryKey: [...integrationKey, 'one', id],
    queryFn: ({ signal }) => api.providers.get(id, { signal }),
  })

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
