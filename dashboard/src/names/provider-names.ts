/** Names of providers by key, for sentences that have keys only. */
import { useQuery } from '@tanstack/react-query'
import { catalogQuery } from '../integrations/queries.ts'

/** Loaded only where a provider is mentioned. */
export function useProviderNames(isMentioned: boolean): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({ ...catalogQuery, enabled: isMentioned })
  return new Map(data.map(({ provider, name }) => [provider, name]))
}
