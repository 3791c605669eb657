/** A message is held where only a repair of an integration can deliver it, and never beyond its time. */
import { expect, test } from 'vitest'
import { DAY, HOUR } from '../../base/time/duration.ts'
import type { DecisionOf } from '../decide/decide.ts'
import type { StoredDelivery } from '../delivery.ts'
import { defaultWindows } from '../facts.ts'
import type { Settlement } from '../leased-message.ts'
import { afterHold, heldAfterFailure, heldByDecision } from './settlement.ts'

const now = 1_000_000
const failed: StoredDelivery = {
  ...{ n: 0, channel: 'email', provider: 'smtp', integration: 'I1', attempts: 1, firstAt: now - 10, log: [] },
  ...{ state: 'failed', error: '535', reason: 'PROVIDER_ERROR', misconfigured: true },
}
const ended = (...deliveries: StoredDelivery[]): Settlement => ({
  state: { status: 'UNDELIVERABLE', dueAt: null, keepLease: false, error: '535', reason: 'PROVIDER_ERROR' },
  deliveries,
  events: [],
})
const planOf = (holdsMisconfigured: boolean, messageMs = defaultWindows.messageMs) =>
  ({
    ...{ firstDue: now, now, input: { timeouts: { messageMs } } },
    facts: { holdsMisconfigured, windows: defaultWindows },
  }) as unknown as Parameters<typeof heldAfterFailure>[1]

test('a refused configuration is waited for, until the deadline of the message', () => {
  const { state, deliveries, events } = heldAfterFailure(ended(failed), planOf(true), now, now)
  const until = now + defaultWindows.messageMs
  expect(state).toEqual({ status: 'HELD', dueAt: until, keepLease: false, error: '535', reason: 'PROVIDER_ERROR' })
  expect(deliveries).toMatchObject([{ state: 'waiting', nextAt: until, heldSince: now, misconfigured: true }])
  expect(events).toEqual([{ type: 'HELD', ts: now, until, reason: 'PROVIDER_ERROR', error_message: '535' }])
})

test('at most seven days, counted from when the message was due', () => {
  const plan = planOf(true, 30 * DAY)
  expect(heldAfterFailure(ended(failed), plan, now, now).state.dueAt).toBe(now + 7 * DAY)
  const over = ended(failed)
  expect(heldAfterFailure(over, plan, now - 7 * DAY, now)).toBe(over)
})

test.each([
  ['the workspace holds none', planOf(false), failed],
  ['the content was refused', planOf(true), { ...failed, misconfigured: undefined }],
  ['its time is over', planOf(true, -1), failed],
] as const)('not where %s', (_, plan, delivery) => {
  const settlement = ended(delivery)
  expect(heldAfterFailure(settlement, plan, now, now)).toBe(settlement)
})

test('not for a channel in which the address itself was refused, and not while anything else is left', () => {
  const refused = ended(failed, {
    ...failed,
    n: 1,
    integration: 'I2',
    misconfigured: undefined,
    recipientAtFault: true,
  })
  expect(heldAfterFailure(refused, planOf(true), now, now)).toBe(refused)
  const waiting = { ...failed, n: 1, state: 'waiting', misconfigured: undefined, nextAt: now + 5 } as const
  const open = {
    ...ended(failed, waiting),
    state: { status: 'ROUTED', dueAt: now + 5, keepLease: false },
  } as Settlement
  expect(heldAfterFailure(open, planOf(true), now, now)).toBe(open)
})

test('a message that waits for a breaker which refused credentials have opened is held, too', () => {
  const waiting = { ...failed, state: 'waiting', nextAt: now + 5 } as const
  const open = { ...ended(waiting), state: { status: 'ROUTED', dueAt: now + 5, keepLease: false } } as Settlement
  expect(heldAfterFailure(open, planOf(true), now, now).state.status).toBe('HELD')
})

test('beside one that waits for a breaker, the repair of one that was refused before is waited for, too', () => {
  const waiting = { ...failed, n: 1, integration: 'I2', state: 'waiting', nextAt: now + 5 } as const
  const rejected = { ...failed, n: 2, channel: 'sms', integration: 'I3', misconfigured: undefined } as const
  const open = {
    ...ended(failed, waiting, rejected),
    state: { status: 'ROUTED', dueAt: now + 5, keepLease: false },
  } as Settlement
  const { state, deliveries } = heldAfterFailure(open, planOf(true), now, now)
  expect(state.status).toBe('HELD')
  expect(deliveries.map((delivery) => delivery.heldSince)).toEqual([now, now, undefined])
  const noneWaits = { ...open, deliveries: [failed, rejected] }
  expect(heldAfterFailure(noneWaits, planOf(true), now, now)).toBe(noneWaits)
})

test('a decision that finds only integrations that are switched off is held, any other ending is not', () => {
  const stopped = (reason: string, candidate: string) =>
    ({
      ...{ kind: 'stopped', stop: { status: 'UNROUTABLE', reason, error: 'smtp is switched off' }, plan: planOf(true) },
      considered: [{ channel: 'email', reason: candidate }],
    }) as unknown as DecisionOf<'stopped'>
  const settlement = heldByDecision(stopped('NO_PROVIDERS', 'MISSING_CONFIGURATION'), [], now)
  expect(settlement?.state).toMatchObject({ status: 'HELD', dueAt: now + defaultWindows.messageMs })
  expect(heldByDecision(stopped('NO_PROVIDERS', 'NO_PROVIDERS'), [], now)).toBeUndefined()
  expect(heldByDecision(stopped('INCOMPLETE_PROFILE_DATA', 'MISSING_CONFIGURATION'), [], now)).toBeUndefined()
})

test('the time that it was held is no part of its time for retries', () => {
  const heldDelivery: StoredDelivery = { ...failed, state: 'waiting', heldSince: now, heldMs: 5 }
  const after = afterHold(heldDelivery, now + HOUR)
  expect(after.heldMs).toBe(HOUR + 5)
  expect(after).not.toHaveProperty('heldSince')
  expect(after).not.toHaveProperty('misconfigured')
})
