/** The progress of a message, from its deliveries, and the candidates to try next. Pure. */
import type { MessageStatus } from '@postrider/contract'
import { type Group, type Route, someWay, type Way, ways } from '../decide/candidates.ts'
import type { Escalation } from '../decide/timeouts.ts'
import type { StoredDelivery } from '../delivery.ts'
import type { Criterion } from '../send.ts'

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

/** The keys of ways whose attempt is under way. */
type Busy = Pick<ReadonlySet<string>, 'has'>

/** Of one message: what its ways are looked up in. */
interface Situation {
  deliveries: readonly StoredDelivery[]
  busy: Busy
  now: number
  escalation: Escalation | undefined
}

export function progress(
  route: Route,
  deliveries: readonly StoredDelivery[],
  busy: Busy,
  now: number,
  escalation?: Escalation,
): Progress {
  const seen = see(route, { deliveries, busy, now, escalation })
  if (seen.criterion !== 'awaited') return seen
  // Nobody is left who could follow: waiting any longer changes nothing.
  const isUsed = (way: Way) =>
    deliveryBy(way, deliveries) !== undefined ||
    deliveries.some((one) => one.channel === way.channel && one.state === 'sent')
  return ways(route).every(isUsed) ? accepted : seen
}

function see(node: Route, at: Situation): Progress {
  if (node.kind === 'way') return seeWay(node, at)
  return node.method === 'all' ? seeAll(node, at) : seeSingle(node, at)
}

function seeWay(way: Way, { deliveries, busy, now, escalation }: Situation): Progress {
  if (busy.has(way.key)) return { state: 'open', start: [], nextAt: undefined }
  const delivery = deliveryBy(way, deliveries)
  if (!delivery) return { state: 'open', start: [way], nextAt: undefined }
  if (delivery.state === 'sent') return escalation ? seeSent(delivery, escalation, now) : accepted
  if (delivery.state === 'failed') return failed
  const nextAt = delivery.nextAt ?? now
  return { state: 'open', start: nextAt <= now ? [way] : [], nextAt }
}

function seeSingle(group: Group, at: Situation): Progress {
  const { routes, channel } = group
  const open: { node: Route; progress: Progress }[] = []
  let sent: Progress | undefined
  for (const node of routes) {
    const progress = see(node, at)
    if (progress.criterion) sent ??= progress
    else if (progress.state === 'accepted') return accepted
    if (progress.state === 'open') open.push({ node, progress })
  }
  // What was sent by one integration of a channel is not sent by the next one: another channel follows.
  if (sent && (channel !== undefined || sent.criterion === 'awaited')) return sent
  // Whether an interrupted at-most-once attempt arrived must not be found out by sending it another way.
  if (at.deliveries.some(isInDoubt) && someWay(group, (way) => isInDoubt(deliveryBy(way, at.deliveries)))) return failed
  const left = channelRefused(channel, at) ? open.filter(({ node }) => someWay(node, (way) => isBegun(way, at))) : open
  // A delivery that was passed over has its turn again when nobody else is left.
  const turn = left.length > 1 ? left.find(({ node }) => !isPassedOver(node, at)) : undefined
  return (turn ?? left[0])?.progress ?? sent ?? failed
}

function seeAll({ routes }: Group, at: Situation): Progress {
  const seen = routes.map((node) => see(node, at))
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

const deliveryBy = ({ channel, integration }: Way, deliveries: readonly StoredDelivery[]) =>
  deliveries.find((one) => one.channel === channel && one.integration === integration.id)

const isInDoubt = (delivery: StoredDelivery | undefined) => delivery?.reason === 'IN_DOUBT'

const isBegun = (way: Way, { busy, deliveries }: Situation) =>
  busy.has(way.key) || deliveryBy(way, deliveries) !== undefined

/** The provider blamed the address: other integrations of the channel would meet the same. */
const channelRefused = (channel: string | undefined, { deliveries }: Situation) =>
  channel !== undefined && deliveries.some((one) => one.channel === channel && one.recipientAtFault)

const passedOver = (way: Way, { busy, deliveries }: Situation) =>
  busy.has(way.key) ? undefined : deliveryBy(way, deliveries)?.passedOver

const isPassedOver = (node: Route, at: Situation) =>
  node.kind === 'way' ? passedOver(node, at) !== undefined : gaveWay(node, at)

function gaveWay(node: Route, at: Situation): boolean {
  if (node.kind === 'way')
    return deliveryBy(node, at.deliveries)?.state === 'failed' || passedOver(node, at) === 'channel'
  const { channel, method, routes } = node
  // The time of a channel is over for those of its integrations too that had no turn.
  const isOver =
    channel !== undefined && method === 'single' && someWay(node, (way) => passedOver(way, at) === 'channel')
  return (isOver && !someWay(node, ({ key }) => at.busy.has(key))) || routes.every((one) => gaveWay(one, at))
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
  const found: Alternatives = { sameChannel: false, otherChannel: false }
  const isLeft = (way: Way) => {
    const delivery = deliveryBy(way, deliveries)
    return !delivery || !(delivery.state === 'failed' || delivery.state === 'sent' || delivery.passedOver)
  }
  const look = (node: Route): boolean => {
    if (node.kind === 'way') return node.key === key
    const at = node.routes.findIndex(look)
    if (at === -1) return false
    if (node.method === 'all') return true
    if (node.routes.some((later, index) => index > at && someWay(later, isLeft)))
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
