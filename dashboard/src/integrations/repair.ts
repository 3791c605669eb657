/** The repair that an integration needs now, by its breaker or by its last call. */
import type { Integration, ProviderHealth } from '@postrider/client'
import { errorState } from './error-state.ts'

export interface Repair {
  reason: NonNullable<NonNullable<Integration['circuit_breaker']>['reason']> | 'unknown' | 'unreadable'
  /** The words of the provider. */
  error?: string | undefined
  since: number
}

type Judged = Pick<Integration, 'unreadable' | 'circuit_breaker' | 'created' | 'updated'>

/** A last call that failed for another reason needs none: it can be about its message, or over. */
export function repairOf(
  { unreadable, circuit_breaker: breaker, created, updated }: Judged,
  health: Pick<ProviderHealth, 'last_error' | 'last_success'> | undefined,
): Repair | undefined {
  if (unreadable) return { reason: 'unreadable', since: updated ?? created }
  if (breaker && breaker.state !== 'closed')
    return { reason: breaker.reason ?? 'unknown', error: breaker.error, since: breaker.since ?? updated ?? created }
  const { last_error: error } = health ?? {}
  if (!health || !error || errorState(health, updated) !== 'current') return undefined
  const reason = (['authentication', 'configuration'] as const).find((result) => result === error.result)
  return reason && { reason, error: error.error, since: error.at }
}

/** The remedy is to enter the stored secrets again. */
export const isOfSecrets = (repair: Repair | undefined): boolean =>
  repair?.reason === 'authentication' || repair?.reason === 'unreadable'
