/** One attempt at one way: a slot, the words, the call, and what became of it. */
import { during } from '../../base/activity.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { Metrics } from '../../base/metrics.ts'
import { memo } from '../../base/perf/memo.ts'
import { SECOND } from '../../base/time/duration.ts'
import { DraftInvalid } from '../../providers/provider.ts'
import type { Slots } from '../../queue/delivery-slots.ts'
import { RenderFailed } from '../../templates/failure.ts'
import type { Way } from '../decide/candidates.ts'
import type { Routed } from '../decide/decision.ts'
import { type Rendered, render } from '../decide/render.ts'
import { isTimed, windowsOf } from '../decide/timeouts.ts'
import { channelBegan, deliveryId, type StoredDelivery } from '../delivery.ts'
import { apply, deliveryOf, type Job } from '../leased-message.ts'
import { type Recorder, save } from '../record/record.ts'
import { openState } from './message-state.ts'
import { abandon, crowdedOut, type Standing, sent, settle, type Times } from './outcome.ts'
import { hasAlternative } from './progress.ts'
import { type Delivered, type DeliverOptions, deliver } from './provider-call.ts'

export interface AttemptOptions extends DeliverOptions {
  recorder: Recorder
  slots: Slots
  metrics: Metrics
  random(): number
}

/** With the second after which facts are read again, they are at most two seconds old when a provider is called. */
const SLOT_WAIT_MS = 900

/** Leaves its outcome with the job. */
export async function attempt(job: Job, plan: Routed, way: Way, options: AttemptOptions): Promise<void> {
  const { now, slots } = options
  const asked = now()
  const slot = await slots.acquire(way.integration.id, SLOT_WAIT_MS)
  try {
    if (slot.kind === 'crowded') {
      // Spread, so that they do not all come back at once.
      const waitMs = Math.round(slot.waitMs * (1 + options.random()))
      return stepAside(job, plan, way, { asked, waitMs, now: now() })
    }
    if (!mayCall(job, now())) return
    const delivery = deliveryOf(job, way, now())
    const rendered = renderOnce(job, plan, way, delivery, now())
    if (!rendered) return
    failpoint('after-render')
    if (plan.notification.atMostOnce && !(await announce(job, delivery, options))) return
    const started = now()
    const bound = { signal: job.signal, withinMs: attemptMs(job, plan, way, started) }
    observeBegin(job, delivery, started, options)
    job.calling += 1
    const delivered = await deliver(plan, way, rendered, bound, options)
    job.calling -= 1
    conclude(job, plan, way, { delivery, delivered, started, now: now() }, options)
  } finally {
    if (slot.kind === 'free') slot.release()
    job.attempts.delete(way.key)
  }
}

interface Crowded {
  /** When it had its turn. */
  asked: number
  now: number
  waitMs: number
}

/** Where nobody else can take over, the message waits as a whole: of the way nothing is known yet. */
function stepAside(job: Job, plan: Routed, way: Way, { asked, waitMs, now }: Crowded): void {
  const at = standing(job, plan, way, now)
  const { sameChannel, otherChannel } = at.alternatives
  if (sameChannel || otherChannel) apply(job, crowdedOut(deliveryOf(job, way, asked), waitMs, at))
  else job.postponedUntil = Math.min(now + waitMs, Math.max(now, at.deadline))
}

function standing(job: Job, plan: Routed, way: Way, now: number): Standing {
  const windows = windowsOf(plan, way)
  return {
    now,
    alternatives: hasAlternative(plan.route, job.deliveries, way.key),
    windows,
    channelBegan: channelBegan(job.deliveries, way.channel, now),
    deadline: plan.firstDue + windows.messageMs,
    atMostOnce: plan.notification.atMostOnce,
  }
}

/** Not cancelled, and the lease holds: asked of the clock, because no timer has run yet when a stopped process goes on. */
function mayCall(job: Job, now: number): boolean {
  if (now >= job.until) job.lost = true
  return !job.canceled && !job.lost
}

/** Of a message that was sent alone: one of many waits its turn. */
function observeBegin(
  { message, deliveries }: Job,
  { attempts }: StoredDelivery,
  now: number,
  { metrics }: AttemptOptions,
) {
  const { enqueued, first_due, request_id } = message
  if (attempts === 0 && deliveries.length === 1 && first_due <= enqueued && request_id === null)
    metrics.acceptToCallSeconds.observe({}, (now - enqueued) / SECOND)
}

interface Called extends Times {
  /** As it was when the call began. */
  delivery: StoredDelivery
  delivered: Delivered
}

function conclude(job: Job, plan: Routed, way: Way, called: Called, { metrics, random }: AttemptOptions): void {
  const { delivery, started, now } = called
  const { outcome, kept } = called.delivered
  const { title: integration, provider } = way.integration
  metrics.attempts.inc({ provider: provider.key, integration, outcome: outcome.kind })
  metrics.attemptSeconds.observe({ provider: provider.key, integration }, (now - started) / SECOND)
  if (kept && outcome.kind === 'sent') keep(job, way, delivery.n, kept, now)
  const before = job.deliveries[delivery.n] ?? delivery
  apply(
    job,
    outcome.kind === 'sent'
      ? sent(before, outcome, { started, now })
      : settle(before, outcome, { started, random: random(), ...standing(job, plan, way, now) }),
  )
}

/** Commits that a call is about to begin; false when it must not: the lease is lost, or somebody cancelled meanwhile. */
async function announce(job: Job, delivery: StoredDelivery, { recorder, now }: AttemptOptions): Promise<boolean> {
  apply(job, { delivery: { ...delivery, state: 'started' }, events: [] })
  if ((await save(job, recorder, () => openState(job))) && mayCall(job, now())) return true
  apply(job, { delivery, events: [] })
  return false
}

/** Somebody else can follow, and the message says how long that one waits. */
function attemptMs(job: Job, plan: Routed, way: Way, now: number): number {
  if (!isTimed(plan)) return Number.POSITIVE_INFINITY
  const { providerMs, channelMs, messageMs } = windowsOf(plan, way)
  const { sameChannel, otherChannel } = hasAlternative(plan.route, job.deliveries, way.key)
  const bounds = [plan.firstDue + messageMs - now]
  if (sameChannel || otherChannel) bounds.push(providerMs)
  if (otherChannel) bounds.push(channelBegan(job.deliveries, way.channel, now) + channelMs - now)
  return Math.max(1, Math.min(...bounds))
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

/** Made once for each channel instead of for each message. */
const renderingFor = memo(16, (channel) => `rendering it for ${channel}`)

/** Undefined when the words cannot be made: the delivery has ended, and another way may be tried. */
export function renderOnce(
  job: Job,
  plan: Routed,
  way: Way,
  delivery: StoredDelivery,
  now: number,
): Rendered | undefined {
  const { n } = delivery
  try {
    const rendered = during('message', job.id, renderingFor(way.channel), () => render(plan, way, n))
    if (delivery.attempts === 0 && delivery.limited === undefined) job.events.push({ type: 'RENDERED', ts: now, n })
    return rendered
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof DraftInvalid)) throw error
    apply(job, abandon(delivery, error.message, now))
    return undefined
  }
}
