/** The queries of integrations, which several screens share. */
import type { Integration } from '@postrider/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import type { HealthWindow } from './search.ts'

/** More than a workspace has. */
const INTEGRATIONS_MAX = 100
const HEALTH_REFETCH_MS = 15_000

export const integrationKey = ['integrations'] as const

export const integrationsQuery = queryOptions({
  queryKey: [...integrationKey, 'list'],
  queryFn: async ({ signal }): Promise<readonly Integration[]> =>
    (await api.providers.list({ limit: INTEGRATIONS_MAX }, { signal })).results,
})

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
