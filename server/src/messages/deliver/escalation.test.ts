/** A message with a criterion goes on to the next channel when it was sent and the criterion was not met in time. */
import type { Channel } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { candidateKey, candidatesOf } from '../decide/candidates.ts'
import type { Group, Route, RouteCandidate, Routed } from '../decide/decision.ts'
import { escalationOf, windowsOf } from '../decide/window.ts'
import type { StoredDelivery } from '../delivery.ts'
import { defaultWindows } from '../facts.ts'
import type { Criterion, SendInput, Timeouts } from '../send.ts'
import { progress } from './progress.ts'

const candidate = (channel: Channel, id: string, key = 'webhook'): RouteCandidate => ({
  kind: 'candidate',
  key: candidateKey(channel, id),
  channel,
  integration: { id, provider: { key, aliases: [] } } as unknown as RouteCandidate['integration'],
  to: undefined,
})
const group = (channel: Channel, ids: string[]): Group => ({
  kind: 'group',
  method: 'single',
  channel,
  routes: ids.map((id) => candidate(channel, id)),
})
const route: Group = { kind: 'group', method: 'single', routes: [group('email', ['a', 'b']), group('sms', ['c'])] }
const sent = (channel: Channel, integration: string, more: Partial<StoredDelivery> = {}): StoredDelivery => ({
  ...{
    n: 0,
    channel,
    provider: 'webhook',
    integration,
    state: 'sent',
    attempts: 1,
    firstAt: 0,
    sentAt: 1_000,
    log: [],
  },
  ...more,
})
const noChannels = new Set<string>()
const see = (deliveries: StoredDelivery[], now: number, criterion: Criterion = 'delivered', tree: Route = route) => {
  const seen = progress(tree, deliveries, noChannels, now, { criterion, waitMs: () => 500 })
  return [seen.state, seen.start.map(({ key }) => key), seen.nextAt]
}

describe('with a criterion', () => {
  test('a sent delivery is waited for', () => expect(see([sent('email', 'a')], 1_200)).toEqual(['open', [], 1_500]))
  test('then the next channel follows, not the next integration', () =>
    expect(see([sent('email', 'a')], 1_500)).toEqual(['open', ['sms:c'], undefined]))
  test.each([
    ['delivered', { deliveredAt: 1_100 }, true],
    ['delivered', { openedAt: 1_100 }, true],
    ['viewed', { deliveredAt: 1_100 }, false],
    ['viewed', { openedAt: 1_100 }, true],
    ['engaged', { openedAt: 1_100 }, false],
    ['engaged', { clickedAt: 1_100 }, true],
  ] as const)('`%s` is met by %o: %s', (criterion, more, met) => {
    expect(see([sent('email', 'a', more)], 1_500, criterion)[0]).toBe(met ? 'accepted' : 'open')
  })
  test('when every channel was used, it has ended', () => {
    expect(see([sent('email', 'a'), sent('sms', 'c', { n: 1 })], 1_200)).toEqual(['accepted', [], undefined])
    expect(see([sent('email', 'a')], 1_200, 'delivered', group('email', ['a', 'b']))).toEqual([
      'accepted',
      [],
      undefined,
    ])
  })
  test('a group of `all` is waited for and left like a single channel', () => {
    const pair: Group = { kind: 'group', method: 'all', routes: [group('email', ['a']), group('sms', ['c'])] }
    const tree: Group = { kind: 'group', method: 'single', routes: [pair, group('push', ['p'])] }
    const both = [sent('email', 'a'), sent('sms', 'c', { n: 1 })]
    expect(see(both, 1_200, 'viewed', tree)).toEqual(['open', [], 1_500])
    expect(see(both, 1_500, 'viewed', tree)).toEqual(['open', ['push:p'], undefined])
    expect(see(both, 1_200, 'viewed', pair)).toEqual(['accepted', [], undefined])
  })
  test('a later channel that fails leaves the message sent', () =>
    expect(see([sent('email', 'a'), sent('sms', 'c', { n: 1, state: 'failed' })], 1_600)[0]).toBe('accepted'))
})

const plan = (input: Partial<SendInput>) =>
  ({ input, facts: { windows: defaultWindows }, route, candidates: candidatesOf(route) }) as unknown as Routed

describe('how long a way is given', () => {
  const mail = candidate('email', 'a', 'smtp')
  test.each([
    ['the default', {}, defaultWindows],
    [
      'for all',
      { timeouts: { messageMs: 9, channelMs: 8, providerMs: 7 } },
      { messageMs: 9, channelMs: 8, providerMs: 7 },
    ],
    [
      'by name',
      { timeouts: { channelMs: { email: 6, sms: 1 }, providerMs: { smtp: 5, twilio: 1 } } },
      { ...defaultWindows, channelMs: 6, providerMs: 5 },
    ],
    [
      'of the channel',
      { timeouts: { channelMs: 8, providerMs: 7 }, channels: { email: { channelMs: 4, providerMs: 3 } } },
      { ...defaultWindows, channelMs: 4, providerMs: 3 },
    ],
    [
      'of the provider',
      { channels: { email: { providerMs: 3 } }, providers: { smtp: { providerMs: 2 } } },
      { ...defaultWindows, channelMs: Number.POSITIVE_INFINITY, providerMs: 2, lastProviderMs: 2 },
    ],
  ])('%s', (_title, input, expected) => expect(windowsOf(plan(input), mail)).toEqual(expected))

  test('a criterion waits for the escalation, else for the channel', () => {
    const waited = (timeouts: Timeouts) => escalationOf(plan({ timeouts }))?.waitMs('email', 'a')
    expect(waited({ criterion: 'viewed', channelMs: 8 })).toBe(8)
    expect(waited({ criterion: 'viewed', providerMs: 8 })).toBe(8)
    expect(waited({ criterion: 'viewed', channelMs: 8, escalationMs: 2 })).toBe(2)
    expect(escalationOf(plan({ timeouts: { channelMs: 8 } }))).toBeUndefined()
  })
})
