/** The integrations, for outages and steps: one call for both. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'

export const integrationsQuery = queryOptions({
  queryKey: ['providers', 'start'],
  queryFn: async ({ signal }) => (await api.providers.list({}, { signal })).results,
  staleTime: 4_000,
})
