/** Names of topics by id, for sentences that have ids only. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../session/api.ts'

/** Loaded only where a topic is mentioned. */
export function useTopicNames(isMentioned: boolean): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['topics', 'names'],
    queryFn: async ({ signal }) => {
      const { results } = await api.sections.list({ signal })
      return new Map(results.flatMap(({ topics }) => topics.map(({ id, name }) => [id, name])))
    },
    enabled: isMentioned,
    staleTime: 60_000,
  })
  return data ?? new Map()
}
