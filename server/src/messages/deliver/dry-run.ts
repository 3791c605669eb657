/** The first calls of a plan before they are made: the rules of delivering, where a provider accepts each call. Pure. */
import type { Deferral } from '../../limits/deferral.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { windowsOf } from '../decide/window.ts'
import type { StoredDelivery } from '../delivery.ts'
import type { Settlement } from '../leased-message.ts'
import { abandon, deferred, failoverContext } from './failover.ts'
import { deliveryBy, newDelivery, progress } from './progress.ts'
import { heldAfterFailure, settlementOf } from './settlement.ts'

export interface DryRun {
  /** The message when no call is in progress. */
  settlement: Settlement
  /** Those that are called, or wait to be: the others are called only when these have failed. */
  first: ReadonlySet<RouteCandidate>
  /** The time of the message is over before any of them is called. */
  isTooLate: boolean
}

export interface DryRunOptions {
  /** Why there is nothing to send. */
  renderError(candidate: RouteCandidate): string | undefined
  /** Why its integration must not be called. */
  deferral(candidate: RouteCandidate): Deferral | undefined
  /** Whether its provider refuses the settings, where it is called. Default: each call is accepted. */
  isRejected?(candidate: RouteCandidate): boolean
}

const noAttempts: ReadonlySet<string> = new Set()

export function dryRun(plan: Routed, options: DryRunOptions): DryRun {
  const { route, firstDue, now } = plan
  const deliveries: StoredDelivery[] = []
  const first = new Set<RouteCandidate>()
  const progressAt = (at: number) => progress(route, deliveries, noAttempts, at)
  let result = progressAt(now)
  for (; result.start.length > 0; result = progressAt(now))
    for (const candidate of result.start) {
      const delivery = afterTurn(candidate, plan, deliveries, options)
      deliveries.push(delivery)
      if (delivery.state === 'sent') first.add(candidate)
    }
  const settlement = heldAfterFailure(settlementOf(result, deliveries, now), plan, firstDue, now)
  // A repair of any of them releases a held message.
  const waiting = settlement.state.status === 'HELD' ? plan.candidates : progressAt(Number.POSITIVE_INFINITY).start
  for (const candidate of waiting) if (deliveryBy(candidate, deliveries)?.state === 'waiting') first.add(candidate)
  const isCalled = deliveries.some(({ state }) => state === 'sent')
  const deadline = firstDue + windowsOf(plan).messageMs
  const isTooLate = !isCalled && settlement.state.status === 'ROUTED' && (settlement.state.dueAt ?? 0) >= deadline
  return { settlement, first, isTooLate }
}

function afterTurn(
  candidate: RouteCandidate,
  plan: Routed,
  deliveries: readonly StoredDelivery[],
  { renderError, deferral, isRejected }: DryRunOptions,
): StoredDelivery {
  const { now } = plan
  const delivery = newDelivery(candidate, deliveries.length, now)
  const refused = deferral(candidate)
  if (refused) {
    const { error, until, cause, isMisconfigured = false } = refused
    const context = failoverContext(plan, candidate, [...deliveries, delivery], now)
    const isBroken = cause === 'circuit_breaker'
    return deferred(delivery, { error, waitMs: until - now, isBroken, isMisconfigured }, context).delivery
  }
  const failure = renderError(candidate)
  if (failure !== undefined) return abandon(delivery, failure, now).delivery
  return isRejected?.(candidate)
    ? { ...delivery, attempts: 1, state: 'failed', reason: 'PROVIDER_ERROR', misconfigured: true }
    : { ...delivery, state: 'sent' }
}
