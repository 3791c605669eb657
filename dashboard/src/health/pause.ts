/** The pause of deliveries: read by every screen, because nothing that any of them starts leaves the server during it. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import { useInterruption } from '../session/interruption.ts'
import { usePermissions, useSession } from '../session/session.tsx'

export const pauseKey = ['pause'] as const

/** Since when deliveries are paused; null while they are not. */
export const pauseQuery = queryOptions({
  queryKey: pauseKey,
  queryFn: async ({ signal }) => (await api.service.readyz({ signal })).paused_since ?? null,
})

const REFRESH_MS = 10_000

/** Read again while the page is visible. */
export function usePausedSince(): number | null {
  const { data = null } = useQuery({
    ...pauseQuery,
    // Nothing is read behind the question of an interruption.
    enabled: useInterruption() === undefined,
    refetchInterval: REFRESH_MS,
  })
  return data
}

/** Only a published key of production acts on the installation. */
export function useIsOperator(): boolean {
  const { canConnect } = usePermissions()
  return useSession().environment === 'production' && canConnect
}
