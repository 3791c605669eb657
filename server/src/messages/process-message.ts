/** Processes one leased message: decide, attempt, fail over, until it is final or has to wait. */
import type { Candidate } from '@postrider/contract'
import { during } from '../base/activity.ts'
import { standStill } from '../base/failpoint.ts'
import { keptEvent } from '../digests/events.ts'
import { candidateKey, candidatesOf } from './decide/candidates.ts'
import { type Decision, decide } from './decide/decide.ts'
import type { DecisionInput, Ending, Postponement, Routed } from './decide/decision.ts'
import { escalationOf } from './decide/window.ts'
import { decisionEvents, refreshSnapshot, snapshotOf } from './decision-snapshot.ts'
import { type AttemptOptions, attempt, renderOnce } from './deliver/attempt.ts'
import { canceledState, openState, settledState } from './deliver/message-state.ts'
import { abandon, inDoubt } from './deliver/outcome.ts'
import { type Progress, progress, statusOf } from './deliver/progress.ts'
import type { StoredDelivery } from './delivery.ts'
import type { DigestFacts } from './facts.ts'
import { apply, deliveryOf, type LeasedMessage, type State } from './leased-message.ts'
import { type LoadOptions, load } from './load/load.ts'
import { deadLetter, hasStalled } from './poison-messages.ts'
import { save } from './record/record.ts'
import type { Mode } from './send.ts'

export type WorkOptions = AttemptOptions & LoadOptions

/** With the wait for a slot, facts are at most two seconds old when a provider is called. */
const FACTS_MS = 1_000
const INTERRUPTED = 'The attempt was interrupted'

/** Resolves when the message is recorded and its lease given up, or lost. */
export function work(leased: LeasedMessage, decisionInput: DecisionInput, options: WorkOptions): Promise<void> {
  const { now } = decisionInput
  if (decisionInput.facts.erasing) leased.canceled = true
  if (leased.canceled) return end(leased, canceledState(leased, now), options)
  const decision = decided(leased, decisionInput)
  if (decision.kind === 'paused') return postpone(leased, decision.stop, now, options)
  const first = leased.snapshot === undefined
  if (!first && decision.kind === 'digested')
    throw new Error('A message with deliveries in progress cannot be added to a digest')
  leased.snapshot = leased.snapshot ? refreshSnapshot(leased.snapshot, decisionInput) : snapshotOf(decision)
  if (first) leased.events.push(...decisionEvents(decision, now))
  if (decision.kind === 'stopped') {
    if (leased.deliveries.length > 0) return giveUp(leased, decision.stop, now, options)
    if (!first) leased.events.push(...decisionEvents(decision, now).slice(-1))
    const { status, reason, error } = decision.stop
    return end(leased, { status, reason, error, dueAt: null, keepLease: false }, options)
  }
  if (decision.kind === 'digested') return collect(leased, decision.stop.digest, now, options)
  const { plan } = decision
  if (plan.mode === 'mock') return simulate(leased, plan, options)
  reconcile(leased, plan, now)
  return pursue(leased, plan, options)
}

const decided = (leased: LeasedMessage, decisionInput: DecisionInput): Decision =>
  during('message', leased.id, 'deciding', () => {
    standStill(leased.message.recipient)
    return decide(decisionInput)
  })

/** What the world did to the deliveries since: an integration has gone, a process died in the middle of a call. */
function reconcile(leased: LeasedMessage, plan: Routed, now: number): void {
  const possible = new Set(candidatesOf(plan.route).map(({ key }) => key))
  for (const delivery of leased.deliveries) {
    const key = candidateKey(delivery.channel, delivery.integration)
    // What is under candidate at this moment tells itself how it ends.
    if (leased.attempts.has(key)) continue
    if (delivery.state === 'started') apply(leased, inDoubt(delivery, INTERRUPTED, { now }))
    else if (delivery.state === 'waiting' && !possible.has(key))
      apply(leased, abandon(delivery, whyNotAnyMore(delivery, plan), now))
  }
}

function whyNotAnyMore({ channel, integration }: StoredDelivery, { considered }: Routed): string {
  const ofChannel = considered.filter((one) => one.channel === channel)
  const found = ofChannel.find((one) => one.integration === integration) ?? ofChannel.find(isOfTheWholeChannel)
  switch (found?.reason) {
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

const isOfTheWholeChannel = ({ integration }: Candidate) => integration === undefined

/** What could be tried before cannot any more: its time is over, it is not wanted, or every integration has gone. */
function giveUp(leased: LeasedMessage, { error, reason }: Ending, now: number, options: WorkOptions): Promise<void> {
  const unwanted = reason === 'UNSUBSCRIBED' || reason === 'OPT_IN_REQUIRED'
  for (const delivery of leased.deliveries) {
    if (delivery.state === 'started') apply(leased, inDoubt(delivery, INTERRUPTED, { now }))
    if (delivery.state === 'waiting')
      apply(leased, abandon(delivery, unwanted ? error : (delivery.error ?? error), now, reason))
  }
  const sent = leased.deliveries.some(({ state }) => state === 'sent')
  const seen: Progress = { state: sent ? 'accepted' : 'failed', start: [], nextAt: undefined }
  return end(leased, settledState(leased, seen, now), options)
}

/** The one owner of the message's attempts: starts them, waits for any, writes down what ended, and ends them all. */
async function pursue(leased: LeasedMessage, decided: Routed, options: WorkOptions): Promise<void> {
  const { attempts } = leased
  let plan = decided
  try {
    while (!leased.lost) {
      if (hasStalled(leased.message) && attempts.size === 0) return await deadLetter(leased, options)
      let seen = look(leased, plan, options.now())
      if (seen.start.length > 0 && options.now() - plan.now > FACTS_MS) {
        const fresh = await decideAgain(leased, options)
        if (fresh.kind === 'routed') plan = fresh.plan
        else if (attempts.size === 0) return await halt(leased, fresh, options)
        seen = fresh.kind === 'routed' ? look(leased, plan, options.now()) : { ...seen, start: [] }
      }
      if (!leased.canceled)
        for (const candidate of seen.start) attempts.set(candidate.key, attempt(leased, plan, candidate, options))
      if (attempts.size === 0) return await finish(leased, seen, options)
      const [only] = attempts.values()
      await (attempts.size === 1 ? only : Promise.race(attempts.values()))
      if (attempts.size > 0) await save(leased, options.recorder, () => openState(leased))
    }
  } catch (error) {
    leased.lost = true
    throw error
  } finally {
    if (attempts.size > 0) await Promise.allSettled(attempts.values())
  }
}

/** Final: what tells of it is the message of the digest. */
function collect(leased: LeasedMessage, digest: DigestFacts, now: number, options: WorkOptions): Promise<void> {
  const { message, input } = leased
  const event = {
    workspaceId: message.workspace_id,
    mode: message.mode as Mode,
    recipient: message.recipient,
    data: input.data ?? {},
    ...(input.tenantId !== undefined && { tenantId: input.tenantId }),
  }
  leased.digested = keptEvent(event, digest, now)
  return end(leased, { status: 'DIGESTED', dueAt: null, keepLease: false }, options)
}

/** What happened while a provider was called counts for the next one: a switch, a new key, an opt-out. */
async function decideAgain(leased: LeasedMessage, options: WorkOptions) {
  const [decisionInput] = await load([leased], options)
  if (!decisionInput) throw new Error('One request has one decisionInput')
  if (decisionInput.facts.erasing) leased.canceled = true
  const decision = decided(leased, decisionInput)
  if (decision.kind === 'digested') throw new Error('A message with deliveries in progress cannot be added to a digest')
  if (leased.snapshot) leased.snapshot = refreshSnapshot(leased.snapshot, decisionInput)
  if (decision.kind === 'routed') reconcile(leased, decision.plan, decisionInput.now)
  return decision
}

function halt(
  leased: LeasedMessage,
  decision: Extract<Decision, { kind: 'stopped' | 'paused' }>,
  options: WorkOptions,
): Promise<void> {
  const now = options.now()
  return decision.kind === 'paused'
    ? postpone(leased, decision.stop, now, options)
    : giveUp(leased, decision.stop, now, options)
}

/** Nothing is pinned yet: what holds when its hours open is what counts. */
function postpone(leased: LeasedMessage, { until }: Postponement, now: number, options: WorkOptions): Promise<void> {
  leased.events.push({ type: 'DELAYED', ts: now, until })
  const status = leased.deliveries.length > 0 ? statusOf('open', leased.deliveries) : 'DELAYED'
  return end(leased, { status, dueAt: until, keepLease: false }, options)
}

function look(leased: LeasedMessage, plan: Routed, now: number): Progress {
  const seen = progress(plan.route, leased.deliveries, leased.attempts, now, escalationOf(plan))
  return leased.postponedUntil === undefined ? seen : { ...seen, start: [] }
}

function finish(leased: LeasedMessage, seen: Progress, options: WorkOptions): Promise<void> {
  const now = options.now()
  return end(leased, leased.canceled ? canceledState(leased, now) : settledState(leased, seen, now), options)
}

/** Everything but the call: what a mock key asks for. */
async function simulate(leased: LeasedMessage, plan: Routed, options: WorkOptions): Promise<void> {
  const now = options.now()
  for (const candidate of look(leased, plan, now).start) {
    const delivery = deliveryOf(leased, candidate, now)
    if (renderOnce(leased, plan, candidate, delivery, now))
      leased.events.push({ type: 'SIMULATED', ts: now, n: delivery.n })
  }
  const failed = leased.deliveries.every(({ state }) => state === 'failed')
  return end(
    leased,
    failed
      ? settledState(leased, look(leased, plan, now), now)
      : { status: 'SIMULATED', dueAt: null, keepLease: false },
    options,
  )
}

function end(leased: LeasedMessage, state: State, { recorder, metrics }: WorkOptions): Promise<void> {
  return save(leased, recorder, () => state).then((written) => {
    if (written && state.dueAt === null) metrics.finished.inc({ status: state.status })
  })
}
