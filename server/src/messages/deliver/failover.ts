/** The rules of failover, pure: the outcome of an attempt becomes the next state of its delivery. */
import type { AttemptRecord, Reason } from '@postrider/contract'
import { copyWith } from '../../base/perf/copy-with.ts'
import { HOUR } from '../../base/time/duration.ts'
import type { FailedOutcome, Rejected } from '../../providers/outcome.ts'
import type { Outcome } from '../../providers/provider.ts'
import { retryDelayMs, retryPauseMs } from '../../queue/retry.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { windowsOf } from '../decide/window.ts'
import { channelStartedAt, type StoredDelivery, type StoredHistoryEvent } from '../delivery.ts'
import type { Windows } from '../facts.ts'
import { type Alternatives, alternativesTo } from './progress.ts'

export const attemptsMax = 104
export const retryWindowMs = 24 * HOUR

export interface DeliveryChange {
  delivery: StoredDelivery
  events: StoredHistoryEvent[]
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

export function failoverContext(
  plan: Routed,
  candidate: RouteCandidate,
  deliveries: readonly StoredDelivery[],
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

/** A mail has at most a hundred recipients; the first of those that it did not reach show why. */
const FINDINGS_MAX = 20

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
  const event: StoredHistoryEvent = { type: 'SENT', ts: now, n }
  if (outcome.findings) event.findings = outcome.findings.slice(0, FINDINGS_MAX)
  if (!outcome.delivered) return { delivery: after, events: [event] }
  return {
    delivery: Object.assign(after, { deliveredAt: now }),
    events: [event, { type: 'DELIVERED', ts: now, n }],
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
  if (delivery.attempts >= attemptsMax) return rejected(delivery, error, now)
  if (retryAt > lastRetryAt)
    return lastRetryAt === deadline ? outOfTime(delivery, error, now) : rejected(delivery, error, now)
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
  const without = { misconfigured: undefined, refusedAt: undefined }
  return copyWith(delivery, { state: 'waiting' as const, nextAt: retryAt, error, failedOver, ...without })
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
export function deferred(delivery: StoredDelivery, refused: Deferred, ctx: FailoverContext): DeliveryChange {
  const { error, waitMs, isBroken = false, isMisconfigured = false } = refused
  const { now, alternatives } = ctx
  // The attempt before it may have arrived.
  const isDefinite = delivery.log.at(-1)?.outcome !== 'in_doubt'
  // Only a person mends the settings: the next channel does not wait for that.
  const leavesChannel = isMisconfigured && alternatives.otherChannel && !alternatives.sameChannel
  const waiting = withoutCall(delivery, { error, isDefinite }, waitMs, leavesChannel ? atOnce(ctx) : ctx)
  const { nextAt = now, attempts, n } = waiting
  const postponedDelivery = attempts === 0 ? copyWith(waiting, { heldMs: nextAt - delivery.firstAt }) : waiting
  const attempt = Math.max(1, attempts)
  const held_back = isBroken ? 'circuit_breaker' : 'limit'
  const event: StoredHistoryEvent = {
    type: 'DELIVERING',
    ts: now,
    n,
    attempt,
    held_back,
    error,
    next_attempt_at: nextAt,
  }
  const broken = isBroken ? copyWith(postponedDelivery, { refusedAt: now }) : postponedDelivery
  const marked = isMisconfigured ? copyWith(broken, { misconfigured: true }) : broken
  return { delivery: marked, events: delivery.error === error ? [] : [event] }
}

interface Deferred {
  error: string
  waitMs: number
  /** Its circuit breaker is open. */
  isBroken?: boolean
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

/** The time of the message, not that of its retries, is too short for another attempt. */
function outOfTime(delivery: StoredDelivery, error: string, now: number): DeliveryChange {
  return failed(delivery, now, { error, reason: 'EXPIRED', failedOver: undefined })
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
