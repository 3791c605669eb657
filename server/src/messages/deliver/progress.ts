/** The progress of a message along its route, pure: which candidates have their turn, and whether it has been delivered. */
import { copyWith } from '../../base/perf/copy-with.ts'
import { someCandidate } from '../decide/candidates.ts'
import type { Group, Route, RouteCandidate } from '../decide/decision.ts'
import type { Escalation } from '../decide/window.ts'
import type { StoredDelivery } from '../delivery.ts'
import type { Criterion } from '../send.ts'

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
const exhausted: Progress = { state: 'failed', start: [], nextAt: undefined }
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
      !deliveries.some((delivery) => delivery.channel === candidate.channel && delivery.state === 'sent'),
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
  if (delivery.state === 'failed') return exhausted
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
  const hasInDoubt = (node: Route) =>
    someCandidate(node, (candidate) => isInDoubt(deliveryBy(candidate, at.deliveries)))
  if (at.deliveries.some(isInDoubt) && hasInDoubt(group))
    // Those of an `all` group beside it go on.
    return open.find(({ node }) => hasInDoubt(node))?.progress ?? exhausted
  const left = isAddressRefused(channel, at)
    ? open.filter(({ node }) => someCandidate(node, (candidate) => isStarted(candidate, at)))
    : open
  // A delivery that failed over has another turn when none is left after it.
  const next = left.length > 1 ? left.find(({ node }) => !hasFailedOver(node, at)) : undefined
  return (next ?? left[0])?.progress ?? sent ?? exhausted
}

function ofAll({ routes }: Group, at: Situation): Progress {
  const parts = routes.map((node) => progressOf(node, at))
  const open = parts.filter(({ state }) => state === 'open')
  if (open.length === 0) {
    if (parts.some(({ state, criterion }) => state === 'accepted' && !criterion)) return accepted
    return parts.find(({ criterion }) => criterion === 'missed') ?? exhausted
  }
  const times = open.flatMap(({ nextAt }) => (nextAt === undefined ? [] : [nextAt]))
  return {
    state: 'open',
    ...(open.every(({ criterion }) => criterion === 'awaited') && { criterion: 'awaited' }),
    start: open.flatMap(({ start }) => start),
    nextAt: times.length > 0 ? Math.min(...times) : undefined,
  }
}

/** The delivery of a candidate; undefined before its first turn. */
export const deliveryBy = ({ channel, integration, device }: RouteCandidate, deliveries: readonly StoredDelivery[]) =>
  deliveries.find(
    (delivery) =>
      delivery.channel === channel && delivery.integration === integration.id && delivery.device?.id === device?.id,
  )

/** Before its first turn. `branch`: see {@link branchOf}. */
export function newDelivery(
  { channel, integration, device }: RouteCandidate,
  n: number,
  now: number,
  branch?: number,
): StoredDelivery {
  const delivery: StoredDelivery = {
    n,
    channel,
    provider: integration.provider.key,
    integration: integration.id,
    state: 'waiting',
    attempts: 0,
    firstAt: now,
    log: [],
  }
  const placed = branch === undefined ? delivery : copyWith(delivery, { branch })
  return device ? copyWith(placed, { device }) : placed
}

/** Which part of an `all` routing leads to the candidate; undefined in any other. The devices of an integration are one. */
export const branchOf = ({ key }: RouteCandidate, route: Route): number | undefined =>
  groupsAbove(key, route)?.find(({ group: { method, devices } }) => method === 'all' && !devices)?.index

const isInDoubt = (delivery: StoredDelivery | undefined) => delivery?.reason === 'IN_DOUBT'

const isStarted = (candidate: RouteCandidate, { inProgress, deliveries }: Situation) =>
  inProgress.has(candidate.key) || deliveryBy(candidate, deliveries) !== undefined

/** The provider refused the address: the other integrations of the channel would, too. They know no token of its devices. */
const isAddressRefused = (channel: string | undefined, { deliveries }: Situation) =>
  channel !== undefined &&
  deliveries.some((delivery) => delivery.channel === channel && delivery.recipientAtFault && !delivery.device)

const failedOver = (candidate: RouteCandidate, { inProgress, deliveries }: Situation) =>
  inProgress.has(candidate.key) ? undefined : deliveryBy(candidate, deliveries)?.failedOver

function hasFailedOver(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate') return failedOver(node, at) !== undefined
  return node.devices
    ? node.routes.every((route) => hasFailed(route, at) || hasFailedOver(route, at))
    : isSuperseded(node, at)
}

const hasFailed = (node: Route, { deliveries }: Situation) =>
  node.kind === 'candidate' && deliveryBy(node, deliveries)?.state === 'failed'

/** Its time in the channel is over. That of an integration is when it is over for each of its devices. */
function hasLeftChannel(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate') return failedOver(node, at) === 'channel'
  const isLeft = node.routes.some((route) => hasLeftChannel(route, at))
  return isLeft && (!node.devices || node.routes.every((route) => hasFailed(route, at) || hasLeftChannel(route, at)))
}

/** Another channel has its turn instead. */
function isSuperseded(node: Route, at: Situation): boolean {
  if (node.kind === 'candidate')
    return deliveryBy(node, at.deliveries)?.state === 'failed' || failedOver(node, at) === 'channel'
  const { channel, method, routes } = node
  // When the time of a channel is over, it is over for those of its integrations, too, that had no turn.
  const isOver = channel !== undefined && method === 'single' && hasLeftChannel(node, at)
  return (
    (isOver && !someCandidate(node, ({ key }) => at.inProgress.has(key))) ||
    routes.every((route) => isSuperseded(route, at))
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

/** Candidates that can still take over from a delivery. */
export interface Alternatives {
  sameChannel: boolean
  otherChannel: boolean
}

/** The candidates that could still take over from this one: only then is its time bounded by the windows. */
export function alternativesTo(key: string, route: Route, deliveries: readonly StoredDelivery[]): Alternatives {
  const above = groupsAbove(key, route) ?? []
  const isSent = (candidate: RouteCandidate) => deliveryBy(candidate, deliveries)?.state === 'sent'
  // Another device of the integration has the message.
  if (above.some(({ group }) => group.devices && someCandidate(group, isSent))) return NO_ALTERNATIVES
  const isLeft = (candidate: RouteCandidate) => {
    const delivery = deliveryBy(candidate, deliveries)
    return !delivery || !(delivery.state === 'failed' || delivery.state === 'sent' || delivery.failedOver)
  }
  const hasNext = ({ group, index }: GroupAbove) =>
    group.method === 'single' && group.routes.slice(index + 1).some((later) => someCandidate(later, isLeft))
  return {
    sameChannel: above.some((ancestor) => ancestor.group.channel !== undefined && hasNext(ancestor)),
    otherChannel: above.some((ancestor) => ancestor.group.channel === undefined && hasNext(ancestor)),
  }
}

const NO_ALTERNATIVES: Alternatives = { sameChannel: false, otherChannel: false }

/** A group, and the index in it of the route that leads to the candidate. */
interface GroupAbove {
  group: Group
  index: number
}

/** From the outermost to the innermost; undefined when the route does not lead to the candidate. */
function groupsAbove(key: string, node: Route): GroupAbove[] | undefined {
  if (node.kind === 'candidate') return node.key === key ? [] : undefined
  for (const [index, route] of node.routes.entries()) {
    const inner = groupsAbove(key, route)
    if (inner) return [{ group: node, index }, ...inner]
  }
  return undefined
}
