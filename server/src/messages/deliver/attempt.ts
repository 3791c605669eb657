/** One attempt at one candidate: a delivery slot, the content, the provider call, and its outcome. */

import { isDeepStrictEqual } from 'node:util'
import { during } from '../../base/activity.ts'
import type { Reply } from '../../base/exchange.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { memo } from '../../base/perf/memo.ts'
import { withoutTokens } from '../../base/secret.ts'
import { SECOND } from '../../base/time/duration.ts'
import { DraftInvalid, type Outcome } from '../../providers/provider.ts'
import { applyConfig } from '../../providers/settings.ts'
import type { Slots } from '../../queue/delivery-slots.ts'
import { RenderFailed } from '../../templates/failure.ts'
import type { Transport } from '../../transport/transport.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { mergeProfiles } from '../decide/profile.ts'
import { providerOverride, type Rendered, render } from '../decide/render.ts'
import { isTimed, windowsOf } from '../decide/window.ts'
import { channelStartedAt, deliveryId, type StoredDelivery } from '../delivery.ts'
import { apply, deliveryOf, type LeasedMessage } from '../leased-message.ts'
import { type Recorder, save } from '../record/record.ts'
import { openState } from './message-state.ts'
import { type AttemptContext, abandon, concurrencyLimited, sent, settle, type Times } from './outcome.ts'
import { alternativesTo } from './progress.ts'

export interface AttemptOptions extends DeliverOptions {
  recorder: Recorder
  slots: Slots
  metrics: Metrics
  random(): number
}

/** With the second after which facts are read again, they are at most two seconds old when a provider is called. */
const SLOT_WAIT_MS = 900

/** Leaves its outcome with the job. */
export async function attempt(
  leased: LeasedMessage,
  plan: Routed,
  candidate: RouteCandidate,
  options: AttemptOptions,
): Promise<void> {
  const { now, slots } = options
  const asked = now()
  const slot = await slots.acquire(candidate.integration.id, SLOT_WAIT_MS)
  try {
    if (slot.kind === 'crowded') {
      // Spread, so that they do not all come back at once.
      const waitMs = Math.round(slot.waitMs * (1 + options.random()))
      return yieldSlot(leased, plan, candidate, { asked, waitMs, now: now() })
    }
    if (!mayCall(leased, now())) return
    const delivery = deliveryOf(leased, candidate, now())
    const rendered = renderOnce(leased, plan, candidate, delivery, now())
    if (!rendered) return
    failpoint('after-render')
    if (plan.notification.atMostOnce && !(await announce(leased, delivery, options))) return
    const started = now()
    const bound = { signal: leased.signal, withinMs: attemptMs(leased, plan, candidate, started) }
    observeBegin(leased, delivery, started, options)
    leased.calling += 1
    const delivered = await deliver(plan, candidate, rendered, bound, options)
    leased.calling -= 1
    conclude(leased, plan, candidate, { delivery, delivered, started, now: now() }, options)
  } finally {
    if (slot.kind === 'free') slot.release()
    leased.attempts.delete(candidate.key)
  }
}

interface Crowded {
  /** When it had its turn. */
  asked: number
  now: number
  waitMs: number
}

/** Where nobody else can take over, the message waits as a whole: of the candidate nothing is known yet. */
function yieldSlot(
  leased: LeasedMessage,
  plan: Routed,
  candidate: RouteCandidate,
  { asked, waitMs, now }: Crowded,
): void {
  const at = standing(leased, plan, candidate, now)
  const { sameChannel, otherChannel } = at.alternatives
  if (sameChannel || otherChannel) apply(leased, concurrencyLimited(deliveryOf(leased, candidate, asked), waitMs, at))
  else leased.postponedUntil = Math.min(now + waitMs, Math.max(now, at.deadline))
}

function standing(leased: LeasedMessage, plan: Routed, candidate: RouteCandidate, now: number): AttemptContext {
  const windows = windowsOf(plan, candidate)
  return {
    now,
    alternatives: alternativesTo(plan.route, leased.deliveries, candidate.key),
    windows,
    channelStartedAt: channelStartedAt(leased.deliveries, candidate.channel, now),
    deadline: plan.firstDue + windows.messageMs,
    atMostOnce: plan.notification.atMostOnce,
  }
}

/** Not cancelled, and the lease holds: asked of the clock, because no timer has run yet when a stopped process goes on. */
function mayCall(leased: LeasedMessage, now: number): boolean {
  if (now >= leased.until) leased.lost = true
  return !leased.canceled && !leased.lost
}

/** Of a message that was sent alone: one of many waits its turn. */
function observeBegin(
  { message, deliveries }: LeasedMessage,
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

function conclude(
  leased: LeasedMessage,
  plan: Routed,
  candidate: RouteCandidate,
  called: Called,
  { metrics, random }: AttemptOptions,
): void {
  const { delivery, started, now } = called
  const { outcome, kept } = called.delivered
  const { title: integration, provider } = candidate.integration
  metrics.attempts.inc({ provider: provider.key, integration, outcome: outcome.kind })
  metrics.attemptSeconds.observe({ provider: provider.key, integration }, (now - started) / SECOND)
  if (kept && outcome.kind === 'sent') keep(leased, candidate, delivery.n, kept, now)
  const before = leased.deliveries[delivery.n] ?? delivery
  apply(
    leased,
    outcome.kind === 'sent'
      ? sent(before, outcome, { started, now })
      : settle(before, outcome, { started, random: random(), ...standing(leased, plan, candidate, now) }),
  )
}

/** Commits that a call is about to begin; false when it must not: the lease is lost, or somebody cancelled meanwhile. */
async function announce(
  leased: LeasedMessage,
  delivery: StoredDelivery,
  { recorder, now }: AttemptOptions,
): Promise<boolean> {
  apply(leased, { delivery: { ...delivery, state: 'started' }, events: [] })
  if ((await save(leased, recorder, () => openState(leased))) && mayCall(leased, now())) return true
  apply(leased, { delivery, events: [] })
  return false
}

/** Somebody else can follow, and the message says how long that one waits. */
function attemptMs(leased: LeasedMessage, plan: Routed, candidate: RouteCandidate, now: number): number {
  if (!isTimed(plan)) return Number.POSITIVE_INFINITY
  const { providerMs, channelMs, messageMs } = windowsOf(plan, candidate)
  const { sameChannel, otherChannel } = alternativesTo(plan.route, leased.deliveries, candidate.key)
  const bounds = [plan.firstDue + messageMs - now]
  if (sameChannel || otherChannel) bounds.push(providerMs)
  if (otherChannel) bounds.push(channelStartedAt(leased.deliveries, candidate.channel, now) + channelMs - now)
  return Math.max(1, Math.min(...bounds))
}

function keep(
  leased: LeasedMessage,
  candidate: RouteCandidate,
  n: number,
  content: Record<string, unknown>,
  now: number,
): void {
  leased.kept.push({
    id: deliveryId(leased.message.id, n),
    message_id: leased.message.id,
    channel: candidate.channel,
    recipient: leased.message.recipient,
    received: now,
    content: JSON.stringify(content),
  })
}

/** Made once for each channel instead of for each message. */
const renderingFor = memo(16, (channel) => `rendering it for ${channel}`)

/** Undefined when the words cannot be made: the delivery has ended, and another candidate may be tried. */
export function renderOnce(
  leased: LeasedMessage,
  plan: Routed,
  candidate: RouteCandidate,
  delivery: StoredDelivery,
  now: number,
): Rendered | undefined {
  const { n } = delivery
  try {
    const rendered = during('message', leased.id, renderingFor(candidate.channel), () => render(plan, candidate, n))
    if (delivery.attempts === 0 && delivery.limited === undefined) leased.events.push({ type: 'RENDERED', ts: now, n })
    return rendered
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof DraftInvalid)) throw error
    apply(leased, abandon(delivery, error.message, now))
    return undefined
  }
}

export interface Delivered {
  outcome: Outcome
  /** What the sandbox keeps, written with the outcome. */
  kept?: JsonObject
}

export interface DeliverOptions {
  transport: Pick<Transport, 'perform'>
  now(): number
  log: Log
}

/** A look-up, a token, the message itself, one repeat with a fresh token: no API of a provider needs more. */
const REQUESTS_MAX = 4
/** A single attempt ends well before its lease (45 s). */
const ATTEMPT_MS = 30 * SECOND

/** When an attempt ends at the latest: the time its message gives it, and the lease. */
export interface Bound {
  signal: AbortSignal
  withinMs: number
}

/** Never rejects. */
export async function deliver(
  plan: Routed,
  candidate: RouteCandidate,
  { draft, message }: Rendered,
  { signal, withinMs }: Bound,
  { transport, now, log }: DeliverOptions,
): Promise<Delivered> {
  const { provider, settings: stored } = candidate.integration
  const deadline = now() + Math.min(ATTEMPT_MS, withinMs)
  let kept: JsonObject | undefined
  let handedOver = false
  try {
    const applied = applyConfig(provider, stored, providerOverride(plan, provider.key).config)
    const { settings, issues, moved } = applied
    const withheld = applied.withheld.map((key) => `\`${key}\` of the integration`)
    if (issues.length > 0) return { outcome: refusedWithout(withheld, unusable(issues)) }
    const to = moved ? contactAway(plan, candidate, settings) : candidate.to
    if (moved && !isDeepStrictEqual(to, candidate.to)) withheld.push('those of the profile')
    if (to === undefined) return { outcome: refusedWithout(withheld, UNREACHABLE) }
    const activity = talkingTo(provider.key)
    const advance = (reply?: Reply) =>
      during('message', plan.messageId, activity, () => (reply ? steps.next(reply) : steps.next()))
    const steps = provider.deliver({ draft, to, settings, message, channel: candidate.channel, now: now() })
    let step = advance()
    for (let requests = 0; !step.done; requests += 1) {
      if (requests === REQUESTS_MAX) throw new Error(`${provider.key} asks for more than ${REQUESTS_MAX} requests`)
      const request = step.value
      handedOver ||= request.final
      let reply: Reply
      if (request.kind === 'keep') {
        kept = request.content
        reply = { kind: 'keep' }
      } else {
        failpoint('mid-request')
        reply = await transport.perform(request, { signal, timeoutMs: Math.max(1, deadline - now()) })
      }
      step = advance(reply)
    }
    const outcome = step.value
    const isRefused = outcome.kind === 'rejected' && outcome.scope === 'configuration'
    return { outcome: isRefused ? refusedWithout(withheld, outcome.error) : outcome, ...(kept && { kept }) }
  } catch (error) {
    log.error({ err: error, provider: provider.key, message: plan.messageId }, 'an adapter failed')
    const fault = 'Internal fault of the adapter'
    // After the request that hands it over nobody knows whether the provider has it.
    return {
      outcome: handedOver ? { kind: 'in_doubt', error: fault } : { kind: 'retry', error: fault, attempted: true },
    }
  }
}

/** Put together once for each provider, not for each message. */
const talkingTo = memo(256, (provider) => `talking to ${provider}`)

const unusable = (issues: readonly string[]) =>
  `The settings are not usable with the config of the override: ${issues.join('; ')}`

/** `withheld`: the stored secrets that an override leaves behind by moving the address. */
const refusedWithout = (withheld: readonly string[], error: string): Outcome => ({
  kind: 'rejected',
  scope: 'configuration',
  error: withheld.length === 0 ? error : `${movedFrom(withheld)} ${error}`,
})

const movedFrom = (withheld: readonly string[]) =>
  `The override moves the address, and stored secrets do not go along (${withheld.join(', ')}): give them with the send.`

/** The recipient's address when an override changes it: the secrets of the stored profile are not sent there. */
function contactAway(
  { profile, input }: Routed,
  { channel, integration }: RouteCandidate,
  settings: JsonObject,
): unknown {
  const { provider } = integration
  const open = mergeProfiles(withoutTokens(profile.stored, provider.ownAddresses), profile.received)
  return provider.contact(open, settings, { recipient: input.recipient, channel })
}

const UNREACHABLE = 'Without them nothing names the recipient'
