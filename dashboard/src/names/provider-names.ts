/** Names of providers by key, for what has keys only. */
import type { MessageExplanation } from '@postrider/client'
import { isDeleted, withProviderNames } from '@postrider/client/sentence'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { catalogQuery } from '../integrations/queries.ts'

/** Loaded only where a provider is mentioned. */
export function useProviderNames(isMentioned: boolean): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...catalogQuery, enabled: isMentioned })
  return useMemo(() => new Map(data?.map(({ provider, name }) => [provider, name])), [data])
}

/** A deleted integration has one name on a page, in sentences and in rows: that of its provider. */
export function useProviderTitles<Explained extends Pick<MessageExplanation, 'candidates' | 'deliveries'>>(
  explanation: Explained,
): Explained {
  const { candidates, deliveries } = explanation
  const names = useProviderNames([...candidates, ...deliveries].some(isDeleted))
  return useMemo(
    () => withProviderNames(explanation, { nameOf: (_kind, provider) => names.get(provider) }),
    [explanation, names],
  )
}
