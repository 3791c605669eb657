/** Delivers a routed message: starts the attempts that are due, until it settles; a mock key simulates them. */
import type { Candidate } from '@postrider/contract'
import { candidateKey } from '../decide/candidates.ts'
import { type DecisionOf, decideMessage } from '../decide/decide.ts'
import type { DecisionInput, Routed } from '../decide/decision.ts'
import { suppressedEnding } from '../decide/suppressions.ts'
import { escalationOf } from '../decide/window.ts'
import type { StoredDelivery } from '../delivery.ts'
import {
  BY_ERASURE,
  hasStalled,
  type LeasedMessage,
  type LoadRequest,
  type MessageState,
  type Settlement,
} from '../leased-message.ts'
import { type AttemptOptions, attempt, renderOrAbandon } from './attempt.ts'
import type { DeliveringMessage } from './delivering-message.ts'
import { abandon, type DeliveryChange, inDoubt } from './failover.ts'
import { type Progress, progress } from './progress.ts'
import {
  afterHold,
  canceledSettlement,
  giveUp,
  heldAfterFailure,
  heldByDecision,
  INTERRUPTED,
  pausedSettlement,
  postponement,
  settlementOf,
} from './settlement.ts'

export interface DeliverOptions extends AttemptOptions {
  /** For another decision, with facts of then. */
  loader: {
    loadOne(request: LoadRequest): Promise<DecisionInput>
    stopWithRequests(batch: readonly LeasedMessage[]): Promise<void>
  }
}

/** With the wait for a slot, facts are at most two seconds old when a provider is called. */
const FACTS_MS = 1_000

/** Undefined when the lease was lost, and when the message blocked the process too often to be tried again. */
export async function deliver(message: DeliveringMessage, options: DeliverOptions): Promise<Settlement | undefined> {
  const { attempts } = message
  const { lease } = message.leased
  const { now } = options
  reconcile(message)
  try {
    while (!lease.isLost) {
      if (attempts.size === 0 && hasStalled(lease)) return undefined
      let next = progressAt(message, now())
      if (next.start.length > 0 && now() - message.plan.now > FACTS_MS) {
        const ended = await decideAgain(message, options)
        if (ended && attempts.size === 0) return ended
        next = ended ? { ...next, start: [] } : progressAt(message, now())
      }
      if (!lease.isStopped)
        for (const candidate of next.start) attempts.set(candidate.key, attempt(message, candidate, options))
      if (attempts.size === 0) return settlementBy(message, next, options)
      const [only] = attempts.values()
      await (attempts.size === 1 ? only : Promise.race(attempts.values()))
      if (attempts.size > 0) await message.write()
    }
    return undefined
  } catch (error) {
    // The other attempts start no call and write nothing any more.
    lease.lose()
    throw error
  } finally {
    if (attempts.size > 0) await Promise.allSettled(attempts.values())
  }
}

/**
 * Changes during a provider call apply to the next call: a switch, a new key, an opt-out. Undefined when the message goes
 * on, else how it ends when no attempt is in progress.
 */
async function decideAgain(message: DeliveringMessage, options: DeliverOptions): Promise<Settlement | undefined> {
  const { leased, plan, snapshot } = message
  const [decisionInput] = await Promise.all([
    options.loader.loadOne({ message: leased.message, input: plan.input, snapshot }),
    options.loader.stopWithRequests([leased]),
  ])
  if (decisionInput.facts.erasing) leased.lease.cancel(BY_ERASURE)
  const decision = decideMessage(decisionInput)
  if (decision.kind === 'digested') throw new Error(NO_DIGEST)
  message.replan(decision)
  if (decision.kind !== 'routed') return stopDelivering(message, decision, options.now())
  reconcile(message)
  return undefined
}

function progressAt(message: DeliveringMessage, now: number): Progress {
  const { plan, deliveries, attempts, postponedUntil } = message
  const result = progress(plan.route, deliveries, attempts, now, escalationOf(plan))
  return postponedUntil === undefined ? result : { ...result, start: [] }
}

function settlementBy(message: DeliveringMessage, result: Progress, options: DeliverOptions): Settlement {
  const { leased, deliveries, postponedUntil } = message
  const now = options.now()
  const { cancellation } = leased.lease
  if (cancellation) return canceledSettlement(deliveries, cancellation, now)
  if (leased.lease.isPaused && result.state === 'open') return pausedSettlement(leased, deliveries, options)
  const settled = settlementOf(result, deliveries, now, postponedUntil)
  return heldAfterFailure(settled, message.plan, leased.message.first_due, now)
}

/** A later decision than the first ended the message, or made it wait. */
function stopDelivering(
  { leased, deliveries }: DeliveringMessage,
  decision: DecisionOf<'stopped' | 'postponed'>,
  now: number,
): Settlement {
  if (decision.kind === 'postponed') return postponement(deliveries, decision.stop.until, now)
  return heldByDecision(decision, deliveries, leased.message.first_due) ?? giveUp(deliveries, decision.stop, now)
}

export const NO_DIGEST = 'A message with deliveries in progress cannot be added to a digest'

/** Ends the deliveries whose process died during a call, and those whose candidate is gone. */
function reconcile(message: DeliveringMessage): void {
  const { plan, deliveries, attempts } = message
  for (const delivery of deliveries) {
    const key = candidateKey(delivery.channel, delivery.integration, delivery.device?.id)
    // An attempt in progress applies its own outcome.
    if (attempts.has(key)) continue
    if (delivery.heldSince !== undefined) message.apply({ delivery: afterHold(delivery, plan.now), events: [] })
    if (delivery.state === 'started') message.apply(inDoubt(delivery, INTERRUPTED, plan.now))
    else if (delivery.state === 'waiting' && !plan.candidates.some((candidate) => candidate.key === key))
      message.apply(abandonedCandidate(message.deliveries[delivery.n] ?? delivery, plan))
  }
}

function abandonedCandidate(delivery: StoredDelivery, { considered, now }: Routed): DeliveryChange {
  const { device } = delivery
  const ofChannel = considered.filter(({ channel }) => channel === delivery.channel)
  const ofIntegration = ofChannel.filter(({ integration }) => integration === delivery.integration)
  const candidate =
    ofIntegration.find((entry) => entry.device?.id === device?.id) ??
    ofIntegration[0] ??
    ofChannel.find(isOfWholeChannel)
  if (device && candidate?.device && candidate.device.id !== device.id)
    return abandon(delivery, 'The token of the device has been deleted', now)
  const suppressed = candidate && suppressedEnding([candidate])
  if (suppressed) return abandon(delivery, suppressed.error, now, suppressed.reason)
  const abandoned = abandon(delivery, whyCandidateIsGone(candidate), now)
  if (candidate?.reason !== 'MISSING_CONFIGURATION') return abandoned
  return { ...abandoned, delivery: { ...abandoned.delivery, misconfigured: true } }
}

function whyCandidateIsGone(candidate: Candidate | undefined): string {
  switch (candidate?.reason) {
    case 'MISSING_CONFIGURATION':
      return 'The integration is switched off, or its secrets cannot be read'
    case 'UNSUBSCRIBED':
      return 'The recipient does not want this channel any more'
    case 'FILTERED':
      return 'Its condition is not met any more'
    case 'TOKEN_INACTIVE':
      return 'The token of the device is not active any more'
    case 'SANDBOX':
      return 'The channel has a real integration now'
    case 'EXPIRED':
      return 'Its time in the inbox is over'
    case 'INCOMPLETE_PROFILE_DATA':
      return 'The integration cannot reach this recipient any more'
    default:
      return 'The integration has been deleted'
  }
}

const isOfWholeChannel = ({ integration }: Candidate) => integration === undefined

/** Everything but the provider call, as for a mock key. */
export function simulateDelivery(message: DeliveringMessage, now: number): Settlement {
  const { plan } = message
  for (const candidate of progressAt(message, now).start) {
    const delivery = message.deliveryOf(candidate, now)
    if (renderOrAbandon({ message, plan, candidate }, delivery, now))
      message.addEvent({ type: 'SIMULATED', ts: now, n: delivery.n })
  }
  const { deliveries } = message
  if (deliveries.every(({ state }) => state === 'failed'))
    return settlementOf(progressAt(message, now), deliveries, now)
  const state: MessageState = { status: 'SIMULATED', dueAt: null, keepLease: false }
  return { state, deliveries, events: [] }
}
