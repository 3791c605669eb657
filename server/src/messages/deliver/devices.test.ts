/** The devices of an integration: all of them are tried, one that accepts is enough, and no other integration repeats it. */
import { expect, test } from 'vitest'
import { candidateKey } from '../decide/candidates.ts'
import type { Group, Route, RouteCandidate } from '../decide/decision.ts'
import type { StoredDelivery } from '../delivery.ts'
import { alternativesTo, progress } from './progress.ts'

const device = (integration: string, id: string): RouteCandidate => ({
  kind: 'candidate',
  key: candidateKey('push', integration, id),
  channel: 'push',
  integration: { id: integration, provider: { key: integration } } as unknown as RouteCandidate['integration'],
  device: { id },
  to: {},
})
const devices = (integration: string, ids: string[]): Group => ({
  kind: 'group',
  method: 'all',
  devices: true,
  routes: ids.map((id) => device(integration, id)),
})
const mail: Group = {
  kind: 'group',
  method: 'single',
  channel: 'email',
  routes: [{ ...device('smtp', ''), device: undefined, channel: 'email', key: 'email:smtp' } as unknown as Route],
}
const push: Group = {
  kind: 'group',
  method: 'single',
  channel: 'push',
  routes: [devices('fcm', ['a', 'b']), devices('apn', ['c'])],
}
const route: Group = { kind: 'group', method: 'single', routes: [push, mail] }

const delivery = (integration: string, id: string, state: Partial<StoredDelivery>): StoredDelivery => ({
  n: 0,
  channel: 'push',
  provider: integration,
  integration,
  device: { id },
  state: 'waiting',
  attempts: 1,
  firstAt: 0,
  log: [],
  ...state,
})
const none = new Set<string>()
const started = (deliveries: StoredDelivery[], inProgress: ReadonlySet<string> = none) =>
  progress(route, deliveries, inProgress, 1_000).start.map(({ key }) => key)
const sent = { state: 'sent' } as const
const failed = { state: 'failed' } as const
const later = { state: 'waiting', nextAt: 9_000 } as const

test('all devices of the first integration start at once, and no other one', () => {
  expect(started([])).toEqual(['push:fcm:a', 'push:fcm:b'])
})

test('one that accepted is enough, whatever the others do', () => {
  const deliveries = [delivery('fcm', 'a', sent), delivery('fcm', 'b', failed)]
  expect(progress(route, deliveries, none, 1_000)).toMatchObject({ state: 'accepted' })
  // It is tried again by its own pauses; neither the next integration nor the next channel has a turn for it.
  for (const failedOver of [undefined, 'provider', 'channel'] as const) {
    const other = [delivery('fcm', 'a', sent), delivery('fcm', 'b', { ...later, failedOver })]
    expect(progress(route, other, none, 1_000)).toMatchObject({ state: 'open', start: [], nextAt: 9_000 })
  }
})

test('the next integration has its turn when every device has failed or failed over', () => {
  const first = delivery('fcm', 'a', { ...later, failedOver: 'provider' })
  expect(started([first], new Set(['push:fcm:b']))).toEqual([])
  expect(started([first, delivery('fcm', 'b', later)])).toEqual([])
  expect(started([first, delivery('fcm', 'b', { ...later, failedOver: 'provider' })])).toEqual(['push:apn:c'])
  expect(started([delivery('fcm', 'a', failed), delivery('fcm', 'b', failed)])).toEqual(['push:apn:c'])
})

test('a dead token does not keep the other integrations from being tried', () => {
  const dead = { ...failed, recipientAtFault: true }
  expect(started([delivery('fcm', 'a', dead), delivery('fcm', 'b', dead)])).toEqual(['push:apn:c'])
  const all = [delivery('fcm', 'a', dead), delivery('fcm', 'b', dead), delivery('apn', 'c', dead)]
  expect(started(all)).toEqual(['email:smtp'])
})

test('an at-most-once attempt in doubt stops what would repeat it, not the other devices', () => {
  const doubt = { ...failed, reason: 'IN_DOUBT' } as const
  const deliveries = [delivery('fcm', 'a', doubt), delivery('fcm', 'b', { state: 'waiting', nextAt: 500 })]
  expect(started(deliveries)).toEqual(['push:fcm:b'])
  expect(progress(route, [delivery('fcm', 'a', doubt), delivery('fcm', 'b', failed)], none, 1_000)).toMatchObject({
    state: 'failed',
    start: [],
  })
})

test('a device has no alternative once another one of its integration accepted', () => {
  const waiting = delivery('fcm', 'b', later)
  expect(alternativesTo('push:fcm:b', route, [waiting])).toEqual({ sameChannel: true, otherChannel: true })
  expect(alternativesTo('push:fcm:b', route, [waiting, delivery('fcm', 'a', sent)])).toEqual({
    sameChannel: false,
    otherChannel: false,
  })
})
