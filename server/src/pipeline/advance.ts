/** Where a message stands from its deliveries, and which ways are to be tried next. Pure. */
import type { Channel, MessageStatus } from '@postrider/contract'
import type { Escalation } from './decide/timeouts.ts'
import { type Route, type Way, wayKey, ways } from './decide/ways.ts'
import type { StoredDelivery } from './delivery.ts'
import type { Criterion } from './message.ts'

export interface Progress {
  /** `open`: something is under way or waits. `accepted`: enough. `failed`: every way has ended. */
  state: 'open' | 'accepted' | 'failed'
  /** It was sent, and what has to happen then has not: `awaited` until `nextAt`, after that `missed`. */
  criterion?: 'awaited' | 'missed'
  /** Ways to start now. */
  start: Way[]
  /** When the earliest waiting delivery comes due. */
  nextAt: number | undefined
}

const accepted: Progress = { state: 'accepted', start: [], nextAt: undefined }
const failed: Progress = { state: 'failed', start: [], nextAt: undefined }
const missed: Progress = { state: 'accepted', criterion: 'missed', start: [], nextAt: undefined }

/** `busy`: the keys of ways whose attempt is under way. */
export function progress(
  route: Route,
  deliveries: readonly StoredDelivery[],
  busy: ReadonlySet<string>,
  now: number,
  escalation?: Escalation,
): Progress {
  const byKey = new Map(deliveries.map((delivery) => [wayKey(delivery.channel, delivery.integration), delivery]))
  const see = (node: Route): Progress => {
    if (node.kind === 'way') return seeWay(node)
    return node.method === 'all' ? seeAll(node.routes) : seeSingle(node.routes, node.channel)
  }
  const seeWay = (way: Way): Progress => {
    const delivery = byKey.get(way.key)
    if (busy.has(way.key)) return { state: 'open', start: [], nextAt: undefined }
    if (!delivery) return { state: 'open', start: [way], nextAt: undefined }
    if (delivery.state === 'sent') return escalation ? seeSent(delivery, escalation, now) : accepted
    if (delivery.state === 'failed') return failed
    const nextAt = delivery.nextAt ?? now
    return { state: 'open', start: nextAt <= now ? [way] : [], nextAt }
  }
  /** The provider blamed the address: other integrations of the channel would meet the same. */
  const channelRefused = (channel: string | undefined) =>
    channel !== undefined && deliveries.some((one) => one.channel === channel && one.recipientAtFault)
  const passedOver = (way: Way) => (busy.has(way.key) ? undefined : byKey.get(way.key)?.passedOver)
  const gaveWay = (node: Route): boolean => {
    if (node.kind === 'way') return byKey.get(node.key)?.state === 'failed' || passedOver(node) === 'channel'
    const { channel, method, routes } = node
    // The time of a channel is over for those of its integrations too that had no turn.
    const isOver =
      channel !== undefined && method === 'single' && ways(node).some((way) => passedOver(way) === 'channel')
    return (isOver && !ways(node).some(({ key }) => busy.has(key))) || routes.every(gaveWay)
  }
  const isPassedOver = (node: Route) => (node.kind === 'way' ? passedOver(node) !== undefined : gaveWay(node))

  const seeSingle = (routes: readonly Route[], channel: Channel | undefined): Progress => {
    const seen = routes.map((node) => ({ node, progress: see(node) }))
    if (seen.some(({ progress }) => progress.state === 'accepted' && !progress.criterion)) return accepted
    // What was sent by one integration of a channel is not sent by the next one: another channel follows.
    const sent = seen.find(({ progress }) => progress.criterion)
    if (sent && (channel !== undefined || sent.progress.criterion === 'awaited')) return sent.progress
    // Whether an interrupted at-most-once attempt arrived must not be found out by sending it another way.
    if (routes.flatMap(ways).some(({ key }) => byKey.get(key)?.reason === 'IN_DOUBT')) return failed
    const begun = (node: Route) => ways(node).some(({ key }) => byKey.has(key) || busy.has(key))
    const refused = channelRefused(channel)
    const open = seen.filter((one) => one.progress.state === 'open' && !(refused && !begun(one.node)))
    // A delivery that was passed over has its turn again when nobody else is left.
    const turn = open.find((one) => !isPassedOver(one.node)) ?? open[0]
    return turn?.progress ?? sent?.progress ?? failed
  }
  const seeAll = (routes: readonly Route[]): Progress => {
    const seen = routes.map(see)
    const open = seen.filter(({ state }) => state === 'open')
    const missing = seen.find(({ criterion }) => criterion === 'missed')
    if (seen.some(({ state, criterion }) => state === 'accepted' && !criterion) && open.length === 0) return accepted
    if (open.length === 0) return missing ?? failed
    const times = open.flatMap(({ nextAt }) => (nextAt === undefined ? [] : [nextAt]))
    return {
      state: 'open',
      ...(open.every(({ criterion }) => criterion === 'awaited') && { criterion: 'awaited' }),
      start: open.flatMap(({ start }) => start),
      nextAt: times.length > 0 ? Math.min(...times) : undefined,
    }
  }
  const seen = see(route)
  // Nobody is left who could follow: waiting any longer changes nothing.
  const isUsed = ({ key, channel }: Way) =>
    byKey.has(key) || deliveries.some((one) => one.channel === channel && one.state === 'sent')
  const isLast = seen.criterion === 'awaited' && ways(route).every(isUsed)
  return isLast ? accepted : seen
}

function seeSent(delivery: StoredDelivery, { criterion, waitMs }: Escalation, now: number): Progress {
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

/** True while another way could still take over from this one: then its time is bounded by the windows. */
export function hasAlternative(route: Route, deliveries: readonly StoredDelivery[], key: string): Alternatives {
  const ended = new Set(
    deliveries
      .filter(({ state, passedOver }) => state === 'failed' || state === 'sent' || passedOver)
      .map(({ channel, integration }) => wayKey(channel, integration)),
  )
  const found: Alternatives = { sameChannel: false, otherChannel: false }
  const look = (node: Route): boolean => {
    if (node.kind === 'way') return node.key === key
    const at = node.routes.findIndex(look)
    if (at === -1) return false
    if (node.method === 'all') return true
    const later = node.routes.slice(at + 1).flatMap(ways)
    if (later.some((way) => !ended.has(way.key)))
      found[node.channel === undefined ? 'otherChannel' : 'sameChannel'] = true
    return true
  }
  look(route)
  return found
}

export interface Alternatives {
  sameChannel: boolean
  otherChannel: boolean
}

/** The message's status is the highest over its deliveries; UNDELIVERABLE only when every way has ended so. */
export function statusOf(state: Progress['state'], deliveries: readonly StoredDelivery[]): MessageStatus {
  if (deliveries.some((delivery) => delivery.clickedAt !== undefined)) return 'CLICKED'
  if (deliveries.some((delivery) => delivery.openedAt !== undefined)) return 'OPENED'
  if (deliveries.some((delivery) => delivery.deliveredAt !== undefined)) return 'DELIVERED'
  if (deliveries.some((delivery) => delivery.state === 'sent')) return 'SENT'
  return state === 'failed' ? 'UNDELIVERABLE' : 'ROUTED'
}
