/** Names of templates by id, for lists whose rows have ids only. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../session/api.ts'

/** The newest templates; a row of an older one shows its event or its id. */
const NAMED_MAX = 100

export function useTemplateNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['notifications', 'names'],
    queryFn: async ({ signal }) => {
      const { results } = await api.notifications.list({ limit: NAMED_MAX }, { signal })
      return new Map(results.map(({ id, name }) => [id, name]))
    },
    staleTime: 60_000,
  })
  return data ?? new Map()
}
