/** The progress of a message, from its deliveries: the candidates to try next, and the state it is written in. Pure. */
import type { MessageStatus, Reason } from '@postrider/contract'
import { someCandidate } from '../decide/candidates.ts'
import type { Group, Route, RouteCandidate } from '../decide/decision.ts'
import type { Escalation } from '../decide/window.ts'
import type { StoredDelivery, StoredEvent } from '../delivery.ts'
import type { MessageState, Settlement } from '../leased-message.ts'
import type { Criterion } from '../send.ts'
import { type Alternatives, abandon, type DeliveryChange } from './outcome.ts'

export interface Progress {
  /** `open`: an attempt is in progress or due later. `accepted`: nothing more is needed. `failed`: every candidate has ended. */
  state: 'open' | 'accepted' | 'failed'
  /** Sent, and what has to follow has not happened: `awaited` until `nextAt`, then `missed`. */
  criterion?: 'awaited' | 'missed'
  /** Candidates to start now. */
  start: RouteCandidate[]
  /** When the earliest waiting delivery comes due. */
  nextAt: number | undefined
}

const accepted: Progress = { state: 'accepted', start: [], nextAt: undefined }
const failed: Progress = { state: 'failed', start: [], nextAt: undefined }
const missed: Progress = { state: 'accepted', criterion: 'missed', start: [], nextAt: undefined }

/** The keys of candidates whose attempt is in progress. */
type KeysInProgress = Pick<ReadonlySet<string>, 'has'>

interface Situation {
  deliveries: readonly StoredDelivery[]
  inProgress: KeysInProgress
  now: number
  escalation: Escalation | undefined
}

export function progress(
  route: Route,
  deliveries: readonly StoredDelivery[],
  inProgress: KeysInProgress,
  now: number,
  escalation?: Escalation,
): Progress {
  const result = progressOf(route, { deliveries, inProgress, now, escalation })
  if (result.criterion !== 'awaited') return result
  // Without a candidate that could follow, waiting for the criterion changes nothing.
  const hasUnused = someCandidate(
    route,
    (candidate) =>
      deliveryBy(candidate, deliveries) === undefined &&
      !deliveries.some((one) => one.channel === candidate.channel && one.state === 'sent'),
  )
  return hasUnused ? result : accepted
}

function progressOf(node: Route, at: Situation): Progress {
  if (node.kind === 'candidate') return ofCandidate(node, at)
  return node.method === 'all' ? ofAll(node, at) : ofSingle(node, at)
}

function ofCandidate(candidate: RouteCandidate, { deliveries, inProgress, now, escalation }: Situation): Progress {
  if (inProgress.has(candidate.key)) return { state: 'open', start: [], nextAt: undefined }
  const delivery = deliveryBy(candidate, deliveries)
  if (!delivery) return { state: 'open', start: [candidate], nextAt: undefined }
  if (delivery.state === 'sent') return escalation ? ofSent(delivery, escalation, now) : accepted
  if (delivery.state === 'failed') return failed
  const nextAt = delivery.nextAt ?? now
  return { state: 'open', start: nextAt <= now ? [candidate] : [], nextAt }
}

/** One after the other, until one is accepted. */
function ofSingle(group: Group, at: Situation): Progress {
  const { routes, channel } = group
  const open: { node: Route; progress: Progress }[] = []
  let sent: Progress | undefined
  for (const node of routes) {
    const progress = progressOf(node, at)
    if (progress.criterion) sent ??= progress
    else if (progress.state === 'accepted') return accepted
    if (progress.state === 'open') open.push({ node, progress })
  }
  // Escalation goes to the next channel, never to another integration of the same one.
  if (sent && (channel !== undefined || sent.criterion === 'awaited')) return sent
  // A second candidate could deliver a second copy of an interrupted at-most-once attempt.
  if (at.deliveries.some(isInDoubt) && someCandidate(group, (one) => isInDoubt(deliveryBy(one, at.deliveries))))
    return failed
  const left = isAddressRefused(channel, at)
    ? open.filter(({ node }) => someCandidate(node, (one) => isStarted(one, at)))
    : open
  // A delivery that failed over has another turn when none is left after it.
  const next = left.length > 1 ? left.find(({ node }) => !hasFailedOver(node, at)) : undefined
  return (next ?? left[0])?.progress ?? sent ?? failed
}

function ofAll({ routes }: Group, at: Situation): Progress {
  const parts = routes.map((node) => progressOf(node, at))
  const open = parts.filter(({ state }) => state === 'open')
  if (open.length === 0) {
    if (parts.some(({ state, criterion }) => state === 'accepted' && !criterion)) return accepted
    return parts.find(({ criterion }) => criterion === 'missed') ?? failed
  }
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

const isStarted = (candidate: RouteCandidate, { inProgress, deliveries }: Situation) =>
  inProgress.has(candidate.key) || deliveryBy(candidate, deliveries) !== undefined

/** The provider refused the address: the other integrations of the channel would, too. */
const isAddressRefused = (channel: string | undefined, { deliveries }: Situation) =>
  channel !== undefined && deliveries.some((one) => one.channel === channel && one.recipientAtFault)

const failedOver = (candidate: RouteCandidate, { inProgress, deliveries }: Situation) =>
  inProgress.has(candidate.key) ? undefined : deliveryBy(candidate, deliveries)?.failedOver

const hasFailedOver = (node: Route, at: Situation) =>
  node.kind === 'candidate' ? failedOver(node, at) !== undefined : isSuperseded(node, at)

/** Another channel has its turn instead. */
function isSuperseded(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate')
    return deliveryBy(node, at.deliveries)?.state === 'failed' || failedOver(node, at) === 'channel'
  const { channel, method, routes } = node
  // When the time of a channel is over, it is over for those of its integrations, too, that had no turn.
  const isOver =
    channel !== undefined && method === 'single' && someCandidate(node, (one) => failedOver(one, at) === 'channel')
  return (
    (isOver && !someCandidate(node, ({ key }) => at.inProgress.has(key))) ||
    routes.every((one) => isSuperseded(one, at))
  )
}

function ofSent(delivery: StoredDelivery, { criterion, waitMs }: Escalation, now: number): Progress {
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

/** The candidates that could still take over from this one: only then is its time bounded by the windows. */
export function alternativesTo(key: string, route: Route, deliveries: readonly StoredDelivery[]): Alternatives {
  const alternatives: Alternatives = { sameChannel: false, otherChannel: false }
  const isLeft = (candidate: RouteCandidate) => {
    const delivery = deliveryBy(candidate, deliveries)
    return !delivery || !(delivery.state === 'failed' || delivery.state === 'sent' || delivery.failedOver)
  }
  const holdsCandidate = (node: Route): boolean => {
    if (node.kind === 'candidate') return node.key === key
    const at = node.routes.findIndex(holdsCandidate)
    if (at === -1) return false
    if (node.method === 'all') return true
    if (node.routes.some((later, index) => index > at && someCandidate(later, isLeft)))
      alternatives[node.channel === undefined ? 'otherChannel' : 'sameChannel'] = true
    return true
  }
  holdsCandidate(route)
  return alternatives
}

/** The highest status of the deliveries; UNDELIVERABLE only when every candidate has ended so. */
export function statusOf(state: Progress['state'], deliveries: readonly StoredDelivery[]): MessageStatus {
  if (deliveries.some((delivery) => delivery.clickedAt !== undefined)) return 'CLICKED'
  if (deliveries.some((delivery) => delivery.openedAt !== undefined)) return 'OPENED'
  if (deliveries.some((delivery) => delivery.deliveredAt !== undefined)) return 'DELIVERED'
  if (deliveries.some((delivery) => delivery.state === 'sent')) return 'SENT'
  return state === 'failed' ? 'UNDELIVERABLE' : 'ROUTED'
}

/** While attempts are in progress. */
export const openState = (deliveries: readonly StoredDelivery[]): MessageState => ({
  status: statusOf('open', deliveries),
  dueAt: null,
  keepLease: true,
})

/** No attempt is in progress: final, or due again later. `postponedUntil`: no slot was free. */
export function settlementOf(
  { state, nextAt = Number.POSITIVE_INFINITY }: Progress,
  deliveries: readonly StoredDelivery[],
  now: number,
  postponedUntil = Number.POSITIVE_INFINITY,
): Settlement {
  if (state === 'open') {
    const dueAt = Math.min(nextAt, postponedUntil)
    const due = Number.isFinite(dueAt) ? dueAt : now
    return { state: { status: statusOf(state, deliveries), dueAt: due, keepLease: false }, deliveries, events: [] }
  }
  const ended =
    state === 'accepted' ? abandonWaiting(deliveries, 'Another way was accepted', now) : unchanged(deliveries)
  const status = statusOf(state, ended.deliveries)
  if (status !== 'UNDELIVERABLE') return { state: { status, dueAt: null, keepLease: false }, ...ended }
  const last = ended.deliveries.findLast((delivery) => delivery.state === 'failed')
  const reason: Reason = last?.reason ?? 'PROVIDER_ERROR'
  return { state: { status, dueAt: null, keepLease: false, error: last?.error, reason }, ...ended }
}

/** A delivery that was sent counts, and no other follows it. */
export function canceledSettlement(deliveries: readonly StoredDelivery[], now: number): Settlement {
  if (!deliveries.some(({ state }) => state === 'sent'))
    return {
      state: { status: 'CANCELED', dueAt: null, keepLease: false, canceledAt: now },
      deliveries,
      events: [{ type: 'CANCELED', ts: now }],
    }
  const ended = abandonWaiting(deliveries, 'Canceled when another channel had been sent', now)
  return { state: { status: statusOf('accepted', ended.deliveries), dueAt: null, keepLease: false }, ...ended }
}

interface Changed {
  deliveries: readonly StoredDelivery[]
  events: StoredEvent[]
}

const unchanged = (deliveries: readonly StoredDelivery[]): Changed => ({ deliveries, events: [] })

/** Each keeps the error it waited for, or has this one. */
function abandonWaiting(deliveries: readonly StoredDelivery[], error: string, now: number): Changed {
  if (!deliveries.some(({ state }) => state === 'waiting')) return unchanged(deliveries)
  return changeEach(deliveries, (delivery) =>
    delivery.state === 'waiting' ? abandon(delivery, delivery.error ?? error, now, 'PROVIDER_ERROR') : undefined,
  )
}

/** The deliveries with these changes, and their events. */
export function changeEach(
  deliveries: readonly StoredDelivery[],
  change: (delivery: StoredDelivery) => DeliveryChange | undefined,
): Changed {
  const events: StoredEvent[] = []
  const changed = deliveries.map((delivery) => {
    const made = change(delivery)
    if (made) events.push(...made.events)
    return made?.delivery ?? delivery
  })
  return { deliveries: changed, events }
}
