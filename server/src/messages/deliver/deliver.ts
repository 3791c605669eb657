/** Delivers a message: starts attempts at its candidates, waits for any of them, fails over, until it is final or has to wait. */
import type { Candidate } from '@postrider/contract'
import { candidateKey } from '../decide/candidates.ts'
import { type Decision, decideMessage } from '../decide/decide.ts'
import type { Ending, Routed } from '../decide/decision.ts'
import { escalationOf } from '../decide/window.ts'
import type { StoredDelivery } from '../delivery.ts'
import { hasStalled, type MessageState, type Settlement } from '../leased-message.ts'
import { type LoadOptions, loadOne } from '../load/load.ts'
import { type AttemptOptions, attempt, renderOrAbandon } from './attempt.ts'
import type { DeliveringMessage } from './delivering-message.ts'
import { abandon, inDoubt } from './outcome.ts'
import { canceledSettlement, changeEach, type Progress, progress, settlementOf, statusOf } from './progress.ts'

export type DeliverOptions = AttemptOptions & LoadOptions

/** With the wait for a slot, facts are at most two seconds old when a provider is called. */
const FACTS_MS = 1_000
const INTERRUPTED = 'The attempt was interrupted'

/** Undefined when the lease was lost, and when the message blocked the process too often to be tried again. */
export async function deliver(message: DeliveringMessage, options: DeliverOptions): Promise<Settlement | undefined> {
  const { leased, attempts } = message
  const { now } = options
  reconcile(message)
  try {
    while (!leased.lost) {
      if (attempts.size === 0 && hasStalled(leased.message)) return undefined
      let next = progressOf(message, now())
      if (next.start.length > 0 && now() - message.plan.now > FACTS_MS) {
        const decision = await decideAgain(message, options)
        if (decision.kind === 'routed') {
          reconcile(message)
          next = progressOf(message, now())
        } else if (attempts.size === 0) return stopDelivering(message, decision, now())
        else next = { ...next, start: [] }
      }
      if (!leased.canceled)
        for (const candidate of next.start) attempts.set(candidate.key, attempt(message, candidate, options))
      if (attempts.size === 0) return settlement(message, next, now())
      const [only] = attempts.values()
      await (attempts.size === 1 ? only : Promise.race(attempts.values()))
      if (attempts.size > 0) await message.write()
    }
    return undefined
  } catch (error) {
    // The other attempts start no call and write nothing any more.
    leased.lost = true
    throw error
  } finally {
    if (attempts.size > 0) await Promise.allSettled(attempts.values())
  }
}

/** What changed while a provider was called counts for the next one: a switch, a new key, an opt-out. */
async function decideAgain(message: DeliveringMessage, options: DeliverOptions) {
  const { leased, plan, snapshot } = message
  const decisionInput = await loadOne({ message: leased.message, input: plan.input, snapshot }, options)
  if (decisionInput.facts.erasing) leased.canceled = true
  const decision = decideMessage(decisionInput)
  if (decision.kind === 'digested') throw new Error(NO_DIGEST)
  message.replan(decision)
  return decision
}

function progressOf(message: DeliveringMessage, now: number): Progress {
  const { plan, deliveries, attempts, postponedUntil } = message
  const result = progress(plan.route, deliveries, attempts, now, escalationOf(plan))
  return postponedUntil === undefined ? result : { ...result, start: [] }
}

function settlement(message: DeliveringMessage, result: Progress, now: number): Settlement {
  const { leased, deliveries, postponedUntil } = message
  return leased.canceled ? canceledSettlement(deliveries, now) : settlementOf(result, deliveries, now, postponedUntil)
}

/** A later decision than the first ended the message, or made it wait. */
function stopDelivering(
  { deliveries }: DeliveringMessage,
  decision: Extract<Decision, { kind: 'stopped' | 'paused' }>,
  now: number,
): Settlement {
  return decision.kind === 'paused'
    ? postponement(deliveries, decision.stop.until, now)
    : giveUp(deliveries, decision.stop, now)
}

export const NO_DIGEST = 'A message with deliveries in progress cannot be added to a digest'

/** No snapshot is taken: when its hours open, it is decided with the facts of then. */
export function postponement(deliveries: readonly StoredDelivery[], until: number, now: number): Settlement {
  const status = deliveries.length > 0 ? statusOf('open', deliveries) : 'DELAYED'
  return {
    state: { status, dueAt: until, keepLease: false },
    deliveries,
    events: [{ type: 'DELAYED', ts: now, until }],
  }
}

/** The deliveries cannot go on: the time of the message is over, the recipient opted out, or no candidate is left. */
export function giveUp(deliveries: readonly StoredDelivery[], { error, reason }: Ending, now: number): Settlement {
  const optedOut = reason === 'UNSUBSCRIBED' || reason === 'OPT_IN_REQUIRED'
  const ended = changeEach(deliveries, (delivery) => {
    if (delivery.state === 'started') return inDoubt(delivery, INTERRUPTED, now)
    if (delivery.state !== 'waiting') return undefined
    return abandon(delivery, optedOut ? error : (delivery.error ?? error), now, reason)
  })
  const isSent = ended.deliveries.some(({ state }) => state === 'sent')
  const result: Progress = { state: isSent ? 'accepted' : 'failed', start: [], nextAt: undefined }
  const { state } = settlementOf(result, ended.deliveries, now)
  return { state, ...ended }
}

/** Ends the deliveries whose process died during a call, and those whose candidate is gone. */
function reconcile(message: DeliveringMessage): void {
  const { plan, deliveries, attempts } = message
  for (const delivery of deliveries) {
    const key = candidateKey(delivery.channel, delivery.integration)
    // An attempt in progress applies its own outcome.
    if (attempts.has(key)) continue
    if (delivery.state === 'started') message.apply(inDoubt(delivery, INTERRUPTED, plan.now))
    else if (delivery.state === 'waiting' && !plan.candidates.some((candidate) => candidate.key === key))
      message.apply(abandon(delivery, whyCandidateIsGone(delivery, plan), plan.now))
  }
}

function whyCandidateIsGone({ channel, integration }: StoredDelivery, { considered }: Routed): string {
  const ofChannel = considered.filter((one) => one.channel === channel)
  const candidate = ofChannel.find((one) => one.integration === integration) ?? ofChannel.find(isOfWholeChannel)
  switch (candidate?.reason) {
    case 'MISSING_CONFIGURATION':
      return 'The integration is switched off, or its secrets cannot be read'
    case 'UNSUBSCRIBED':
      return 'The recipient does not want this channel any more'
    case 'FILTERED':
      return 'Its condition is not met any more'
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
  for (const candidate of progressOf(message, now).start) {
    const delivery = message.deliveryOf(candidate, now)
    if (renderOrAbandon(message, plan, candidate, delivery, now))
      message.addEvent({ type: 'SIMULATED', ts: now, n: delivery.n })
  }
  const { deliveries } = message
  if (deliveries.every(({ state }) => state === 'failed'))
    return settlementOf(progressOf(message, now), deliveries, now)
  const state: MessageState = { status: 'SIMULATED', dueAt: null, keepLease: false }
  return { state, deliveries, events: [] }
}
