/** One attempt at one candidate: the gate of its integration, a delivery slot, the content, the call, its outcome. */
import { during } from '../../base/activity.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Metrics } from '../../base/metrics.ts'
import { memo } from '../../base/perf/cache.ts'
import { copyWith } from '../../base/perf/copy-with.ts'
import { MINUTE, SECOND } from '../../base/time/duration.ts'
import type { CallLog } from '../../limits/call-log.ts'
import type { CallHealth } from '../../limits/circuit-breaker.ts'
import type { Refused } from '../../limits/gate.ts'
import type { IntegrationGates } from '../../limits/integration-gates.ts'
import { addressDigest } from '../../providers/address.ts'
import type { BouncingMail } from '../../providers/bounce-mails.ts'
import type { Rejected } from '../../providers/outcome.ts'
import { DraftInvalid, isPresent, type Outcome, type Provider } from '../../providers/provider.ts'
import { suppressionBy } from '../../providers/suppression.ts'
import type { Slots } from '../../queue/delivery-slots.ts'
import { RenderFailed } from '../../templates/failure.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { storedTokenOf } from '../decide/devices.ts'
import { contentFindings } from '../decide/message-findings.ts'
import { providerOverride, type Rendered, render } from '../decide/render.ts'
import { copiesOf } from '../decide/suppressions.ts'
import { isTimed, windowsOf } from '../decide/window.ts'
import { channelStartedAt, deliveryId, type StoredDelivery } from '../delivery.ts'
import { keepsExchange } from './attempt-exchange.ts'
import type { DeliveringMessage } from './delivering-message.ts'
import {
  abandon,
  afterFailure,
  type CallTimes,
  concurrencyLimited,
  type DeliveryChange,
  deferred,
  type FailoverContext,
  failoverContext,
  sent,
} from './failover.ts'
import { alternativesTo } from './progress.ts'
import {
  type CallOptions,
  type CallResult,
  type CallTerms,
  callClass,
  callHealth,
  callProvider,
  isAddressOfIntegration,
  isMoved,
  isRepeated,
} from './provider-call.ts'

export interface AttemptOptions extends CallOptions {
  gates: Pick<IntegrationGates, 'enter'>
  slots: Slots
  /** Where the provider of an integration is to report to. Absent without a public address. */
  callbackUrl?: ((workspaceId: number, integrationId: string) => string) | undefined
  /** The envelope sender of a mail whose bounces go to the mailbox. */
  bounceAddress?: ((mailbox: string, mail: BouncingMail) => string) | undefined
  metrics: Metrics
  callLog: Pick<CallLog, 'record'>
  random(): number
}

/**
 * How long a call waits for its integration. With the second after which facts are read again, they are at most two
 * seconds old when a provider is called.
 */
export const SLOT_WAIT_MS = 900
/** A single attempt ends well before its lease (45 s). */
const ATTEMPT_MS = 30 * SECOND

/** The first pause of copies that were refused for now; the others are in `receipts/deferred-copies.ts`. */
const COPIES_AFTER_MS = MINUTE

/** A candidate that is to be tried, with the plan that gave it: the message may be decided again meanwhile. */
export interface CandidateAttempt {
  readonly message: DeliveringMessage
  readonly plan: Routed
  readonly candidate: RouteCandidate
}

/** Resolves when its outcome is applied to the message. */
export async function attempt(
  message: DeliveringMessage,
  candidate: RouteCandidate,
  options: AttemptOptions,
): Promise<void> {
  const { gates, slots, now } = options
  const { plan } = message
  const { integration } = candidate
  const candidateAttempt: CandidateAttempt = { message, plan, candidate }
  const requestedAt = now()
  const limits = { waitMs: SLOT_WAIT_MS, isOwnAddress: isAddressOfIntegration(plan, candidate) }
  const entry = await gates.enter(message.leased.message.workspace_id, integration, limits)
  if (entry.kind === 'refused') {
    defer(candidateAttempt, entry, requestedAt, now())
    message.attempts.delete(candidate.key)
    return
  }
  const slot = await slots.acquire(integration.id, Math.max(0, requestedAt + SLOT_WAIT_MS - now()))
  let evidence: Evidence = {}
  try {
    if (slot.kind === 'free') evidence = await callAndApply(candidateAttempt, options)
    // Spread, so that the messages do not all return at once.
    else yieldSlot(candidateAttempt, Math.round(slot.waitMs * (1 + options.random())), requestedAt, now())
  } finally {
    if (slot.kind === 'free') slot.release()
    entry.leave(evidence.health, evidence.error)
    message.attempts.delete(candidate.key)
  }
}

/** The gate refuses: no call is made, and none is counted. */
function defer(candidateAttempt: CandidateAttempt, refused: Refused, requestedAt: number, now: number): void {
  const { message, candidate } = candidateAttempt
  const context = contextOf(candidateAttempt, now)
  message.apply(deferred(message.deliveryOf(candidate, requestedAt), refused, context))
}

/** No slot is free: the next in line takes over. Where there is none, the whole message waits. */
function yieldSlot(candidateAttempt: CandidateAttempt, waitMs: number, requestedAt: number, now: number): void {
  const { message, candidate } = candidateAttempt
  const context = contextOf(candidateAttempt, now)
  const { sameChannel, otherChannel } = context.alternatives
  if (sameChannel || otherChannel)
    message.apply(concurrencyLimited(message.deliveryOf(candidate, requestedAt), waitMs, context))
  else message.postpone(Math.min(now + waitMs, Math.max(now, context.deadline)))
}

/** The health of the integration as a call has shown it; empty where none was made. */
interface Evidence {
  health?: CallHealth | undefined
  error?: string
}

async function callAndApply(candidateAttempt: CandidateAttempt, options: AttemptOptions): Promise<Evidence> {
  const { message, plan, candidate } = candidateAttempt
  const { lease } = message.leased
  const { now, metrics } = options
  if (!lease.mayCall(now())) return {}
  const delivery = withAddressee(message, candidate, now())
  const rendered = renderOrAbandon(candidateAttempt, delivery, now())
  if (!rendered) return {}
  failpoint('after-render')
  if (plan.notification.atMostOnce && !(await writeStart(candidateAttempt, delivery, now))) return {}
  const startedAt = now()
  const terms = callTerms(candidateAttempt, delivery, startedAt, options)
  observeFirstCall(message, delivery, startedAt, metrics)
  const call = { delivery, startedAt }
  lease.startCall(call)
  const result = await callProvider(plan, candidate, rendered, terms, options)
  lease.endCall(call)
  const times = { startedAt, now: now() }
  observeCall(candidate, result.outcome, times, metrics)
  applyResult(candidateAttempt, delivery, result, times, options)
  const evidence = evidenceOf(result, terms)
  options.callLog.record({
    ...{ workspaceId: message.leased.message.workspace_id, integrationId: candidate.integration.id },
    ...{ callClass: callClass(result.outcome, evidence.health), startedAt, endedAt: times.now, error: evidence.error },
  })
  return isRepeated(result.reply) ? {} : evidence
}

function evidenceOf({ outcome, reply }: CallResult, { isShort }: CallTerms): Evidence {
  const health = callHealth(outcome, reply, isShort)
  return outcome.kind === 'sent' ? { health } : { health, error: outcome.error }
}

/** The delivery as it is after the call, which may have changed meanwhile. */
function applyResult(
  candidateAttempt: CandidateAttempt,
  delivery: StoredDelivery,
  { outcome, kept, exchange }: CallResult,
  times: CallTimes,
  { random }: AttemptOptions,
): void {
  const { message } = candidateAttempt
  const before = message.deliveries[delivery.n] ?? delivery
  if (outcome.kind === 'sent') {
    if (kept) keepInMailbox(candidateAttempt, delivery.n, kept, times.now)
    addTicket(candidateAttempt, delivery.n, outcome, times.now)
    addDeferredCopies(candidateAttempt, delivery.n, outcome, times.now)
    if (outcome.findings) message.addFindings(outcome.findings.map((text) => ({ code: 'copies_refused', text })))
    message.apply(withExchange(sent(before, outcome, times), before, exchange))
    return
  }
  const failure = outcome.kind === 'rejected' ? reportGoneAddress(candidateAttempt, outcome, times.now) : outcome
  const context = contextOf(candidateAttempt, times.now)
  const change = afterFailure(before, failure, { ...context, startedAt: times.startedAt, random: random() })
  message.apply(withExchange(change, before, exchange))
}

/** Not where the send named another account: the integration cannot read its results. */
function addTicket(
  { message, plan, candidate: { integration } }: CandidateAttempt,
  n: number,
  { reference: { id: ticket } }: Extract<Outcome, { kind: 'sent' }>,
  at: number,
): void {
  const { results } = integration.provider
  if (!results || ticket === undefined || isMoved(plan, integration.provider)) return
  message.addTicket({ n, integration: integration.id, ticket, at, dueAt: at + results.afterMs })
}

function addDeferredCopies(
  { message, plan, candidate }: CandidateAttempt,
  n: number,
  { deferred }: Extract<Outcome, { kind: 'sent' }>,
  at: number,
): void {
  if (!deferred) return
  const { id, provider } = candidate.integration
  const { config } = providerOverride(plan, provider)
  const ends = plan.firstDue + windowsOf(plan, candidate).messageMs
  const { atMostOnce } = plan.notification
  const copies = { n, integration: id, mail: deferred, atMostOnce, dueAt: at + COPIES_AFTER_MS, ends }
  message.addDeferredCopies({ ...copies, ...(config !== undefined && { config }) })
}

/** The delivery with the address of this attempt, with which receipts are compared. */
function withAddressee(message: DeliveringMessage, candidate: RouteCandidate, now: number): StoredDelivery {
  const { channel, integration, to } = candidate
  const delivery = message.deliveryOf(candidate, now)
  const { callbacks, results } = integration.provider
  const addressee = callbacks || results ? addressDigest(channel, to) : undefined
  if (addressee === undefined || addressee === delivery.addressee) return delivery
  const hasCopies = channel === 'email' && sendsCopies(message.plan, integration.provider)
  const ofAddressee = copyWith(delivery, { addressee, ...(hasCopies && { hasCopies }) })
  message.apply({ delivery: ofAddressee, events: [] })
  return ofAddressee
}

/** By the channel, or by the override of the provider, whose own words for it differ in case only. */
function sendsCopies(plan: Routed, provider: Provider): boolean {
  if (copiesOf(plan.input).length > 0) return true
  const override = providerOverride(plan, provider)
  // With another addressee, a receipt of a copy and one of the mail look the same.
  return namesKey(override, /^(?:b?cc)(?:addresses)?$/i) && !namesKey(override, /^to(?:addresses)?$/i)
}

const OVERRIDE_DEPTH_MAX = 6

function namesKey(value: unknown, name: RegExp, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > OVERRIDE_DEPTH_MAX) return false
  return Object.entries(value).some(
    ([key, item]) => (name.test(key) && isPresent(item)) || namesKey(item, name, depth + 1),
  )
}

/** Kept with the first event of the attempt. A call that the provider limited is no attempt. */
function withExchange(
  change: DeliveryChange,
  before: StoredDelivery,
  exchange: CallResult['exchange'],
): DeliveryChange {
  const { delivery } = change
  const [event, ...events] = change.events
  const attempt = delivery.attempts
  const isKept = attempt > before.attempts && keepsExchange(attempt, delivery.state !== 'waiting')
  if (!exchange || !event || !isKept) return change
  return { delivery, events: [{ ...event, exchange: { attempt, ...exchange } }, ...events] }
}

const contextOf = ({ message: { deliveries }, plan, candidate }: CandidateAttempt, now: number): FailoverContext =>
  failoverContext(plan, candidate, deliveries, now)

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

function observeCall(
  { integration: { provider, title } }: RouteCandidate,
  { kind: outcome }: Outcome,
  { startedAt, now }: CallTimes,
  metrics: Metrics,
): void {
  metrics.attempts.inc({ provider: provider.key, integration: title, outcome })
  metrics.attemptSeconds.observe({ provider: provider.key, integration: title }, (now - startedAt) / SECOND)
}

/** Commits that an at-most-once call starts. False when it must not start: the lease is lost, or the message was canceled. */
async function writeStart(
  { message }: CandidateAttempt,
  delivery: StoredDelivery,
  now: () => number,
): Promise<boolean> {
  message.apply({ delivery: { ...delivery, state: 'started' }, events: [] })
  if ((await message.write()) && message.leased.lease.mayCall(now())) return true
  message.apply({ delivery, events: [] })
  return false
}

function callTerms(
  candidateAttempt: CandidateAttempt,
  { n }: StoredDelivery,
  now: number,
  { callbackUrl, bounceAddress }: AttemptOptions,
): CallTerms {
  const { message, candidate } = candidateAttempt
  const { id, provider, settings } = candidate.integration
  const { lease, message: row } = message.leased
  const withinMs = attemptMs(candidateAttempt, now)
  const terms: CallTerms = { signal: lease.signal, withinMs, isShort: withinMs < ATTEMPT_MS }
  // Beside the failures before it. Kept for every success, it would be most of what a message stores.
  if (message.deliveries.some(({ attempts }) => attempts > 0)) terms.keepsSuccess = true
  if (provider.callbacks && callbackUrl) terms.callbackUrl = callbackUrl(row.workspace_id, id)
  if (settings.bounceAddress !== undefined && bounceAddress && !isMoved(candidateAttempt.plan, provider)) {
    const mail = { workspaceId: row.workspace_id, deliveryId: deliveryId(row.id, n) }
    terms.bounceAddressFor = (mailbox, addressee, ofCopies) => bounceAddress(mailbox, { ...mail, addressee, ofCopies })
  }
  return terms
}

/** How long the call may take: only the message itself can set a limit below that of every attempt. */
function attemptMs({ message, plan, candidate }: CandidateAttempt, now: number): number {
  if (!isTimed(plan)) return ATTEMPT_MS
  const { deliveries } = message
  const { providerMs, channelMs, messageMs } = windowsOf(plan, candidate)
  const { sameChannel, otherChannel } = alternativesTo(candidate.key, plan.route, deliveries)
  const limits = [ATTEMPT_MS, plan.firstDue + messageMs - now]
  if (sameChannel || otherChannel) limits.push(providerMs)
  if (otherChannel) limits.push(channelStartedAt(deliveries, candidate.channel, now) + channelMs - now)
  return Math.max(1, Math.min(...limits))
}

/** A stored token that is gone fails, and is active again when its app registers it; any other address is suppressed. */
function reportGoneAddress({ message, plan, candidate }: CandidateAttempt, rejection: Rejected, at: number): Rejected {
  const { channel, integration, device, to } = candidate
  const { gone, goneAt, ...withoutAddress } = rejection
  if (!gone) return rejection
  if (isMoved(plan, integration.provider)) return withoutAddress
  const provider = integration.provider.key
  const storedToken = device && storedTokenOf(device, provider, plan)
  if (storedToken) {
    const { token, version } = storedToken
    message.addDeadToken({ token, version, reason: rejection.error, ...(goneAt !== undefined && { goneAt }) })
    return withoutAddress
  }
  const suppressed = suppressionBy({ gone }, channel, to)
  if (suppressed) message.suppress({ ...suppressed, provider, at })
  return rejection
}

function keepInMailbox(
  { message, candidate }: CandidateAttempt,
  n: number,
  content: JsonObject,
  received: number,
): void {
  const { id, recipient } = message.leased.message
  message.keepInMailbox({
    id: deliveryId(id, n),
    message_id: id,
    channel: candidate.channel,
    recipient,
    received,
    content: JSON.stringify(content),
  })
}

/** Built once for each channel instead of for each message. */
const renderingFor = memo(16, (channel) => `rendering it for ${channel}`)

/** Undefined when the content cannot be rendered: the delivery has ended, and another candidate may be tried. */
export function renderOrAbandon(
  { message, plan, candidate }: CandidateAttempt,
  delivery: StoredDelivery,
  now: number,
): Rendered | undefined {
  const { n } = delivery
  try {
    const rendered = during('message', plan.messageId, renderingFor(candidate.channel), () =>
      render(plan, candidate, n, now),
    )
    if (delivery.attempts === 0 && delivery.limited === undefined) {
      message.addEvent({ type: 'RENDERED', ts: now, n })
      message.addFindings(contentFindings(plan, candidate.channel, rendered.content))
    }
    return rendered
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof DraftInvalid)) throw error
    if (error instanceof RenderFailed && error.code) message.addFindings([{ code: error.code, text: error.message }])
    message.apply(abandon(delivery, error.message, now))
    return undefined
  }
}
