/** One attempt's outcome becomes the delivery's next state and a history event. Pure: each kind maps to one act. */
import type { AttemptRecord, Reason } from '@postrider/contract'
import { extended } from '../../base/perf/copy-with.ts'
import type { Outcome } from '../../providers/provider.ts'
import { attemptsMax, pauseMs, retryDelayMs, retryWindowMs, type Windows } from '../../queue/retry.ts'
import { type StoredDelivery, type StoredEvent, withAttempt } from '../delivery.ts'
import type { Alternatives } from './progress.ts'

export interface Ended {
  delivery: StoredDelivery
  events: StoredEvent[]
}

/** How the message stands when something became of a candidate. */
export interface AttemptContext {
  now: number
  alternatives: Alternatives
  windows: Windows
  /** The window of the channel counts from here, that of an integration from its own first attempt. */
  channelStartedAt: number
  /** Deadline of the message itself. */
  deadline: number
  /** An interrupted attempt must not be repeated. */
  atMostOnce: boolean
}

/** The moments of one call. */
export interface Times {
  started: number
  /** When it ended. */
  now: number
}

export interface OutcomeContext extends AttemptContext, Times {
  random: number
}

const CROWDED = 'Too many messages wait for this integration'

/** Not tried any more. */
const settled = { nextAt: undefined, failedOver: undefined }

type Sent = Extract<Outcome, { kind: 'sent' }>
export type Unsent = Exclude<Outcome, Sent>

/** What was not sent. */
export function settle(delivery: StoredDelivery, outcome: Unsent, at: OutcomeContext): Ended {
  switch (outcome.kind) {
    case 'rejected':
      return end(attempted(delivery, outcome, at), outcome.error, at, outcome.scope === 'recipient')
    case 'in_doubt':
      if (at.atMostOnce) return inDoubt(attempted(delivery, outcome, at), outcome.error, at)
      return again(attempted(delivery, outcome, at), outcome.error, undefined, at, false)
    case 'retry':
      return again(
        outcome.attempted ? attempted(delivery, outcome, at) : { ...delivery, limited: (delivery.limited ?? 0) + 1 },
        outcome.error,
        outcome.retryAfterMs,
        at,
        true,
      )
  }
}

const attempted = (delivery: StoredDelivery, outcome: Outcome, at: OutcomeContext): StoredDelivery =>
  extended(delivery, withAttempt(delivery, attemptOf(delivery, outcome, at)))

function attemptOf(delivery: StoredDelivery, outcome: Outcome, { started, now }: Times): AttemptRecord {
  return {
    number: delivery.attempts + 1,
    started,
    ended: now,
    outcome: outcome.kind,
    ...(outcome.kind !== 'sent' && { error: outcome.error }),
  }
}

/** The provider has it. */
export function sent(before: StoredDelivery, outcome: Sent, at: Times): Ended {
  const { reference, delivered } = outcome
  const { attempts, log } = withAttempt(before, attemptOf(before, outcome, at))
  const delivery: StoredDelivery = extended(before, {
    attempts,
    log,
    state: 'sent',
    sentAt: at.now,
    reference,
    error: undefined,
    ...settled,
  })
  if (delivered) delivery.deliveredAt = at.now
  const events: StoredEvent[] = [{ type: 'SENT', ts: at.now, n: delivery.n }]
  if (delivered) events.push({ type: 'DELIVERED', ts: at.now, n: delivery.n })
  return { delivery, events }
}

/** Tries again by the table, unless a bound is met; then, or when another candidate can take over, it ends or steps back. */
function again(
  delivery: StoredDelivery,
  error: string,
  retryAfterMs: number | undefined,
  at: OutcomeContext,
  definite: boolean,
): Ended {
  const last = Math.min(delivery.firstAt + retryWindowMs, at.deadline)
  const delay = retryDelayMs(Math.max(1, delivery.attempts + (delivery.limited ?? 0)), at.random)
  const nextAt = at.now + pauseMs(delay, retryAfterMs, last - at.now)
  if (delivery.attempts >= attemptsMax || nextAt > last) return end(delivery, error, at, false)
  const waiting = waitingUntil(nextAt, delivery, error, at, definite)
  const event: StoredEvent = {
    type: 'DELIVERING',
    ts: at.now,
    n: delivery.n,
    attempt: Math.max(1, delivery.attempts),
    error,
    next_attempt_at: nextAt,
  }
  return { delivery: waiting, events: [event] }
}

/**
 * Too many messages wait for the integration: so does this one, or it steps back where its time would be over by then.
 * Nobody was called: that is no attempt and nothing for the history.
 */
export function concurrencyLimited(delivery: StoredDelivery, waitMs: number, at: AttemptContext): Ended {
  // Never at once: what is over is noticed when it is decided again.
  const nextAt = Math.min(at.now + waitMs, Math.max(at.now + 1, at.deadline))
  // Its next turn would be the end of the message: whoever can take over has to do it now.
  const windows = nextAt < at.deadline ? at.windows : { ...at.windows, providerMs: 0, channelMs: 0 }
  return { delivery: waitingUntil(nextAt, delivery, CROWDED, { ...at, windows }, false), events: [] }
}

/** With whose turn it is until then, where another candidate can take over. */
function waitingUntil(
  nextAt: number,
  delivery: StoredDelivery,
  error: string,
  { now, alternatives, windows, channelStartedAt }: AttemptContext,
  definite: boolean,
): StoredDelivery {
  const { sameChannel, otherChannel } = alternatives
  const { providerMs, channelMs, lastProviderMs = Number.POSITIVE_INFINITY } = windows
  // A clear no lets the channel's next integration try at once; after no answer at all a second copy might arrive.
  const later = nextAt - delivery.firstAt
  const isNext = sameChannel && (definite || later > providerMs)
  // Whoever of the channel has its turn, the next integration now or this one later: it must be within its time.
  const isOver = (isNext ? now : nextAt) - channelStartedAt > channelMs || (!isNext && later > lastProviderMs)
  const toChannel = otherChannel && isOver
  const toProvider = isNext && !toChannel
  const failedOver = toProvider ? 'provider' : toChannel ? 'channel' : undefined
  return { ...delivery, state: 'waiting', nextAt, error, ...(failedOver && { failedOver }) }
}

function end(delivery: StoredDelivery, error: string, at: OutcomeContext, recipientAtFault: boolean): Ended {
  const failed: StoredDelivery = {
    ...delivery,
    ...settled,
    state: 'failed',
    error,
    reason: 'PROVIDER_ERROR',
    ...(recipientAtFault && { recipientAtFault }),
  }
  return { delivery: failed, events: [undeliverable(failed, at.now)] }
}

/** Whether it was sent is unknown and must not be found out by sending it twice: no retry, no other candidate. */
export function inDoubt(delivery: StoredDelivery, error: string, { now }: Pick<OutcomeContext, 'now'>): Ended {
  const failed: StoredDelivery = { ...delivery, nextAt: undefined, state: 'failed', error, reason: 'IN_DOUBT' }
  return { delivery: failed, events: [undeliverable(failed, now)] }
}

/** Ends a delivery that cannot go on: its integration has gone, its words cannot be rendered, another was accepted. */
export function abandon(delivery: StoredDelivery, error: string, now: number, reason: Reason = 'FAILED'): Ended {
  const failed: StoredDelivery = { ...delivery, ...settled, state: 'failed', error, reason: delivery.reason ?? reason }
  return { delivery: failed, events: [undeliverable(failed, now)] }
}

function undeliverable(delivery: StoredDelivery, now: number): StoredEvent {
  return {
    type: 'UNDELIVERABLE',
    ts: now,
    n: delivery.n,
    error_message: delivery.error ?? '',
    reason: delivery.reason ?? 'PROVIDER_ERROR',
  }
}
