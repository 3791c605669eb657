/** Processes one loaded message: decides it, leaves by the one exit for that kind of decision, and delivers a routed one. */
import { codesOf } from '../base/finding.ts'
import { keptEvent } from '../digests/events.ts'
import { namedAddresses } from '../providers/address.ts'
import { type DecisionOf, decideMessage } from './decide/decide.ts'
import { planFindings } from './decide/message-findings.ts'
import { decisionEvents, endingEvent, refreshSnapshot, routeStopOf, snapshotOf } from './decision-snapshot.ts'
import { type DeliverOptions, deliver, NO_DIGEST, simulateDelivery } from './deliver/deliver.ts'
import { DeliveringMessage } from './deliver/delivering-message.ts'
import { canceledSettlement, giveUp, heldByDecision, pausedSettlement, postponement } from './deliver/settlement.ts'
import {
  BY_ERASURE,
  type LeasedMessage,
  type LoadedMessage,
  type MessageChanges,
  type MessageState,
  type Settlement,
} from './leased-message.ts'
import { deadLetterSettlement } from './poison-messages.ts'
import type { Recorder } from './record/record.ts'

export interface ProcessOptions extends DeliverOptions {
  recorder: Recorder
}

/** Resolves when the message is written and its lease released, or lost. */
export async function processMessage({ leased, decisionInput }: LoadedMessage, options: ProcessOptions): Promise<void> {
  const cancellation = leased.lease.cancellation ?? (decisionInput.facts.erasing ? BY_ERASURE : undefined)
  if (cancellation)
    return recordSettlement(leased, canceledSettlement(leased.deliveries, cancellation, decisionInput.now), options)
  if (leased.lease.isPaused)
    return recordSettlement(leased, pausedSettlement(leased, leased.deliveries, options), options)
  const decision = decideMessage(decisionInput)
  switch (decision.kind) {
    case 'postponed':
      return recordSettlement(leased, postponement(leased.deliveries, decision.stop.until, decision.plan.now), options)
    case 'stopped':
      return stop(leased, decision, options)
    case 'digested':
      return addToDigest(leased, decision, options)
    case 'routed':
      return deliverRouted(new DeliveringMessage(leased, decision, options.recorder), options)
  }
}

/** The decision ends the message. A first decision leaves its events, a later one the reason. */
function stop(leased: LeasedMessage, decision: DecisionOf<'stopped'>, options: ProcessOptions): Promise<void> {
  const { stop, plan } = decision
  const { deliveries } = leased
  const snapshot = leased.snapshot
    ? { ...refreshSnapshot(leased.snapshot, plan), ...(deliveries.length === 0 && routeStopOf(decision)) }
    : snapshotOf(decision)
  const heldSettlement = heldByDecision(decision, deliveries, leased.message.first_due)
  // No delivery turned to them.
  const { suppressions = [] } = plan.facts
  const addresses = plan.profile ? [...suppressions, ...namedAddresses(plan.profile.merged)] : suppressions
  const findings = codesOf(planFindings(plan))
  if (heldSettlement) return recordSettlement(leased, heldSettlement, options, { findings })
  if (deliveries.length > 0)
    return recordSettlement(leased, giveUp(deliveries, stop, plan.now), options, { snapshot, addresses, findings })
  const { status, reason, error } = stop
  const state: MessageState = { status, reason, error, dueAt: null, keepLease: false }
  const events = leased.snapshot ? [endingEvent(stop, plan.now)] : decisionEvents(decision, plan.now)
  return recordSettlement(leased, { state, deliveries, events }, options, { snapshot, addresses, findings })
}

/** Final: the message of the digest reports it. */
function addToDigest(leased: LeasedMessage, decision: DecisionOf<'digested'>, options: ProcessOptions): Promise<void> {
  if (leased.snapshot) throw new Error(NO_DIGEST)
  const { plan, stop } = decision
  const { message, deliveries } = leased
  const { data = {}, tenantId } = plan.input
  const event = {
    workspaceId: message.workspace_id,
    mode: plan.mode,
    recipient: message.recipient,
    data,
    ...(tenantId !== undefined && { tenantId }),
  }
  const state: MessageState = { status: 'DIGESTED', dueAt: null, keepLease: false }
  const events = decisionEvents(decision, plan.now)
  return recordSettlement(leased, { state, deliveries, events }, options, {
    snapshot: snapshotOf(decision),
    findings: codesOf(planFindings(plan)),
    digestEvent: keptEvent(event, stop.digest, plan.now),
  })
}

async function deliverRouted(message: DeliveringMessage, options: ProcessOptions): Promise<void> {
  const { leased, plan } = message
  const settlement = plan.mode === 'mock' ? simulateDelivery(message, options.now()) : await deliver(message, options)
  if (settlement) await message.settle(settlement)
  else if (!leased.lease.isLost) await message.settle(deadLetterSettlement(leased, message.deliveries, options))
}

/** Writes the last state of a message without deliveries in progress. */
async function recordSettlement(
  leased: LeasedMessage,
  { state, deliveries, events }: Settlement,
  options: ProcessOptions,
  { snapshot = leased.snapshot, addresses, digestEvent, findings = [] }: Partial<MessageChanges> = {},
): Promise<void> {
  const changes: MessageChanges = {
    ...{ snapshot, deliveries, events },
    ...(addresses && { addresses }),
    ...(digestEvent && { digestEvent }),
    ...(findings.length > 0 && { findings }),
  }
  await options.recorder.record(leased, state, changes)
}
