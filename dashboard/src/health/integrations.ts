/** The integrations with the state of their breakers: read by the rail on every screen, and shared with the screens that show them. */
import type { Integration, Message } from '@postrider/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'

/** More than a workspace has. */
const INTEGRATIONS_MAX = 100

export const integrationKey = ['integrations'] as const

export const integrationsQuery = queryOptions({
  queryKey: [...integrationKey, 'list'],
  queryFn: async ({ signal }): Promise<readonly Integration[]> =>
    (await api.providers.list({ limit: INTEGRATIONS_MAX }, { signal })).results,
})

/** Those that would be called, had their breaker not opened; it may be probed now. */
export const brokenIntegrations = (integrations: readonly Integration[]): Integration[] =>
  integrations.filter(({ enabled, circuit_breaker: { state } = {} }) => enabled && state && state !== 'closed')

/** The search of the messages that wait for these providers: for another attempt, or for a repair. */
export const waitingMessages = (...providers: readonly string[]) => ({
  provider: [...new Set(providers)],
  status: ['ROUTED', 'HELD'] satisfies Message['status'][] as string[],
})
