/** The progress of a message, from its deliveries, and the candidates to try next. Pure. */
import type { MessageStatus } from '@postrider/contract'
import { candidatesOf, someCandidate } from '../decide/candidates.ts'
import type { Group, Route, RouteCandidate } from '../decide/decision.ts'
import type { Escalation } from '../decide/window.ts'
import type { StoredDelivery } from '../delivery.ts'
import type { Criterion } from '../send.ts'

export interface Progress {
  /** `open`: something is under candidate or waits. `accepted`: enough. `failed`: every candidate has ended. */
  state: 'open' | 'accepted' | 'failed'
  /** It was sent, and what has to happen then has not: `awaited` until `nextAt`, after that `missed`. */
  criterion?: 'awaited' | 'missed'
  /** Ways to start now. */
  start: RouteCandidate[]
  /** When the earliest waiting delivery comes due. */
  nextAt: number | undefined
}

const accepted: Progress = { state: 'accepted', start: [], nextAt: undefined }
const failed: Progress = { state: 'failed', start: [], nextAt: undefined }
const missed: Progress = { state: 'accepted', criterion: 'missed', start: [], nextAt: undefined }

/** The keys of candidates whose attempt is under candidate. */
type Busy = Pick<ReadonlySet<string>, 'has'>

/** Of one message: what its candidates are looked up in. */
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
  const isUsed = (candidate: RouteCandidate) =>
    deliveryBy(candidate, deliveries) !== undefined ||
    deliveries.some((one) => one.channel === candidate.channel && one.state === 'sent')
  return candidatesOf(route).every(isUsed) ? accepted : seen
}

function see(node: Route, at: Situation): Progress {
  if (node.kind === 'candidate') return seeWay(node, at)
  return node.method === 'all' ? seeAll(node, at) : seeSingle(node, at)
}

function seeWay(candidate: RouteCandidate, { deliveries, busy, now, escalation }: Situation): Progress {
  if (busy.has(candidate.key)) return { state: 'open', start: [], nextAt: undefined }
  const delivery = deliveryBy(candidate, deliveries)
  if (!delivery) return { state: 'open', start: [candidate], nextAt: undefined }
  if (delivery.state === 'sent') return escalation ? seeSent(delivery, escalation, now) : accepted
  if (delivery.state === 'failed') return failed
  const nextAt = delivery.nextAt ?? now
  return { state: 'open', start: nextAt <= now ? [candidate] : [], nextAt }
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
  // Whether an interrupted at-most-once attempt arrived must not be found out by sending it another candidate.
  if (
    at.deliveries.some(isInDoubt) &&
    someCandidate(group, (candidate) => isInDoubt(deliveryBy(candidate, at.deliveries)))
  )
    return failed
  const left = channelRefused(channel, at)
    ? open.filter(({ node }) => someCandidate(node, (candidate) => isBegun(candidate, at)))
    : open
  // A delivery that was passed over has its turn again when nobody else is left.
  const turn = left.length > 1 ? left.find(({ node }) => !hasFailedOver(node, at)) : undefined
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

const deliveryBy = ({ channel, integration }: RouteCandidate, deliveries: readonly StoredDelivery[]) =>
  deliveries.find((one) => one.channel === channel && one.integration === integration.id)

const isInDoubt = (delivery: StoredDelivery | undefined) => delivery?.reason === 'IN_DOUBT'

const isBegun = (candidate: RouteCandidate, { busy, deliveries }: Situation) =>
  busy.has(candidate.key) || deliveryBy(candidate, deliveries) !== undefined

/** The provider blamed the address: other integrations of the channel would meet the same. */
const channelRefused = (channel: string | undefined, { deliveries }: Situation) =>
  channel !== undefined && deliveries.some((one) => one.channel === channel && one.recipientAtFault)

const failedOver = (candidate: RouteCandidate, { busy, deliveries }: Situation) =>
  busy.has(candidate.key) ? undefined : deliveryBy(candidate, deliveries)?.failedOver

const hasFailedOver = (node: Route, at: Situation) =>
  node.kind === 'candidate' ? failedOver(node, at) !== undefined : isSuperseded(node, at)

function isSuperseded(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate')
    return deliveryBy(node, at.deliveries)?.state === 'failed' || failedOver(node, at) === 'channel'
  const { channel, method, routes } = node
  // The time of a channel is over for those of its integrations too that had no turn.
  const isOver =
    channel !== undefined &&
    method === 'single' &&
    someCandidate(node, (candidate) => failedOver(candidate, at) === 'channel')
  return (isOver && !someCandidate(node, ({ key }) => at.busy.has(key))) || routes.every((one) => isSuperseded(one, at))
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

/** True while another candidate could still take over from this one: then its time is bounded by the windows. */
export function alternativesTo(route: Route, deliveries: readonly StoredDelivery[], key: string): Alternatives {
  const found: Alternatives = { sameChannel: false, otherChannel: false }
  const isLeft = (candidate: RouteCandidate) => {
    const delivery = deliveryBy(candidate, deliveries)
    return !delivery || !(delivery.state === 'failed' || delivery.state === 'sent' || delivery.failedOver)
  }
  const look = (node: Route): boolean => {
    if (node.kind === 'candidate') return node.key === key
    const at = node.routes.findIndex(look)
    if (at === -1) return false
    if (node.method === 'all') return true
    if (node.routes.some((later, index) => index > at && someCandidate(later, isLeft)))
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

/** The message's status is the highest over its deliveries; UNDELIVERABLE only when every candidate has ended so. */
export function statusOf(state: Progress['state'], deliveries: readonly StoredDelivery[]): MessageStatus {
  if (deliveries.some((delivery) => delivery.clickedAt !== undefined)) return 'CLICKED'
  if (deliveries.some((delivery) => delivery.openedAt !== undefined)) return 'OPENED'
  if (deliveries.some((delivery) => delivery.deliveredAt !== undefined)) return 'DELIVERED'
  if (deliveries.some((delivery) => delivery.state === 'sent')) return 'SENT'
  return state === 'failed' ? 'UNDELIVERABLE' : 'ROUTED'
}
