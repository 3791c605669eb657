/** One message from its lease to its record: decide, attempt, fail over, until it is final or has to wait. */
import { failpoint } from '../base/failpoint.ts'
import type { Metrics } from '../base/metrics.ts'
import { DraftInvalid } from '../providers/provider.ts'
import type { Slots } from '../queue/slots.ts'
import { RenderFailed } from '../templates/failure.ts'
import { hasAlternative, type Progress, progress } from './advance.ts'
import { type Decision, decide } from './decide/decide.ts'
import type { Question, Routed, Stop } from './decide/deciding.ts'
import { type Rendered, render } from './decide/render.ts'
import { type Way, wayKey, ways } from './decide/route.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import { deliveryId } from './delivery.ts'
import { decisionEvents } from './events.ts'
import { apply, deliveryOf, type Job, type Pinned, replaceDelivery, type State, snapshot } from './job.ts'
import { abandon, inDoubt, settle } from './outcome.ts'
import type { Recorder } from './record.ts'
import { canceledState, openState, settledState } from './state.ts'

export interface WorkOptions extends Omit<DeliverOptions, 'signal'> {
  recorder: Recorder
  slots: Slots
  metrics: Metrics
  random(): number
}

/** With the second that configuration is remembered, facts are at most two seconds old when a provider is called. */
const SLOT_WAIT_MS = 900
const INTERRUPTED = 'The attempt was interrupted'

/** Resolves when the message is recorded and its lease given up, or lost. */
export async function work(job: Job, question: Question, options: WorkOptions): Promise<void> {
  const { now } = question
  if (job.canceled) return end(job, canceledState(job, now), options)
  const decision = decide(question)
  const first = job.pinned === undefined
  if (first) {
    job.pinned = pin(decision)
    job.events.push(...decisionEvents(decision, now))
  }
  if (decision.kind === 'stopped') {
    if (job.deliveries.length > 0) return giveUp(job, decision.stop, now, options)
    if (!first) job.events.push(...decisionEvents(decision, now).slice(-1))
    const { status, reason, error } = decision.stop
    return end(job, { status, reason, error, dueAt: null, keepLease: false }, options)
  }
  const { plan } = decision
  if (plan.mode === 'mock') return simulate(job, plan, options)
  reconcile(job, plan, now)
  return proceed(job, plan, options)
}

function pin(decision: Decision): Pinned {
  const known = decision.kind === 'routed' ? decision.plan : decision.known
  const { mapping, storedProfile } = known.facts
  return {
    ...(mapping && {
      notification: {
        id: mapping.notificationId,
        ...(mapping.notification && { version: mapping.notification.version }),
      },
    }),
    ...(storedProfile && { profile: storedProfile }),
    ...(decision.considered.length > 0 && { considered: decision.considered }),
  }
}

/** What the world did to the deliveries since: an integration has gone, a process died in the middle of a call. */
function reconcile(job: Job, plan: Routed, now: number): void {
  const possible = new Set(ways(plan.route).map(({ key }) => key))
  for (const delivery of job.deliveries) {
    if (delivery.state === 'started') apply(job, inDoubt(delivery, INTERRUPTED, { now }))
    else if (delivery.state === 'waiting' && !possible.has(wayKey(delivery.channel, delivery.integration)))
      apply(job, abandon(delivery, 'The integration can no longer be used for this recipient', now))
  }
}

/** What could be tried before cannot any more: its time is over, or every integration has gone. */
function giveUp(job: Job, { error, reason }: Stop, now: number, options: WorkOptions): Promise<void> {
  for (const delivery of job.deliveries) {
    if (delivery.state === 'started') apply(job, inDoubt(delivery, INTERRUPTED, { now }))
    if (delivery.state === 'waiting') apply(job, abandon(delivery, delivery.error ?? error, now, reason))
  }
  const sent = job.deliveries.some(({ state }) => state === 'sent')
  const seen: Progress = { state: sent ? 'accepted' : 'failed', start: [], nextAt: undefined }
  return end(job, settledState(job, seen, now), options)
}

/** Starts what is to be started; ends the work when nothing is under way. */
async function proceed(job: Job, plan: Routed, options: WorkOptions): Promise<void> {
  const seen = look(job, plan, options.now())
  if (seen.start.length > 0 && !job.canceled) {
    await Promise.all(seen.start.map((way) => attempt(job, plan, way, options)))
    return
  }
  if (job.busy.size > 0) return
  const now = options.now()
  await end(job, job.canceled && job.calling === 0 ? canceledState(job, now) : settledState(job, seen, now), options)
}

function look(job: Job, plan: Routed, now: number): Progress {
  const seen = progress(plan.route, job.deliveries, job.busy, now)
  // An at-most-once attempt whose outcome is unknown must not be found out by sending another way.
  if (job.deliveries.some(({ reason }) => reason === 'IN_DOUBT'))
    return { state: 'failed', start: [], nextAt: undefined }
  return job.postponedUntil === undefined ? seen : { ...seen, start: [] }
}

async function attempt(job: Job, plan: Routed, way: Way, options: WorkOptions): Promise<void> {
  job.busy.add(way.key)
  const slot = await options.slots.acquire(way.integration.id, SLOT_WAIT_MS)
  if (slot.kind === 'crowded') {
    // Spread, so that they do not all come back at once.
    job.postponedUntil = options.now() + Math.round(slot.waitMs * (1 + options.random()))
  } else if (job.canceled || job.lost) slot.release()
  else await call(job, plan, way, options).finally(slot.release)
  job.busy.delete(way.key)
  if (job.lost) return
  if (job.busy.size > 0) {
    const state = openState(job)
    if (!(await options.recorder.record(snapshot(job, state), job))) {
      job.lost = true
      return
    }
  }
  return proceed(job, plan, options)
}

async function call(job: Job, plan: Routed, way: Way, options: WorkOptions): Promise<void> {
  const started = options.now()
  const delivery = deliveryOf(job, way, started)
  const rendered = renderOnce(job, plan, way, delivery.n, started)
  if (!rendered) return
  failpoint('after-render')
  if (plan.notification.atMostOnce) {
    replaceDelivery(job, { ...delivery, state: 'started' })
    if (!(await options.recorder.record(snapshot(job, openState(job)), job))) {
      job.lost = true
      return
    }
  }
  if (delivery.attempts === 0 && job.deliveries.length === 1 && job.message.first_due <= job.message.enqueued)
    options.metrics.acceptToCallSeconds.observe((started - job.message.enqueued) / 1000)

  job.calling += 1
  options.metrics.slotsUsed.set(options.slots.used)
  const { outcome, kept } = await deliver(plan, way, rendered.draft, delivery.n, {
    ...options,
    signal: job.signal,
  })
  job.calling -= 1
  options.metrics.slotsUsed.set(options.slots.used - 1)
  const now = options.now()
  options.metrics.attempts.inc({ provider: way.integration.provider.key, outcome: outcome.kind })
  options.metrics.attemptSeconds.observe({ provider: way.integration.provider.key }, (now - started) / 1000)
  if (kept && outcome.kind === 'sent') keep(job, way, delivery.n, kept, now)
  const current = job.deliveries[delivery.n] ?? delivery
  apply(
    job,
    settle(current, outcome, {
      started,
      now,
      random: options.random(),
      alternatives: hasAlternative(plan.route, job.deliveries, way.key),
      windows: plan.facts.windows,
      deadline: plan.firstDue + plan.facts.windows.messageMs,
      atMostOnce: plan.notification.atMostOnce,
    }),
  )
}

function keep(job: Job, way: Way, n: number, content: Record<string, unknown>, now: number): void {
  job.kept.push({
    id: deliveryId(job.message.id, n),
    message_id: job.message.id,
    channel: way.channel,
    recipient: job.message.recipient,
    received: now,
    content: JSON.stringify(content),
  })
}

/** Undefined when the words cannot be made: the delivery has ended, and another way may be tried. */
function renderOnce(job: Job, plan: Routed, way: Way, n: number, now: number): Rendered | undefined {
  const delivery = job.deliveries[n]
  if (!delivery) return undefined
  try {
    const rendered = render(plan, way, n)
    if (delivery.attempts === 0 && delivery.nextAt === undefined) job.events.push({ type: 'RENDERED', ts: now, n })
    return rendered
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof DraftInvalid)) throw error
    apply(job, abandon(delivery, error.message, now))
    return undefined
  }
}

/** Everything but the call: what a mock key asks for. */
async function simulate(job: Job, plan: Routed, options: WorkOptions): Promise<void> {
  const now = options.now()
  for (const way of look(job, plan, now).start) {
    const delivery = deliveryOf(job, way, now)
    if (renderOnce(job, plan, way, delivery.n, now)) job.events.push({ type: 'SIMULATED', ts: now, n: delivery.n })
  }
  const failed = job.deliveries.every(({ state }) => state === 'failed')
  return end(
    job,
    failed ? settledState(job, look(job, plan, now), now) : { status: 'SIMULATED', dueAt: null, keepLease: false },
    options,
  )
}

async function end(job: Job, state: State, { recorder, metrics }: WorkOptions): Promise<void> {
  const written = await recorder.record(snapshot(job, state), job)
  if (written && state.dueAt === null) metrics.finished.inc({ status: state.status })
}
