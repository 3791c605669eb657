/** Each outcome of an attempt leads to exactly one act, within the bounds of attempts and time. */
import { describe, expect, test } from 'vitest'
import type { FailedOutcome } from '../../providers/outcome.ts'
import type { StoredDelivery } from '../delivery.ts'
import { defaultWindows } from '../facts.ts'
import {
  type AttemptContext,
  abandon,
  afterFailure,
  attemptsMax,
  concurrencyLimited,
  deferred,
  inDoubt,
  retryWindowMs,
  sent,
} from './failover.ts'

const now = 1_000_000
const before: StoredDelivery = {
  n: 2,
  channel: 'email',
  provider: 'smtp',
  integration: 'I1',
  state: 'waiting',
  attempts: 0,
  firstAt: now,
  log: [],
}
const at = (more: Partial<AttemptContext> = {}): AttemptContext => ({
  startedAt: now,
  now: now + 100,
  random: 0.5,
  alternatives: { sameChannel: false, otherChannel: false },
  windows: defaultWindows,
  channelStartedAt: now,
  deadline: now + defaultWindows.messageMs,
  atMostOnce: false,
  ...more,
})
const retry = { kind: 'retry', error: '500', attempted: true } as const
const withinChannel = { sameChannel: true, otherChannel: false }
const elsewhere = { sameChannel: false, otherChannel: true }

describe('sent', () => {
  test('is SENT, and DELIVERED where acceptance is delivery', () => {
    const mail = sent(before, { kind: 'sent', reference: { id: 'x' }, delivered: false }, at())
    expect(mail.delivery).toMatchObject({ state: 'sent', sentAt: now + 100, reference: { id: 'x' }, attempts: 1 })
    expect(mail.delivery.deliveredAt).toBeUndefined()
    expect(mail.events.map(({ type }) => type)).toEqual(['SENT'])
    const chat = sent(before, { kind: 'sent', reference: {}, delivered: true }, at())
    expect(chat.delivery.deliveredAt).toBe(now + 100)
    expect(chat.events.map(({ type }) => type)).toEqual(['SENT', 'DELIVERED'])
  })
  test('forgets the failures before it, except in the log', () => {
    const failed = afterFailure(before, retry, at({ alternatives: withinChannel })).delivery
    const { delivery } = sent(failed, { kind: 'sent', reference: {}, delivered: false }, at())
    for (const key of ['error', 'nextAt', 'failedOver'] as const) expect(delivery[key]).toBeUndefined()
    expect(delivery.log.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'retry'],
      [2, 'sent'],
    ])
  })
})

describe('rejected', () => {
  test.each([
    ['recipient', true],
    ['configuration', undefined],
    ['content', undefined],
  ] as const)('for the %s ends the delivery', (scope, recipientAtFault) => {
    const { delivery, events } = afterFailure(before, { kind: 'rejected', error: 'no', scope }, at())
    expect(delivery).toMatchObject({ state: 'failed', error: 'no', reason: 'PROVIDER_ERROR', attempts: 1 })
    expect(delivery.recipientAtFault).toBe(recipientAtFault)
    expect(events).toMatchObject([{ type: 'UNDELIVERABLE', n: 2, error_message: 'no', reason: 'PROVIDER_ERROR' }])
  })
})

describe('held back', () => {
  const refused = { error: 'The circuit breaker is open', waitMs: 9_000 }

  test('hands over to the next integration at once, and to another channel by its usual time', () => {
    expect(deferred(before, refused, at({ alternatives: withinChannel })).delivery.failedOver).toBe('provider')
    expect(deferred(before, refused, at({ alternatives: elsewhere })).delivery.failedOver).toBeUndefined()
    const misconfigured = { ...refused, isMisconfigured: true }
    expect(deferred(before, misconfigured, at({ alternatives: elsewhere })).delivery.failedOver).toBe('channel')
    expect(deferred(before, misconfigured, at({ alternatives: withinChannel })).delivery.failedOver).toBe('provider')
    const late = at({ alternatives: elsewhere, now: now + defaultWindows.channelMs })
    expect(deferred(before, refused, late).delivery.failedOver).toBe('channel')
  })
  test('waits without an attempt, and leaves one event for each reason', () => {
    const { delivery, events } = deferred(before, refused, at())
    expect(delivery).toMatchObject({ state: 'waiting', attempts: 0, nextAt: now + 9_100, log: [] })
    const event = { type: 'DELIVERING', held_back: 'limit', error: refused.error, next_attempt_at: now + 9_100 }
    expect(events).toMatchObject([event])
    expect(deferred(delivery, refused, at({ now: now + 9_100 })).events).toEqual([])
    expect(deferred(delivery, { ...refused, error: 'The limit is reached' }, at()).events).toHaveLength(1)
  })
  test('only an open breaker is named, as long as it refuses the delivery', () => {
    const broken = { ...refused, isBroken: true, isMisconfigured: true }
    const { delivery, events } = deferred(before, broken, at())
    expect(events).toMatchObject([{ held_back: 'circuit_breaker' }])
    expect(delivery).toMatchObject({ refusedAt: at().now, misconfigured: true })
    for (const after of [deferred(delivery, refused, at()), afterFailure(delivery, retry, at())]) {
      expect(after.delivery.refusedAt).toBeUndefined()
      expect(after.delivery.misconfigured).toBeUndefined()
    }
  })
  test('its wait is no part of the time for retries', () => {
    const day = 24 * 3_600_000
    const heldDelivery = deferred(before, { ...refused, waitMs: day }, at()).delivery
    const called = at({ now: now + day + 200 })
    expect(afterFailure(heldDelivery, retry, called).delivery.state).toBe('waiting')
    expect(afterFailure(before, retry, called).delivery.state).toBe('failed')
  })
  test('a message that may have arrived goes to no other integration sooner for it', () => {
    const doubtful = afterFailure(
      before,
      { kind: 'in_doubt', error: 'reset' },
      at({ alternatives: withinChannel }),
    ).delivery
    expect(deferred(doubtful, refused, at({ alternatives: withinChannel })).delivery.failedOver).toBeUndefined()
  })
})

describe('concurrency limited', () => {
  const timed = { windows: { ...defaultWindows, providerMs: 1_500 }, alternatives: withinChannel }

  test('it waits without an attempt and without a word in the history', () => {
    const { delivery, events } = concurrencyLimited(before, 9_000, at({ alternatives: withinChannel }))
    expect(delivery).toMatchObject({ state: 'waiting', attempts: 0, log: [], nextAt: now + 9_100 })
    expect(delivery.failedOver).toBeUndefined()
    expect(events).toEqual([])
  })
  test('it steps back where its time would be over by then', () => {
    expect(concurrencyLimited(before, 9_000, at(timed)).delivery.failedOver).toBe('provider')
    expect(concurrencyLimited(before, 1_000, at(timed)).delivery.failedOver).toBeUndefined()
  })
  test('it steps back where its message would be over by then', () => {
    const ending = { deadline: now + 2_000 }
    expect(concurrencyLimited(before, 9_000, at({ ...ending, alternatives: elsewhere })).delivery.failedOver).toBe(
      'channel',
    )
    expect(concurrencyLimited(before, 9_000, at({ ...ending, alternatives: withinChannel })).delivery.failedOver).toBe(
      'provider',
    )
    expect(
      concurrencyLimited(before, 1_000, at({ ...ending, alternatives: elsewhere })).delivery.failedOver,
    ).toBeUndefined()
  })
  test('it waits no longer than its message, and never retries at once', () => {
    expect(concurrencyLimited(before, 9_000, at({ deadline: now + 2_000 })).delivery.nextAt).toBe(now + 2_000)
    expect(concurrencyLimited(before, 9_000, at({ deadline: now })).delivery.nextAt).toBe(now + 101)
  })
})

describe('retry', () => {
  test('waits as long as the table says', () => {
    const { delivery, events } = afterFailure(before, retry, at())
    expect(delivery).toMatchObject({ state: 'waiting', attempts: 1, nextAt: now + 5_100, error: '500' })
    expect(delivery.failedOver).toBeUndefined()
    expect(events).toMatchObject([{ type: 'DELIVERING', attempt: 1, error: '500', next_attempt_at: now + 5_100 }])
    expect(afterFailure(delivery, retry, at()).delivery).toMatchObject({ attempts: 2, nextAt: now + 10_100 })
  })
  test('waits longer when the provider requires it, never shorter', () => {
    expect(afterFailure(before, { ...retry, retryAfterMs: 60_000 }, at()).delivery.nextAt).toBe(now + 60_100)
    expect(afterFailure(before, { ...retry, retryAfterMs: 1 }, at()).delivery.nextAt).toBe(now + 5_100)
  })
  test('uses up no attempt when the provider only postponed it', () => {
    const { delivery } = afterFailure(before, { ...retry, attempted: false, retryAfterMs: 9_000 }, at())
    expect(delivery).toMatchObject({ attempts: 0, log: [], state: 'waiting', nextAt: now + 9_100 })
  })
  test('steps back at once for another integration of the channel', () => {
    expect(afterFailure(before, retry, at({ alternatives: withinChannel })).delivery.failedOver).toBe('provider')
  })
  describe('steps back for another channel', () => {
    const { channelMs } = defaultWindows
    const failedOver = (more: Partial<AttemptContext>, outcome: FailedOutcome = retry, firstAt = now) =>
      afterFailure({ ...before, firstAt }, outcome, at({ alternatives: elsewhere, ...more })).delivery.failedOver
    const inChannelToo = { sameChannel: true, otherChannel: true }

    test('only when the time of its channel is over, or would be at the next attempt', () => {
      expect(failedOver({})).toBeUndefined()
      expect(failedOver({ channelStartedAt: now - channelMs })).toBe('channel')
      expect(failedOver({}, { ...retry, retryAfterMs: channelMs })).toBe('channel')
    })
    test('which all integrations of the channel share', () => {
      expect(failedOver({ alternatives: inChannelToo, channelStartedAt: now - channelMs + 1_000 })).toBe('provider')
      expect(failedOver({ alternatives: inChannelToo, channelStartedAt: now - channelMs })).toBe('channel')
    })
    test('the last integration when its own is over, where the message says so of integrations only', () => {
      const windows = {
        ...defaultWindows,
        channelMs: Number.POSITIVE_INFINITY,
        providerMs: 60_000,
        lastProviderMs: 60_000,
      }
      const long = { windows, channelStartedAt: now - 10 * channelMs }
      expect(failedOver(long)).toBeUndefined()
      expect(failedOver({ ...long, alternatives: inChannelToo }, retry, now - 60_000)).toBe('provider')
      expect(failedOver(long, retry, now - 60_000)).toBe('channel')
    })
  })
  test('ends after the last attempt, after a day, and at the deadline of the message', () => {
    const worn = { ...before, attempts: attemptsMax - 1 }
    expect(afterFailure(worn, retry, at()).delivery.state).toBe('failed')
    expect(afterFailure({ ...before, attempts: attemptsMax - 2 }, retry, at()).delivery.state).toBe('waiting')
    const old = { ...before, firstAt: now - retryWindowMs }
    expect(afterFailure(old, retry, at()).delivery).toMatchObject({ state: 'failed', reason: 'PROVIDER_ERROR' })
    const outOfTime = afterFailure(before, retry, at({ deadline: now + 5_000 })).delivery
    expect(outOfTime).toMatchObject({ state: 'failed', reason: 'EXPIRED', error: retry.error })
    expect(afterFailure(before, retry, at({ deadline: now + 5_100 })).delivery.state).toBe('waiting')
  })
  test('a wish to wait beyond every bound is cut to half of the time left', () => {
    const postponed = afterFailure(
      before,
      { ...retry, attempted: false, retryAfterMs: 99_999_999_999_000 },
      at(),
    ).delivery
    expect(postponed).toMatchObject({ state: 'waiting', nextAt: expect.closeTo(now + retryWindowMs / 2, -4) })
    // A pause that fits is kept.
    const fitting = afterFailure(before, { ...retry, retryAfterMs: retryWindowMs - 200 }, at()).delivery
    expect(fitting).toMatchObject({ state: 'waiting', nextAt: now + 100 + retryWindowMs - 200 })
  })
})

describe('in doubt', () => {
  const doubt = { kind: 'in_doubt', error: 'cut off' } as const
  test('is tried again, and no other integration gets the copy meanwhile', () => {
    const { delivery } = afterFailure(before, doubt, at({ alternatives: withinChannel }))
    expect(delivery).toMatchObject({ state: 'waiting', nextAt: now + 5_100 })
    expect(delivery.failedOver).toBeUndefined()
  })
  test('another integration takes over when the window is over', () => {
    const firstAt = now - defaultWindows.providerMs
    const { delivery } = afterFailure({ ...before, firstAt }, doubt, at({ alternatives: withinChannel }))
    expect(delivery.failedOver).toBe('provider')
  })
  test('at most once: it ends, and says so', () => {
    const { delivery, events } = afterFailure(before, doubt, at({ atMostOnce: true }))
    expect(delivery).toMatchObject({ state: 'failed', reason: 'IN_DOUBT', attempts: 1 })
    expect(events).toMatchObject([{ type: 'UNDELIVERABLE', reason: 'IN_DOUBT', error_message: 'cut off' }])
    expect(inDoubt({ ...before, state: 'started' }, 'died', now).delivery).toMatchObject({ reason: 'IN_DOUBT' })
  })
  test('at most once: a clear answer may still be followed by another try', () => {
    expect(afterFailure(before, retry, at({ atMostOnce: true })).delivery.state).toBe('waiting')
  })
})

test('abandoning ends a delivery once and keeps what is known', () => {
  const waiting = afterFailure(before, retry, at({ alternatives: withinChannel })).delivery
  const { delivery, events } = abandon(waiting, 'gone', now)
  expect(delivery).toMatchObject({ state: 'failed', error: 'gone', reason: 'FAILED', attempts: 1 })
  expect(delivery.nextAt).toBeUndefined()
  expect(events).toMatchObject([{ type: 'UNDELIVERABLE', ts: now, error_message: 'gone', reason: 'FAILED' }])
})

test('the latest of many attempts are kept', () => {
  let delivery = before
  for (let attempt = 0; attempt < 15; attempt += 1) delivery = afterFailure(delivery, retry, at()).delivery
  expect(delivery.attempts).toBe(15)
  expect(delivery.log.map(({ number }) => number)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
})
