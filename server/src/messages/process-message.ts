/** Processes one leased message: decide, attempt, fail over, until it is final or has to wait. */
import { during } from '../base/activity.ts'
import { standStill } from '../base/failpoint.ts'
import { keptEvent } from '../digests/events.ts'
import { deadLetter } from './dead-letter.ts'
import { type Considered, wayKey, ways } from './decide/candidates.ts'
import { type Decision, decide } from './decide/decide.ts'
import type { Ending, Pause, Question, Routed } from './decide/decision.ts'
import { escalationOf } from './decide/timeouts.ts'
import { type AttemptOptions, attempt, renderOnce } from './deliver/attempt.ts'
import { canceledState, openState, settledState } from './deliver/message-state.ts'
import { abandon, inDoubt } from './deliver/outcome.ts'
import { type Progress, progress, statusOf } from './deliver/progress.ts'
import type { StoredDelivery } from './delivery.ts'
import type { DigestFacts } from './facts.ts'
import { decisionEvents } from './history-events.ts'
import { apply, deliveryOf, type Job, type State } from './leased-message.ts'
import { type LoadOptions, load } from './load/load.ts'
import { hasStalled } from './poison-messages.ts'
import { pin, pinAgain } from './record/decision-snapshot.ts'
import { save } from './record/record.ts'
import type { Mode } from './send.ts'

export type WorkOptions = AttemptOptions & LoadOptions

/** With the wait for a slot, facts are at most two seconds old when a provider is called. */
const FACTS_MS = 1_000
const INTERRUPTED = 'The attempt was interrupted'

/** Resolves when the message is recorded and its lease given up, or lost. */
export function work(job: Job, question: Question, options: WorkOptions): Promise<void> {
  const { now } = question
  if (question.facts.erasing) job.canceled = true
  if (job.canceled) return end(job, canceledState(job, now), options)
  const decision = decided(job, question)
  if (decision.kind === 'paused') return postpone(job, decision.stop, now, options)
  const first = job.pinned === undefined
  if (!first && decision.kind === 'collected') throw new Error('What is under way is kept for no digest')
  job.pinned = job.pinned ? pinAgain(job.pinned, question) : pin(decision)
  if (first) job.events.push(...decisionEvents(decision, now))
  if (decision.kind === 'stopped') {
    if (job.deliveries.length > 0) return giveUp(job, decision.stop, now, options)
    if (!first) job.events.push(...decisionEvents(decision, now).slice(-1))
    const { status, reason, error } = decision.stop
    return end(job, { status, reason, error, dueAt: null, keepLease: false }, options)
  }
  if (decision.kind === 'collected') return collect(job, decision.stop.digest, now, options)
  const { plan } = decision
  if (plan.mode === 'mock') return simulate(job, plan, options)
  reconcile(job, plan, now)
  return pursue(job, plan, options)
}

const decided = (job: Job, question: Question): Decision =>
  during('message', job.id, 'deciding', () => {
    standStill(job.message.recipient)
    return decide(question)
  })

/** What the world did to the deliveries since: an integration has gone, a process died in the middle of a call. */
function reconcile(job: Job, plan: Routed, now: number): void {
  const possible = new Set(ways(plan.route).map(({ key }) => key))
  for (const delivery of job.deliveries) {
    const key = wayKey(delivery.channel, delivery.integration)
    // What is under way at this moment tells itself how it ends.
    if (job.attempts.has(key)) continue
    if (delivery.state === 'started') apply(job, inDoubt(delivery, INTERRUPTED, { now }))
    else if (delivery.state === 'waiting' && !possible.has(key))
      apply(job, abandon(delivery, whyNotAnyMore(delivery, plan), now))
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

const isOfTheWholeChannel = ({ integration }: Considered) => integration === undefined

/** What could be tried before cannot any more: its time is over, it is not wanted, or every integration has gone. */
function giveUp(job: Job, { error, reason }: Ending, now: number, options: WorkOptions): Promise<void> {
  const unwanted = reason === 'UNSUBSCRIBED' || reason === 'OPT_IN_REQUIRED'
  for (const delivery of job.deliveries) {
    if (delivery.state === 'started') apply(job, inDoubt(delivery, INTERRUPTED, { now }))
    if (delivery.state === 'waiting')
      apply(job, abandon(delivery, unwanted ? error : (delivery.error ?? error), now, reason))
  }
  const sent = job.deliveries.some(({ state }) => state === 'sent')
  const seen: Progress = { state: sent ? 'accepted' : 'failed', start: [], nextAt: undefined }
  return end(job, settledState(job, seen, now), options)
}

/** The one owner of the message's attempts: starts them, waits for any, writes down what ended, and ends them all. */
async function pursue(job: Job, decided: Routed, options: WorkOptions): Promise<void> {
  const { attempts } = job
  let plan = decided
  try {
    while (!job.lost) {
      if (hasStalled(job.message) && attempts.size === 0) return await deadLetter(job, options)
      let seen = look(job, plan, options.now())
      if (seen.start.length > 0 && options.now() - plan.now > FACTS_MS) {
        const fresh = await decideAgain(job, options)
        if (fresh.kind === 'routed') plan = fresh.plan
        else if (attempts.size === 0) return await halt(job, fresh, options)
        seen = fresh.kind === 'routed' ? look(job, plan, options.now()) : { ...seen, start: [] }
      }
      if (!job.canceled) for (const way of seen.start) attempts.set(way.key, attempt(job, plan, way, options))
      if (attempts.size === 0) return await finish(job, seen, options)
      const [only] = attempts.values()
      await (attempts.size === 1 ? only : Promise.race(attempts.values()))
      if (attempts.size > 0) await save(job, options.recorder, () => openState(job))
    }
  } catch (error) {
    job.lost = true
    throw error
  } finally {
    if (attempts.size > 0) await Promise.allSettled(attempts.values())
  }
}

/** Final: what tells of it is the message of the digest. */
function collect(job: Job, digest: DigestFacts, now: number, options: WorkOptions): Promise<void> {
  const { message, input } = job
  const event = {
    workspaceId: message.workspace_id,
    mode: message.mode as Mode,
    recipient: message.recipient,
    data: input.data ?? {},
    ...(input.tenantId !== undefined && { tenantId: input.tenantId }),
  }
  job.digested = keptEvent(event, digest, now)
  return end(job, { status: 'DIGESTED', dueAt: null, keepLease: false }, options)
}

/** What happened while a provider was called counts for the next one: a switch, a new key, an opt-out. */
async function decideAgain(job: Job, options: WorkOptions) {
  const [question] = await load([job], options)
  if (!question) throw new Error('One subject has one question')
  if (question.facts.erasing) job.canceled = true
  const decision = decided(job, question)
  if (decision.kind === 'collected') throw new Error('What is under way is kept for no digest')
  if (job.pinned) job.pinned = pinAgain(job.pinned, question)
  if (decision.kind === 'routed') reconcile(job, decision.plan, question.now)
  return decision
}

function halt(
  job: Job,
  decision: Extract<Decision, { kind: 'stopped' | 'paused' }>,
  options: WorkOptions,
): Promise<void> {
  const now = options.now()
  return decision.kind === 'paused'
    ? postpone(job, decision.stop, now, options)
    : giveUp(job, decision.stop, now, options)
}

/** Nothing is pinned yet: what holds when its hours open is what counts. */
function postpone(job: Job, { until }: Pause, now: number, options: WorkOptions): Promise<void> {
  job.events.push({ type: 'DELAYED', ts: now, until })
  const status = job.deliveries.length > 0 ? statusOf('open', job.deliveries) : 'DELAYED'
  return end(job, { status, dueAt: until, keepLease: false }, options)
}

function look(job: Job, plan: Routed, now: number): Progress {
  const seen = progress(plan.route, job.deliveries, job.attempts, now, escalationOf(plan))
  return job.postponedUntil === undefined ? seen : { ...seen, start: [] }
}

function finish(job: Job, seen: Progress, options: WorkOptions): Promise<void> {
  const now = options.now()
  return end(job, job.canceled ? canceledState(job, now) : settledState(job, seen, now), options)
}

/** Everything but the call: what a mock key asks for. */
async function simulate(job: Job, plan: Routed, options: WorkOptions): Promise<void> {
  const now = options.now()
  for (const way of look(job, plan, now).start) {
    const delivery = deliveryOf(job, way, now)
    if (renderOnce(job, plan, way, delivery, now)) job.events.push({ type: 'SIMULATED', ts: now, n: delivery.n })
  }
  const failed = job.deliveries.every(({ state }) => state === 'failed')
  return end(
    job,
    failed ? settledState(job, look(job, plan, now), now) : { status: 'SIMULATED', dueAt: null, keepLease: false },
    options,
  )
}

function end(job: Job, state: State, { recorder, metrics }: WorkOptions): Promise<void> {
  return save(job, recorder, () => state).then((written) => {
    if (written && state.dueAt === null) metrics.finished.inc({ status: state.status })
  })
}
