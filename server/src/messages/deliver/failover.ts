/** The rules of failover, pure: an outcome becomes the next state of its delivery, and the deliveries say which candidates are next. */
import type { AttemptRecord, Reason } from '@postrider/contract'
import { copyWith } from '../../base/perf/copy-with.ts'
import type { FailedOutcome, Rejected } from '../../providers/outcome.ts'
import type { Outcome } from '../../providers/provider.ts'
import { attemptsMax, retryDelayMs, retryPauseMs, retryWindowMs, type Windows } from '../../queue/retry.ts'
import { someCandidate } from '../decide/candidates.ts'
import type { Group, Route, RouteCandidate } from '../decide/decision.ts'
import type { Escalation } from '../decide/window.ts'
import type { StoredDelivery, StoredHistoryEvent } from '../delivery.ts'
import type { Criterion } from '../send.ts'

export interface DeliveryChange {
  delivery: StoredDelivery
  events: StoredHistoryEvent[]
}

/** Candidates that can still take over from a delivery. */
export interface Alternatives {
  sameChannel: boolean
  otherChannel: boolean
}

/** Decides together with a failure who is tried next. */
export interface FailoverContext {
  now: number
  alternatives: Alternatives
  windows: Windows
  /** The first attempt in the channel; the window of the channel starts here, that of a provider with its own first attempt. */
  channelStartedAt: number
  /** The deadline of the message itself. */
  deadline: number
  /** An interrupted attempt must not be repeated. */
  atMostOnce: boolean
}

export interface CallTimes {
  startedAt: number
  /** When the call ended. */
  now: number
}

export interface AttemptContext extends FailoverContext, CallTimes {
  /** In [0, 1). */
  random: number
}

type Sent = Extract<Outcome, { kind: 'sent' }>

const CONCURRENCY_LIMITED = 'Too many messages wait for this integration'

export function sent(delivery: StoredDelivery, outcome: Sent, times: CallTimes): DeliveryChange {
  const { now } = times
  const { n } = delivery
  const { attempts, log } = withAttempt(delivery, attemptRecord(delivery, outcome, times))
  const after: StoredDelivery = copyWith(delivery, {
    attempts,
    log,
    state: 'sent',
    sentAt: now,
    reference: outcome.reference,
    error: undefined,
    nextAt: undefined,
    failedOver: undefined,
  })
  if (!outcome.delivered) return { delivery: after, events: [{ type: 'SENT', ts: now, n }] }
  return {
    delivery: copyWith(after, { deliveredAt: now }),
    events: [
      { type: 'SENT', ts: now, n },
      { type: 'DELIVERED', ts: now, n },
    ],
  }
}

export function afterFailure(delivery: StoredDelivery, failure: FailedOutcome, ctx: AttemptContext): DeliveryChange {
  switch (failure.kind) {
    case 'rejected':
      return refused(countAttempt(delivery, failure, ctx), failure, ctx.now)
    case 'in_doubt':
      if (ctx.atMostOnce) return inDoubt(countAttempt(delivery, failure, ctx), failure.error, ctx.now)
      return retryOrEnd(countAttempt(delivery, failure, ctx), { error: failure.error, isDefinite: false }, ctx)
    case 'retry': {
      const { error, retryAfterMs, attempted } = failure
      // A 429 uses up no attempt.
      const counted = attempted
        ? countAttempt(delivery, failure, ctx)
        : copyWith(delivery, { limited: (delivery.limited ?? 0) + 1 })
      return retryOrEnd(counted, { error, isDefinite: true, retryAfterMs }, ctx)
    }
  }
}

const countAttempt = (delivery: StoredDelivery, failure: FailedOutcome, times: CallTimes): StoredDelivery =>
  copyWith(delivery, withAttempt(delivery, attemptRecord(delivery, failure, times)))

/** The number of 104 attempts that are kept in detail; the history has every failure. */
const LOG_MAX = 10

/** The fields that count attempts, after another one. */
function withAttempt({ log }: StoredDelivery, attempt: AttemptRecord): Pick<StoredDelivery, 'attempts' | 'log'> {
  return { attempts: attempt.number, log: [...log.slice(1 - LOG_MAX), attempt] }
}

function attemptRecord({ attempts }: StoredDelivery, outcome: Outcome, { startedAt, now }: CallTimes): AttemptRecord {
  const record: AttemptRecord = { number: attempts + 1, started: startedAt, ended: now, outcome: outcome.kind }
  if (outcome.kind !== 'sent') record.error = outcome.error
  return record
}

interface TemporaryFailure {
  error: string
  /** The provider answered that it did not take the message. Without an answer a second copy might arrive. */
  isDefinite: boolean
  retryAfterMs?: number | undefined
}

/** Retries by the table of pauses, until its attempts or its time run out. */
function retryOrEnd(delivery: StoredDelivery, failure: TemporaryFailure, ctx: AttemptContext): DeliveryChange {
  const { now, deadline, random } = ctx
  const { error, retryAfterMs } = failure
  const lastRetryAt = Math.min(delivery.firstAt + (delivery.heldMs ?? 0) + retryWindowMs, deadline)
  const delayMs = retryDelayMs(Math.max(1, delivery.attempts + (delivery.limited ?? 0)), random)
  const retryAt = now + retryPauseMs(delayMs, retryAfterMs, lastRetryAt - now)
  if (delivery.attempts >= attemptsMax || retryAt > lastRetryAt) return rejected(delivery, error, now)
  const event: StoredHistoryEvent = {
    type: 'DELIVERING',
    ts: now,
    n: delivery.n,
    attempt: Math.max(1, delivery.attempts),
    error,
    next_attempt_at: retryAt,
  }
  return { delivery: scheduleRetry(delivery, retryAt, failure, ctx), events: [event] }
}

/** Waits for the next attempt. Meanwhile the next in line has its turn, where there is one. */
function scheduleRetry(
  delivery: StoredDelivery,
  retryAt: number,
  { error, isDefinite }: TemporaryFailure,
  ctx: FailoverContext,
): StoredDelivery {
  const failedOver = nextInLine(delivery, retryAt, isDefinite, ctx) ?? delivery.failedOver
  return copyWith(delivery, { state: 'waiting' as const, nextAt: retryAt, error, failedOver })
}

/** The failover rule: who is tried next, the channel's next provider, the next channel, or (undefined) this provider again. */
function nextInLine(
  { firstAt }: StoredDelivery,
  retryAt: number,
  isDefinite: boolean,
  { now, alternatives, windows, channelStartedAt }: FailoverContext,
): 'provider' | 'channel' | undefined {
  const providerWindowOver = retryAt - firstAt > windows.providerMs
  const tryNextProvider = alternatives.sameChannel && (isDefinite || providerWindowOver)
  const nextTurnAt = tryNextProvider ? now : retryAt
  const channelWindowOver = nextTurnAt - channelStartedAt > windows.channelMs
  const lastProviderOver = !tryNextProvider && retryAt - firstAt > (windows.lastProviderMs ?? Number.POSITIVE_INFINITY)
  if (alternatives.otherChannel && (channelWindowOver || lastProviderOver)) return 'channel'
  return tryNextProvider ? 'provider' : undefined
}

/** No slot of the integration was free. The provider was not called: no attempt is counted, and history has no event. */
export function concurrencyLimited(delivery: StoredDelivery, waitMs: number, ctx: FailoverContext): DeliveryChange {
  return { delivery: withoutCall(delivery, { error: CONCURRENCY_LIMITED, isDefinite: false }, waitMs, ctx), events: [] }
}

/**
 * A limit of the integration is reached, or its circuit breaker is open: the next in line has its turn at once. No attempt
 * is counted, and history has one event for each reason.
 */
export function heldBack(delivery: StoredDelivery, refused: HeldBack, ctx: FailoverContext): DeliveryChange {
  const { error, waitMs, isMisconfigured = false } = refused
  const { now, alternatives } = ctx
  // The attempt before it may have arrived.
  const isDefinite = delivery.log.at(-1)?.outcome !== 'in_doubt'
  // Only a person mends the settings: the next channel does not wait for that.
  const leavesChannel = isMisconfigured && alternatives.otherChannel && !alternatives.sameChannel
  const waiting = withoutCall(delivery, { error, isDefinite }, waitMs, leavesChannel ? atOnce(ctx) : ctx)
  const { nextAt = now, attempts, n } = waiting
  const held = attempts === 0 ? copyWith(waiting, { heldMs: nextAt - delivery.firstAt }) : waiting
  const attempt = Math.max(1, attempts)
  const event: StoredHistoryEvent = { type: 'DELIVERING', ts: now, n, attempt, error, next_attempt_at: nextAt }
  const marked = isMisconfigured ? copyWith(held, { misconfigured: true }) : held
  return { delivery: marked, events: delivery.error === error ? [] : [event] }
}

interface HeldBack {
  error: string
  waitMs: number
  /** Its credentials or settings are refused. */
  isMisconfigured?: boolean
}

/** The time of the provider and of its channel is over. */
const atOnce = (ctx: FailoverContext): FailoverContext => ({
  ...ctx,
  windows: { ...ctx.windows, providerMs: 0, channelMs: 0 },
})

function withoutCall(
  delivery: StoredDelivery,
  failure: TemporaryFailure,
  waitMs: number,
  ctx: FailoverContext,
): StoredDelivery {
  const { now, deadline } = ctx
  // Later than now: a deadline that has passed is found by the next decision.
  const retryAt = Math.min(now + waitMs, Math.max(now + 1, deadline))
  // A retry at the deadline is too late: the next in line has its turn at once.
  return scheduleRetry(delivery, retryAt, failure, retryAt < deadline ? ctx : atOnce(ctx))
}

function rejected(delivery: StoredDelivery, error: string, now: number): DeliveryChange {
  return failed(delivery, now, { error, reason: 'PROVIDER_ERROR', failedOver: undefined })
}

/** The address of a recipient may be gone for good, which the event of the failure says. */
function refused(delivery: StoredDelivery, { error, scope, gone }: Rejected, now: number): DeliveryChange {
  const end = { error, reason: 'PROVIDER_ERROR', failedOver: undefined } as const
  const cause =
    scope === 'recipient' ? { recipientAtFault: true } : { misconfigured: scope === 'configuration' || undefined }
  const change = failed(delivery, now, { ...end, ...cause })
  return gone ? { ...change, events: change.events.map((event) => ({ ...event, suppressed: gone })) } : change
}

/** The message may have arrived, and a second copy must not: no retry, no failover. */
export function inDoubt(delivery: StoredDelivery, error: string, now: number): DeliveryChange {
  return failed(delivery, now, { error, reason: 'IN_DOUBT' })
}

/** Ends a delivery without a call: its integration is gone, its content cannot be rendered, another one was accepted. */
export function abandon(
  delivery: StoredDelivery,
  error: string,
  now: number,
  reason: Reason = 'FAILED',
): DeliveryChange {
  return failed(delivery, now, { error, reason: delivery.reason ?? reason, failedOver: undefined })
}

type Failed = Pick<StoredDelivery, 'failedOver' | 'recipientAtFault' | 'misconfigured'> & {
  error: string
  reason: Reason
}

function failed(delivery: StoredDelivery, now: number, end: Failed): DeliveryChange {
  return {
    delivery: copyWith(delivery, { ...end, state: 'failed' as const, nextAt: undefined }),
    events: [{ type: 'UNDELIVERABLE', ts: now, n: delivery.n, error_message: end.error, reason: end.reason }],
  }
}

export interface Progress {
  /** `open`: an attempt is in progress or due later. `accepted`: nothing more is needed. `failed`: every candidate has ended. */
  state: 'open' | 'accepted' | 'failed'
  /** Sent, and what has to follow has not happened: `awaited` until `nextAt`, then `missed`. */
  criterion?: 'awaited' | 'missed'
  /** Candidates to start now. */
  start: RouteCandidate[]
  /** When the earliest waiting delivery comes due. */
  nextAt: number | undefined
}

const accepted: Progress = { state: 'accepted', start: [], nextAt: undefined }
const exhausted: Progress = { state: 'failed', start: [], nextAt: undefined }
const missed: Progress = { state: 'accepted', criterion: 'missed', start: [], nextAt: undefined }

/** The keys of candidates whose attempt is in progress. */
type KeysInProgress = Pick<ReadonlySet<string>, 'has'>

interface Situation {
  deliveries: readonly StoredDelivery[]
  inProgress: KeysInProgress
  now: number
  escalation: Escalation | undefined
}

export function progress(
  route: Route,
  deliveries: readonly StoredDelivery[],
  inProgress: KeysInProgress,
  now: number,
  escalation?: Escalation,
): Progress {
  const result = progressOf(route, { deliveries, inProgress, now, escalation })
  if (result.criterion !== 'awaited') return result
  // Without a candidate that could follow, waiting for the criterion changes nothing.
  const hasUnused = someCandidate(
    route,
    (candidate) =>
      deliveryBy(candidate, deliveries) === undefined &&
      !deliveries.some((one) => one.channel === candidate.channel && one.state === 'sent'),
  )
  return hasUnused ? result : accepted
}

function progressOf(node: Route, at: Situation): Progress {
  if (node.kind === 'candidate') return ofCandidate(node, at)
  return node.method === 'all' ? ofAll(node, at) : ofSingle(node, at)
}

function ofCandidate(candidate: RouteCandidate, { deliveries, inProgress, now, escalation }: Situation): Progress {
  if (inProgress.has(candidate.key)) return { state: 'open', start: [], nextAt: undefined }
  const delivery = deliveryBy(candidate, deliveries)
  if (!delivery) return { state: 'open', start: [candidate], nextAt: undefined }
  if (delivery.state === 'sent') return escalation ? ofSent(delivery, escalation, now) : accepted
  if (delivery.state === 'failed') return exhausted
  const nextAt = delivery.nextAt ?? now
  return { state: 'open', start: nextAt <= now ? [candidate] : [], nextAt }
}

/** One after the other, until one is accepted. */
function ofSingle(group: Group, at: Situation): Progress {
  const { routes, channel } = group
  const open: { node: Route; progress: Progress }[] = []
  let sent: Progress | undefined
  for (const node of routes) {
    const progress = progressOf(node, at)
    if (progress.criterion) sent ??= progress
    else if (progress.state === 'accepted') return accepted
    if (progress.state === 'open') open.push({ node, progress })
  }
  // Escalation goes to the next channel, never to another integration of the same one.
  if (sent && (channel !== undefined || sent.criterion === 'awaited')) return sent
  // A second candidate could deliver a second copy of an interrupted at-most-once attempt.
  const hasInDoubt = (node: Route) => someCandidate(node, (one) => isInDoubt(deliveryBy(one, at.deliveries)))
  if (at.deliveries.some(isInDoubt) && hasInDoubt(group))
    // Those of an `all` group beside it go on.
    return open.find(({ node }) => hasInDoubt(node))?.progress ?? exhausted
  const left = isAddressRefused(channel, at)
    ? open.filter(({ node }) => someCandidate(node, (one) => isStarted(one, at)))
    : open
  // A delivery that failed over has another turn when none is left after it.
  const next = left.length > 1 ? left.find(({ node }) => !hasFailedOver(node, at)) : undefined
  return (next ?? left[0])?.progress ?? sent ?? exhausted
}

function ofAll({ routes }: Group, at: Situation): Progress {
  const parts = routes.map((node) => progressOf(node, at))
  const open = parts.filter(({ state }) => state === 'open')
  if (open.length === 0) {
    if (parts.some(({ state, criterion }) => state === 'accepted' && !criterion)) return accepted
    return parts.find(({ criterion }) => criterion === 'missed') ?? exhausted
  }
  const times = open.flatMap(({ nextAt }) => (nextAt === undefined ? [] : [nextAt]))
  return {
    state: 'open',
    ...(open.every(({ criterion }) => criterion === 'awaited') && { criterion: 'awaited' }),
    start: open.flatMap(({ start }) => start),
    nextAt: times.length > 0 ? Math.min(...times) : undefined,
  }
}

/** The delivery of a candidate; undefined before its first turn. */
export const deliveryBy = ({ channel, integration, device }: RouteCandidate, deliveries: readonly StoredDelivery[]) =>
  deliveries.find(
    (one) => one.channel === channel && one.integration === integration.id && one.device?.id === device?.id,
  )

const isInDoubt = (delivery: StoredDelivery | undefined) => delivery?.reason === 'IN_DOUBT'

const isStarted = (candidate: RouteCandidate, { inProgress, deliveries }: Situation) =>
  inProgress.has(candidate.key) || deliveryBy(candidate, deliveries) !== undefined

/** The provider refused the address: the other integrations of the channel would, too. They know no token of its devices. */
const isAddressRefused = (channel: string | undefined, { deliveries }: Situation) =>
  channel !== undefined && deliveries.some((one) => one.channel === channel && one.recipientAtFault && !one.device)

const failedOver = (candidate: RouteCandidate, { inProgress, deliveries }: Situation) =>
  inProgress.has(candidate.key) ? undefined : deliveryBy(candidate, deliveries)?.failedOver

function hasFailedOver(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate') return failedOver(node, at) !== undefined
  return node.devices
    ? node.routes.every((one) => hasFailed(one, at) || hasFailedOver(one, at))
    : isSuperseded(node, at)
}

const hasFailed = (node: Route, { deliveries }: Situation) =>
  node.kind === 'candidate' && deliveryBy(node, deliveries)?.state === 'failed'

/** Its time in the channel is over. That of an integration is when it is over for each of its devices. */
function hasLeftChannel(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate') return failedOver(node, at) === 'channel'
  const isLeft = node.routes.some((one) => hasLeftChannel(one, at))
  return isLeft && (!node.devices || node.routes.every((one) => hasFailed(one, at) || hasLeftChannel(one, at)))
}

/** Another channel has its turn instead. */
function isSuperseded(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate')
    return deliveryBy(node, at.deliveries)?.state === 'failed' || failedOver(node, at) === 'channel'
  const { channel, method, routes } = node
  // When the time of a channel is over, it is over for those of its integrations, too, that had no turn.
  const isOver = channel !== undefined && method === 'single' && hasLeftChannel(node, at)
  return (
    (isOver && !someCandidate(node, ({ key }) => at.inProgress.has(key))) ||
    routes.every((one) => isSuperseded(one, at))
  )
}

function ofSent(delivery: StoredDelivery, { criterion, waitMs }: Escalation, now: number): Progress {
  if (isReached(delivery, criterion)) return accepted
  const until = (delivery.sentAt ?? now) + waitMs(delivery.channel, delivery.integration)
  return now < until ? { state: 'open', criterion: 'awaited', start: [], nextAt: until } : missed
}

function isReached({ deliveredAt, openedAt, clickedAt }: StoredDelivery, criterion: Criterion): boolean {
  if (clickedAt !== undefined) return true
  if (criterion === 'engaged') return false
  if (openedAt !== undefined) return true
  return criterion === 'delivered' && deliveredAt !== undefined
}

/** The candidates that could still take over from this one: only then is its time bounded by the windows. */
export function alternativesTo(key: string, route: Route, deliveries: readonly StoredDelivery[]): Alternatives {
  const above = groupsAbove(key, route) ?? []
  const isSent = (one: RouteCandidate) => deliveryBy(one, deliveries)?.state === 'sent'
  // Another device of the integration has the message.
  if (above.some(({ group }) => group.devices && someCandidate(group, isSent))) return NO_ALTERNATIVES
  const isLeft = (one: RouteCandidate) => {
    const delivery = deliveryBy(one, deliveries)
    return !delivery || !(delivery.state === 'failed' || delivery.state === 'sent' || delivery.failedOver)
  }
  const hasNext = ({ group, at }: Place) =>
    group.method === 'single' && group.routes.some((later, index) => index > at && someCandidate(later, isLeft))
  return {
    sameChannel: above.some((place) => place.group.channel !== undefined && hasNext(place)),
    otherChannel: above.some((place) => place.group.channel === undefined && hasNext(place)),
  }
}

const NO_ALTERNATIVES: Alternatives = { sameChannel: false, otherChannel: false }

/** A group, and the position in it of the route that leads to the candidate. */
interface Place {
  group: Group
  at: number
}

/** From the outermost to the innermost; undefined when the route does not lead to the candidate. */
function groupsAbove(key: string, node: Route): Place[] | undefined {
  if (node.kind === 'candidate') return node.key === key ? [] : undefined
  for (let at = 0; at < node.routes.length; at += 1) {
    const inner = groupsAbove(key, node.routes[at] as Route)
    if (inner) return [{ group: node, at }, ...inner]
  }
  return undefined
}
