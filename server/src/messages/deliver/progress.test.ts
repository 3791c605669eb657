/** Whatever providers answer, a message comes to one end, never goes back, and never stalls. */
import { type Channel, channels, statusRank } from '@postrider/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../providers/provider.ts'
import { candidateKey, candidatesOf } from '../decide/candidates.ts'
import type { Group, Route, RouteCandidate } from '../decide/decision.ts'
import { channelStartedAt, type StoredDelivery } from '../delivery.ts'
import { defaultWindows } from '../facts.ts'
import { type AttemptContext, afterFailure, sent } from './failover.ts'
import { alternativesTo, branchOf, progress } from './progress.ts'
import { statusOf } from './settlement.ts'

const candidate = (channel: Channel, id: string): RouteCandidate => ({
  kind: 'candidate',
  key: candidateKey(channel, id),
  channel,
  integration: { id, provider: { key: 'webhook' } } as unknown as RouteCandidate['integration'],
  to: undefined,
})
const group = (channel: Channel, ids: string[]): Group => ({
  kind: 'group',
  method: 'single',
  channel,
  routes: ids.map((id) => candidate(channel, id)),
})
const root = (method: 'single' | 'all', routes: Route[]): Group => ({ kind: 'group', method, routes })

const fresh = (n: number, channel: Channel, integration: string): StoredDelivery => ({
  n,
  channel,
  provider: 'webhook',
  integration,
  state: 'waiting',
  attempts: 0,
  firstAt: 0,
  log: [],
})
const delivery = (channel: Channel, integration: string, state: Partial<StoredDelivery>): StoredDelivery => ({
  ...fresh(0, channel, integration),
  ...state,
})

const noChannels = new Set<string>()
const keys = (candidates: readonly RouteCandidate[]) => candidates.map(({ key }) => key)
const mail = group('email', ['a', 'b'])
const either = root('single', [mail, group('sms', ['c'])])
const both = root('all', [mail, group('sms', ['c'])])

test('the integrations of a channel are one part of an `all` routing, and no routing but that has parts', () => {
  const partsOf = (route: Route) => candidatesOf(route).map((each) => branchOf(each, route))
  expect(partsOf(both)).toEqual([0, 0, 1])
  expect(partsOf(root('single', [both, group('push', ['d'])]))).toEqual([0, 0, 1, undefined])
  expect(partsOf(either)).toEqual([undefined, undefined, undefined])
  const devices: Group = { ...root('all', [candidate('push', 'x'), candidate('push', 'y')]), devices: true }
  expect(partsOf(devices)).toEqual([undefined, undefined])
})

describe('the next candidate', () => {
  test('one way at a time, in order', () => {
    expect(keys(progress(either, [], noChannels, 0).start)).toEqual(['email:a'])
    expect(progress(either, [], new Set(['email:a']), 0)).toEqual({ state: 'open', start: [], nextAt: undefined })
  })
  test('with `all`, one of each channel at once', () => {
    expect(keys(progress(both, [], noChannels, 0).start)).toEqual(['email:a', 'sms:c'])
  })
  test('the next of the channel when one has failed, the next channel when all of it have', () => {
    const failed = [delivery('email', 'a', { state: 'failed' })]
    expect(keys(progress(either, failed, noChannels, 0).start)).toEqual(['email:b'])
    failed.push(delivery('email', 'b', { state: 'failed' }))
    expect(keys(progress(either, failed, noChannels, 0).start)).toEqual(['sms:c'])
    failed.push(delivery('sms', 'c', { state: 'failed' }))
    expect(progress(either, failed, noChannels, 0).state).toBe('failed')
  })
  test('the next channel at once when the address is at fault', () => {
    const failed = [delivery('email', 'a', { state: 'failed', recipientAtFault: true })]
    expect(keys(progress(either, failed, noChannels, 0).start)).toEqual(['sms:c'])
  })
  test('starts none while one waits for its next attempt', () => {
    const waiting = [delivery('email', 'a', { nextAt: 5 })]
    expect(progress(either, waiting, noChannels, 4)).toEqual({ state: 'open', start: [], nextAt: 5 })
    expect(keys(progress(either, waiting, noChannels, 5).start)).toEqual(['email:a'])
  })
  test('a candidate that failed over is tried again when the others have failed', () => {
    const passed = [delivery('email', 'a', { nextAt: 5, failedOver: 'provider' })]
    expect(keys(progress(either, passed, noChannels, 0).start)).toEqual(['email:b'])
    passed.push(delivery('email', 'b', { state: 'failed' }))
    expect(progress(root('single', [mail]), passed, noChannels, 0)).toMatchObject({
      state: 'open',
      start: [],
      nextAt: 5,
    })
    expect(keys(progress(root('single', [mail]), passed, noChannels, 5).start)).toEqual(['email:a'])
  })
  test('one accepted delivery is enough, except in an `all` routing', () => {
    const sent = [delivery('email', 'a', { state: 'sent' })]
    expect(progress(either, sent, noChannels, 0).state).toBe('accepted')
    expect(keys(progress(both, sent, noChannels, 0).start)).toEqual(['sms:c'])
  })
})

test('an alternative is a later way that has not ended, in this channel or another', () => {
  expect(alternativesTo('email:a', either, [])).toEqual({ sameChannel: true, otherChannel: true })
  expect(alternativesTo('email:b', either, [])).toEqual({ sameChannel: false, otherChannel: true })
  expect(alternativesTo('sms:c', either, [])).toEqual({ sameChannel: false, otherChannel: false })
  expect(alternativesTo('email:b', both, [])).toEqual({ sameChannel: false, otherChannel: false })
  const ended = [delivery('email', 'b', { state: 'failed' }), delivery('sms', 'c', { state: 'failed' })]
  expect(alternativesTo('email:a', either, ended)).toEqual({ sameChannel: false, otherChannel: false })
})

test('the status is the highest over the deliveries, UNDELIVERABLE only when all have failed', () => {
  const failed = delivery('email', 'a', { state: 'failed' })
  expect(statusOf('open', [failed])).toBe('ROUTED')
  expect(statusOf('failed', [failed])).toBe('UNDELIVERABLE')
  expect(statusOf('failed', [failed, delivery('sms', 'c', { state: 'sent' })])).toBe('SENT')
  expect(statusOf('accepted', [delivery('sms', 'c', { state: 'sent', deliveredAt: 1 }), failed])).toBe('DELIVERED')
  expect(statusOf('open', [delivery('sms', 'c', { state: 'sent', openedAt: 1 })])).toBe('OPENED')
  expect(statusOf('open', [delivery('sms', 'c', { state: 'sent', openedAt: 1, clickedAt: 2 })])).toBe('CLICKED')
})

const outcomes = fc.oneof<fc.Arbitrary<Outcome>[]>(
  fc.record({ kind: fc.constant('sent' as const), reference: fc.constant({}), delivered: fc.boolean() }),
  fc.record({
    kind: fc.constant('rejected' as const),
    error: fc.constant('no'),
    scope: fc.constantFrom('recipient' as const, 'configuration' as const, 'content' as const),
  }),
  fc.record(
    {
      kind: fc.constant('retry' as const),
      error: fc.constant('later'),
      attempted: fc.boolean(),
      retryAfterMs: fc.integer({ min: 0, max: 100_000_000 }),
    },
    { requiredKeys: ['kind', 'error', 'attempted'] },
  ),
  fc.record({ kind: fc.constant('in_doubt' as const), error: fc.constant('who knows') }),
)
const trees = fc
  .record({
    method: fc.constantFrom('single' as const, 'all' as const),
    counts: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: channels.length }),
  })
  .map(({ method, counts }) =>
    root(
      method,
      counts.map((count, at) =>
        group(
          channels[at] as Channel,
          Array.from({ length: count }, (_, n) => `${at}-${n}`),
        ),
      ),
    ),
  )

/** Plays a message to its end as the pipeline does, checking each step. `pick` chooses which call answers first. */
function play(tree: Group, answers: readonly Outcome[], pick: (count: number) => number) {
  const deliveries: StoredDelivery[] = []
  const busy = new Set<string>()
  const byKey = new Map(candidatesOf(tree).map((candidate) => [candidate.key, candidate]))
  let now = 1
  let rank = 0
  let undeliverable = 0
  // When the given answers are used up, every provider refuses.
  const refuse: Outcome = { kind: 'rejected', error: 'no', scope: 'content' }
  for (let step = 0; step < 10_000; step += 1) {
    const seen = progress(tree, deliveries, busy, now)
    const status = statusOf(seen.state, deliveries)
    const reached = statusRank[status] ?? (status === 'UNDELIVERABLE' ? 2 : 0)
    expect(reached).toBeGreaterThanOrEqual(rank)
    rank = reached
    for (const { key, channel, integration } of seen.start) {
      expect(busy.has(key)).toBe(false)
      const delivery = deliveries.find((candidate) => candidateKey(candidate.channel, candidate.integration) === key)
      expect(delivery?.state ?? 'waiting').toBe('waiting')
      if (!delivery) deliveries.push({ ...fresh(deliveries.length, channel, integration.id), firstAt: now })
      busy.add(key)
    }
    if (busy.size === 0) {
      if (seen.state !== 'open') return { ...seen, deliveries, undeliverable, status }
      // Nothing runs: it must say when to look again, or it is forgotten.
      expect(seen.nextAt).toBeGreaterThan(now)
      now = seen.nextAt ?? now
      continue
    }
    const key = [...busy][pick(busy.size)] as string
    busy.delete(key)
    const target = byKey.get(key) as RouteCandidate
    const before = deliveries.find((delivery) => delivery.integration === target.integration.id) as StoredDelivery
    const outcome = answers[step] ?? refuse
    const at: AttemptContext = {
      startedAt: now,
      now: (now += 1),
      random: 0.5,
      alternatives: alternativesTo(key, tree, deliveries),
      windows: defaultWindows,
      channelStartedAt: channelStartedAt(deliveries, before.channel, now),
      deadline: 72 * 3_600_000,
      atMostOnce: false,
    }
    const { delivery: after, events } =
      outcome.kind === 'sent' ? sent(before, outcome, at) : afterFailure(before, outcome, at)
    deliveries[before.n] = after
    undeliverable += events.filter(({ type }) => type === 'UNDELIVERABLE').length
  }
  throw new Error('It never came to an end')
}

test('for every sequence of answers it ends, its status never goes back, and no candidate is called twice at once', () => {
  fc.assert(
    fc.property(trees, fc.array(outcomes, { maxLength: 60 }), fc.nat(), (tree, answers, seed) => {
      const end = play(tree, answers, (count) => seed % count)
      const sent = end.deliveries.filter(({ state }) => state === 'sent')
      expect(end.state).toBe(sent.length > 0 ? 'accepted' : 'failed')
      expect(end.undeliverable).toBe(end.deliveries.filter(({ state }) => state === 'failed').length)
      // One is enough for the message, or for each channel.
      for (const node of tree.method === 'single' ? [tree] : tree.routes) {
        const integrationIds = new Set(candidatesOf(node).map(({ integration }) => integration.id))
        expect(sent.filter(({ integration }) => integrationIds.has(integration)).length).toBeLessThanOrEqual(1)
      }
      if (end.state === 'failed') {
        expect(end.status).toBe('UNDELIVERABLE')
        for (const delivery of end.deliveries) expect(delivery.state).toBe('failed')
        // Left out are only channels whose address was refused.
        const refused = new Set(
          end.deliveries.filter((delivery) => delivery.recipientAtFault).map(({ channel }) => channel),
        )
        for (const candidate of candidatesOf(tree))
          if (!refused.has(candidate.channel))
            expect(end.deliveries.some(({ integration }) => integration === candidate.integration.id)).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})
