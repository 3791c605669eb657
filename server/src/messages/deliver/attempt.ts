/** One attempt at one candidate: a delivery slot, the content, the provider call, and its outcome. */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { during } from '../../base/activity.ts'
import type { Reply } from '../../base/exchange.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { memo } from '../../base/perf/cache.ts'
import { withoutTokens } from '../../base/secret.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { CallHealth } from '../../limits/circuit-breaker.ts'
import type { IntegrationGates } from '../../limits/integration-gates.ts'
import { addressOf } from '../../providers/address.ts'
import type { Rejected } from '../../providers/outcome.ts'
import { DraftInvalid, type Outcome, type Attempt as ProviderAttempt } from '../../providers/provider.ts'
import { applyConfig } from '../../providers/settings.ts'
import type { Slots } from '../../queue/delivery-slots.ts'
import { RenderFailed } from '../../templates/failure.ts'
import type { Transport } from '../../transport/transport.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { storedTokenOf, tokenInProfile } from '../decide/devices.ts'
import { mergeProfiles } from '../decide/merged-profile.ts'
import { providerOverride, type Rendered, render } from '../decide/render.ts'
import { isTimed, windowsOf } from '../decide/window.ts'
import { channelStartedAt, deliveryId, type StoredDelivery } from '../delivery.ts'
import type { LeasedMessage } from '../leased-message.ts'
import { callHealth, isAddressOfIntegration } from './call-health.ts'
import type { DeliveringMessage } from './delivering-message.ts'
import {
  abandon,
  afterFailure,
  alternativesTo,
  concurrencyLimited,
  type FailoverContext,
  heldBack,
  sent,
} from './failover.ts'

export interface CallOptions {
  transport: Pick<Transport, 'perform'>
  now(): number
  log: Log
  /** Where the provider of an integration is to report to. Absent without a public address. */
  callbackUrl?: ((workspaceId: number, integrationId: string) => string) | undefined
}

export interface AttemptOptions extends CallOptions {
  slots: Slots
  gates: Pick<IntegrationGates, 'enter'>
  metrics: Metrics
  random(): number
}

/**
 * How long a call waits for its integration. With the second after which facts are read again, they are at most two
 * seconds old when a provider is called.
 */
export const SLOT_WAIT_MS = 900
/** A single attempt ends well before its lease (45 s). */
const ATTEMPT_MS = 30 * SECOND
/** A look-up, a token, the message itself, one repeat with a new token: no API of a provider needs more. */
const REQUESTS_MAX = 4

/** Resolves when its outcome is applied to the message. */
export async function attempt(
  message: DeliveringMessage,
  candidate: RouteCandidate,
  options: AttemptOptions,
): Promise<void> {
  const { leased, plan } = message
  const { now, slots, gates } = options
  const requestedAt = now()
  const limits = { waitMs: SLOT_WAIT_MS, isOwnAddress: isAddressOfIntegration(plan, candidate) }
  // Awaited also when it is known at once: the caller adds this attempt to those in progress when this function returns.
  const entry = await gates.enter(leased.message.workspace_id, candidate.integration, limits)
  if (entry.kind === 'refused') {
    const context = failoverContext(message, plan, candidate, now())
    message.apply(heldBack(message.deliveryOf(candidate, requestedAt), entry, context))
    message.attempts.delete(candidate.key)
    return
  }
  const slot = await slots.acquire(candidate.integration.id, Math.max(0, requestedAt + SLOT_WAIT_MS - now()))
  let evidence: Evidence = {}
  try {
    if (slot.kind === 'limited') {
      // Spread, so that the messages do not all return at once.
      const waitMs = Math.round(slot.waitMs * (1 + options.random()))
      return yieldSlot(message, plan, candidate, { requestedAt, waitMs, now: now() })
    }
    // With the plan it was started by: the message may be decided again while it waits.
    evidence = await callAndApply(message, plan, candidate, options)
  } finally {
    if (slot.kind === 'free') slot.release()
    entry.leave(evidence.health, evidence.error)
    message.attempts.delete(candidate.key)
  }
}

/** The health of the integration as a call has shown it; empty where none was made. */
interface Evidence {
  health?: CallHealth | undefined
  error?: string
}

async function callAndApply(
  message: DeliveringMessage,
  plan: Routed,
  candidate: RouteCandidate,
  options: AttemptOptions,
): Promise<Evidence> {
  const { leased } = message
  const { lease } = leased
  const { now, metrics } = options
  if (!lease.mayCall(now())) return {}
  const delivery = message.deliveryOf(candidate, now())
  const rendered = renderOrAbandon(message, plan, candidate, delivery, now())
  if (!rendered) return {}
  failpoint('after-render')
  if (plan.notification.atMostOnce && !(await writeStart(message, delivery, now))) return {}
  const startedAt = now()
  const terms: CallTerms = { signal: lease.signal, withinMs: attemptMs(message, plan, candidate, startedAt) }
  const url = callbackUrlOf(leased, candidate, options)
  if (url !== undefined) terms.callbackUrl = url
  observeFirstCall(message, delivery, startedAt, metrics)
  lease.startCall()
  const { outcome, kept, reply } = await callProvider(plan, candidate, rendered, terms, options)
  lease.endCall()
  const endedAt = now()
  const { provider, title: integration } = candidate.integration
  metrics.attempts.inc({ provider: provider.key, integration, outcome: outcome.kind })
  metrics.attemptSeconds.observe({ provider: provider.key, integration }, (endedAt - startedAt) / SECOND)
  const before = message.deliveries[delivery.n] ?? delivery
  const health = callHealth(outcome, reply, terms.withinMs < ATTEMPT_MS)
  if (outcome.kind === 'sent') {
    if (kept) keepInMailbox(message, candidate, delivery.n, kept, endedAt)
    message.apply(sent(before, outcome, { startedAt, now: endedAt }))
    return { health }
  }
  const context = failoverContext(message, plan, candidate, endedAt)
  const failure = outcome.kind === 'rejected' ? goneAddress(message, plan, candidate, outcome, endedAt) : outcome
  message.apply(afterFailure(before, failure, { ...context, startedAt, random: options.random() }))
  return { health, error: outcome.error }
}

interface MissingSlot {
  /** When the candidate had its turn. */
  requestedAt: number
  waitMs: number
  now: number
}

/** The next in line takes over. Where there is none, the whole message waits. */
function yieldSlot(
  message: DeliveringMessage,
  plan: Routed,
  candidate: RouteCandidate,
  { requestedAt, waitMs, now }: MissingSlot,
): void {
  const context = failoverContext(message, plan, candidate, now)
  const { sameChannel, otherChannel } = context.alternatives
  if (sameChannel || otherChannel)
    message.apply(concurrencyLimited(message.deliveryOf(candidate, requestedAt), waitMs, context))
  else message.postpone(Math.min(now + waitMs, Math.max(now, context.deadline)))
}

function failoverContext(
  { deliveries }: DeliveringMessage,
  plan: Routed,
  candidate: RouteCandidate,
  now: number,
): FailoverContext {
  const windows = windowsOf(plan, candidate)
  return {
    now,
    alternatives: alternativesTo(candidate.key, plan.route, deliveries),
    windows,
    channelStartedAt: channelStartedAt(deliveries, candidate.channel, now),
    deadline: plan.firstDue + windows.messageMs,
    atMostOnce: plan.notification.atMostOnce,
  }
}

/** Only of messages that were sent alone: one of many waits for its turn. */
function observeFirstCall(
  { leased: { message }, deliveries }: DeliveringMessage,
  { attempts, heldMs }: StoredDelivery,
  now: number,
  metrics: Metrics,
): void {
  const { enqueued, first_due, request_id } = message
  const isPrompt = first_due <= enqueued && heldMs === undefined
  if (attempts === 0 && deliveries.length === 1 && isPrompt && request_id === null)
    metrics.acceptToCallSeconds.observe({}, (now - enqueued) / SECOND)
}

/** Commits that an at-most-once call starts. False when it must not start: the lease is lost, or the message was canceled. */
async function writeStart(message: DeliveringMessage, delivery: StoredDelivery, now: () => number): Promise<boolean> {
  message.apply({ delivery: { ...delivery, state: 'started' }, events: [] })
  if ((await message.write()) && message.leased.lease.mayCall(now())) return true
  message.apply({ delivery, events: [] })
  return false
}

/** How long the call may take: only the message itself can set a limit below that of every attempt. */
function attemptMs({ deliveries }: DeliveringMessage, plan: Routed, candidate: RouteCandidate, now: number): number {
  if (!isTimed(plan)) return ATTEMPT_MS
  const { providerMs, channelMs, messageMs } = windowsOf(plan, candidate)
  const { sameChannel, otherChannel } = alternativesTo(candidate.key, plan.route, deliveries)
  const limits = [ATTEMPT_MS, plan.firstDue + messageMs - now]
  if (sameChannel || otherChannel) limits.push(providerMs)
  if (otherChannel) limits.push(channelStartedAt(deliveries, candidate.channel, now) + channelMs - now)
  return Math.max(1, Math.min(...limits))
}

/** A stored token that is gone fails, and is active again when its app registers it; any other address is suppressed. */
function goneAddress(
  message: DeliveringMessage,
  plan: Routed,
  { channel, integration, device, to }: RouteCandidate,
  rejection: Rejected,
  at: number,
): Rejected {
  const { gone, ...withoutAddress } = rejection
  if (!gone) return rejection
  const provider = integration.provider.key
  const stored = device && storedTokenOf(device, provider, plan)
  if (stored) {
    message.addDeadToken({ token: stored.token, version: stored.version, reason: rejection.error })
    return withoutAddress
  }
  const address = addressOf(channel, to)
  if (address) message.suppress({ ...address, reason: gone, provider, at })
  return rejection
}

function keepInMailbox(
  message: DeliveringMessage,
  { channel }: RouteCandidate,
  n: number,
  content: JsonObject,
  received: number,
): void {
  const { id, recipient } = message.leased.message
  message.keepInMailbox({
    id: deliveryId(id, n),
    message_id: id,
    channel,
    recipient,
    received,
    content: JSON.stringify(content),
  })
}

/** Built once for each channel instead of for each message. */
const renderingFor = memo(16, (channel) => `rendering it for ${channel}`)

/** Undefined when the content cannot be rendered: the delivery has ended, and another candidate may be tried. */
export function renderOrAbandon(
  message: DeliveringMessage,
  plan: Routed,
  candidate: RouteCandidate,
  delivery: StoredDelivery,
  now: number,
): Rendered | undefined {
  const { n } = delivery
  try {
    const rendered = during('message', plan.messageId, renderingFor(candidate.channel), () =>
      render(plan, candidate, n),
    )
    if (delivery.attempts === 0 && delivery.limited === undefined) message.addEvent({ type: 'RENDERED', ts: now, n })
    return rendered
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof DraftInvalid)) throw error
    message.apply(abandon(delivery, error.message, now))
    return undefined
  }
}

export interface CallResult {
  outcome: Outcome
  /** The last one; undefined when none came, and when the adapter failed. */
  reply?: Reply | undefined
  /** Content for the mailbox, written with the outcome. */
  kept?: JsonObject
}

/** When a call ends at the latest, and where its provider is to report to. */
export interface CallTerms {
  /** Aborted with the lease. */
  signal: AbortSignal
  withinMs: number
  callbackUrl?: string
}

/** Undefined for a provider that reports nothing, and without a public address. */
const callbackUrlOf = (
  { message }: LeasedMessage,
  { integration: { id, provider } }: RouteCandidate,
  { callbackUrl }: CallOptions,
) => (provider.callbacks ? callbackUrl?.(message.workspace_id, id) : undefined)

/** The adapter describes each request, the transport performs it, the adapter reads the reply. Never rejects. */
export async function callProvider(
  plan: Routed,
  candidate: RouteCandidate,
  { draft, message }: Rendered,
  { signal, withinMs, callbackUrl }: CallTerms,
  { transport, now, log }: CallOptions,
): Promise<CallResult> {
  const { provider } = candidate.integration
  const deadline = now() + withinMs
  let kept: JsonObject | undefined
  let handedOver = false
  let lastReply: Reply | undefined
  try {
    const { to, settings, withheld, error } = callTarget(plan, candidate)
    if (error !== undefined) return { outcome: configurationError(withheld, error) }
    const activity = talkingTo(provider.key)
    const call: ProviderAttempt<unknown, JsonObject, JsonObject> = {
      draft,
      to,
      settings,
      message,
      channel: candidate.channel,
      now: now(),
      random: randomBytes,
    }
    if (callbackUrl !== undefined) call.callbackUrl = callbackUrl
    const steps = provider.deliver(call)
    let step = during('message', plan.messageId, activity, () => steps.next())
    for (let requests = 0; !step.done; requests += 1) {
      if (requests === REQUESTS_MAX) throw new Error(`${provider.key} yields more than ${REQUESTS_MAX} requests`)
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
      lastReply = reply
      step = during('message', plan.messageId, activity, () => steps.next(reply))
    }
    const outcome = step.value
    const isMisconfigured = outcome.kind === 'rejected' && outcome.scope === 'configuration'
    const end = isMisconfigured ? configurationError(withheld, outcome.error) : outcome
    return { outcome: end, reply: lastReply, ...(kept && { kept }) }
  } catch (error) {
    log.error(
      { event: 'provider.adapter_failed', err: error, provider: provider.key, message: plan.messageId },
      'an adapter failed',
    )
    const text = 'Internal fault of the adapter'
    // After the request that hands the message over, the provider may have it.
    return {
      outcome: handedOver ? { kind: 'in_doubt', error: text } : { kind: 'retry', error: text, attempted: true },
    }
  }
}

/** Built once for each provider, not for each message. */
const talkingTo = memo(256, (provider) => `talking to ${provider}`)

/** The address and the settings of a call. */
interface CallTarget {
  to: unknown
  settings: JsonObject
  /** Stored secrets that are not sent to an address of the override. */
  withheld: readonly string[]
  /** Why no call can be made. */
  error?: string
}

/** The candidate as it was decided, changed by the `config` of an override. */
function callTarget(plan: Routed, candidate: RouteCandidate): CallTarget {
  const { provider, settings: stored } = candidate.integration
  const { config } = providerOverride(plan, provider)
  if (config === undefined) return { to: candidate.to, settings: stored, withheld: [] }
  const { settings, issues, moved, withheld: keys } = applyConfig(provider, stored, config)
  const withheld = keys.map((key) => `\`${key}\` of the integration`)
  if (issues.length > 0) return { to: undefined, settings, withheld, error: unusableSettings(issues) }
  const to = moved ? addressWithoutTokens(plan, candidate, settings) : candidate.to
  if (moved && !isDeepStrictEqual(to, candidate.to)) withheld.push('those of the profile')
  return { to, settings, withheld, ...(to === undefined && { error: NO_ADDRESS }) }
}

const NO_ADDRESS = 'Without them nothing names the recipient'

const unusableSettings = (issues: readonly string[]) =>
  `The settings are not usable with the config of the override: ${issues.join('; ')}`

const configurationError = (withheld: readonly string[], error: string): Outcome => ({
  kind: 'rejected',
  scope: 'configuration',
  error:
    withheld.length === 0
      ? error
      : `The override moves the address, and stored secrets do not go along (${withheld.join(', ')}): give them with the send. ${error}`,
})

/** The recipient's address when an override moves it: the secrets of the stored profile are not sent there. */
function addressWithoutTokens(
  { profile, input }: Routed,
  { channel, integration, device }: RouteCandidate,
  settings: JsonObject,
): unknown {
  const { provider } = integration
  const open = mergeProfiles(withoutTokens(profile.stored, provider.ownAddresses), profile.received)
  if (device) {
    const token = tokenInProfile(provider, open, device)
    return token && provider.devices?.contact(token)
  }
  return provider.contact(open, settings, { recipient: input.recipient, channel })
}
