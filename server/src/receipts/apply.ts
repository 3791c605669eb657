/** The rule of receipts, pure: the later results of a delivery, in any order and any number of times, always ends in the same state. */
import { hash } from 'node:crypto'
import { type AutomatedReason, type MessageStatus, type Reason, receivingStatuses } from '@postrider/contract'
import { statusOf } from '../messages/deliver/settlement.ts'
import type { StoredDelivery, StoredHistoryEvent } from '../messages/delivery.ts'
import type { Receipt } from '../providers/callback.ts'

/** A receipt for the delivery with this number. */
export interface NumberedReceipt extends Omit<Receipt, 'deliveryId'> {
  n: number
  /** It counts only for a delivery of this integration. Absent where a signed token names the delivery. */
  integration?: string
  /** Why a program is assumed; absent where a provider says so. */
  automatedReason?: AutomatedReason
  /** A click of our own tracking, which is judged together with those around it. */
  isHeld?: true
  /** The mail has a pixel, and was sent so recently that a person must have opened it before. */
  isEarly?: true
}

/** The parts of a message that receipts change. */
export interface ReceivedMessage {
  status: MessageStatus
  /** Null: it is final. */
  due_at: number | null
  deliveries: readonly StoredDelivery[]
  error: string | null
  reason: string | null
  reason_code: string | null
}

export interface Received extends Omit<ReceivedMessage, 'due_at'> {
  events: readonly StoredHistoryEvent[]
  /** It waits for this: the next decision comes at once. */
  wakes: boolean
}

/** Whether a receipt can be applied now: one that came before the commit of its delivery has to wait. */
export const isExpected = ({ n }: NumberedReceipt, { deliveries }: Pick<ReceivedMessage, 'deliveries'>): boolean => {
  const delivery = deliveries[n]
  return delivery !== undefined && (delivery.state === 'sent' || delivery.state === 'failed' || delivery.attempts > 0)
}

/** Undefined when nothing changes: it was known. */
export function applyReceipts(message: ReceivedMessage, receipts: readonly NumberedReceipt[]): Received | undefined {
  let deliveries = message.deliveries
  const events: StoredHistoryEvent[] = []
  for (const receipt of receipts) {
    const delivery = deliveries[receipt.n]
    if (!delivery) continue
    const after = withReceipt(delivery, receipt)
    if (after === delivery) continue
    const event = eventOf(delivery, receipt)
    if (event) events.push(event)
    deliveries = deliveries.with(receipt.n, after)
  }
  if (deliveries === message.deliveries) return undefined
  const isLive = message.due_at !== null
  return { deliveries, events, wakes: isLive, ...stateOf(message, deliveries, isLive) }
}

/** The delivery with what the receipt says; the same object when it says nothing new. */
function withReceipt(delivery: StoredDelivery, receipt: NumberedReceipt): StoredDelivery {
  const { kind, at, isAutomated = false } = receipt
  switch (kind) {
    case 'delivered':
      return settled(first(delivery, 'deliveredAt', at))
    case 'delayed':
      return first(delivery, 'delayedAt', at)
    case 'opened':
      return settled(first(delivery, isAutomated ? 'autoOpenedAt' : 'openedAt', at))
    case 'clicked': {
      if (isAutomated) return first(delivery, 'autoClickedAt', at)
      // A click shows that it was opened, also where pictures are not loaded.
      return settled(withLink(first(first(delivery, 'clickedAt', at), 'openedAt', at), receipt.url))
    }
    case 'complained':
      return first(delivery, 'complainedAt', at)
    case 'unsubscribed':
      return first(delivery, 'unsubscribedAt', at)
    case 'bounced':
      return settled(bounced(delivery, receipt))
    case 'copy_sent':
    case 'copy_failed':
      return withCopy(delivery, receipt.address)
  }
}

type Stage =
  | 'deliveredAt'
  | 'delayedAt'
  | 'openedAt'
  | 'clickedAt'
  | 'autoOpenedAt'
  | 'autoClickedAt'
  | 'complainedAt'
  | 'unsubscribedAt'

/** The earliest time counts, whichever came first. */
function first(delivery: StoredDelivery, stage: Stage, at: number): StoredDelivery {
  const earliestAt = delivery[stage]
  return earliestAt !== undefined && earliestAt <= at ? delivery : { ...delivery, [stage]: at }
}

/** Further clicks on a link that was followed add nothing. */
function withLink(delivery: StoredDelivery, url: string | undefined): StoredDelivery {
  const { clickedLinks = [] } = delivery
  return isNewLink(delivery, url) ? { ...delivery, clickedLinks: [...clickedLinks, shortDigest(url)].sort() } : delivery
}

/** More than a person follows; a history of them all would be larger than the mail. */
const CLICKED_LINKS_MAX = 100

function isNewLink({ clickedLinks = [] }: StoredDelivery, url: string | undefined): url is string {
  return url !== undefined && clickedLinks.length < CLICKED_LINKS_MAX && !clickedLinks.includes(shortDigest(url))
}

/** Names a link, or an address, in the state of its delivery. */
export const shortDigest = (text: string) => hash('sha256', text).slice(0, 12)

function withCopy(delivery: StoredDelivery, address = ''): StoredDelivery {
  const { endedCopies = [] } = delivery
  const digest = shortDigest(address)
  return endedCopies.includes(digest) ? delivery : { ...delivery, endedCopies: [...endedCopies, digest].sort() }
}

function bounced(delivery: StoredDelivery, { at, error, gone }: NumberedReceipt): StoredDelivery {
  const isHard = gone !== undefined
  const { bouncedAt, bouncedHard = false } = delivery
  const isKnown = bouncedAt !== undefined && bouncedAt <= at && (bouncedHard || !isHard)
  if (isKnown) return delivery
  return {
    ...delivery,
    bouncedAt: Math.min(bouncedAt ?? at, at),
    ...((isHard || bouncedHard) && { bouncedHard: true }),
    error: isHard && !bouncedHard ? (error ?? BOUNCED) : (delivery.error ?? error ?? BOUNCED),
  }
}

const BOUNCED = 'The provider reported a bounce'

/** Its state by all receipts so far: a sign that it arrived counts more than a failure, a bounce more than a retry. */
function settled(delivery: StoredDelivery): StoredDelivery {
  const { deliveredAt, openedAt, clickedAt, bouncedAt, state, reason } = delivery
  const arrived = deliveredAt ?? openedAt ?? clickedAt
  if (arrived !== undefined) {
    if (state === 'sent') return delivery
    const { reason: _reason, sentAt = arrived, ...rest } = delivery
    return { ...rest, ...ended, state: 'sent', sentAt }
  }
  if (bouncedAt === undefined || (state === 'failed' && reason === 'BOUNCED')) return delivery
  return { ...delivery, ...ended, state: 'failed', reason: 'BOUNCED' }
}

/** Nothing is tried again. */
const ended = { nextAt: undefined, failedOver: undefined }

/** Undefined where the history has it: a receipt that only brings an earlier time. */
function eventOf(before: StoredDelivery, receipt: NumberedReceipt): StoredHistoryEvent | undefined {
  const { kind, at: ts, n, isAutomated = false, automatedReason, gone, error, url, address } = receipt
  const automated = isAutomated && { automated: true, ...(automatedReason && { automated_reason: automatedReason }) }
  switch (kind) {
    case 'delivered':
      return before.deliveredAt === undefined ? { type: 'DELIVERED', ts, n } : undefined
    case 'delayed':
      return before.delayedAt === undefined
        ? { type: 'DEFERRED', ts, n, ...(error !== undefined && { error_message: error }) }
        : undefined
    case 'opened':
      return (isAutomated ? before.autoOpenedAt : before.openedAt) === undefined
        ? { type: 'OPENED', ts, n, ...automated }
        : undefined
    case 'clicked':
      return (
        isAutomated
          ? before.autoClickedAt === undefined
          : before.clickedAt === undefined || isNewLink(before, url)
      )
        ? { type: 'CLICKED', ts, n, ...(url !== undefined && { url }), ...automated }
        : undefined
    case 'complained':
      return before.complainedAt === undefined ? { type: 'COMPLAINED', ts, n } : undefined
    case 'unsubscribed':
      return before.unsubscribedAt === undefined ? { type: 'UNSUBSCRIBED', ts, n } : undefined
    case 'bounced': {
      if (before.bouncedAt !== undefined && (before.bouncedHard || gone === undefined)) return undefined
      const bounce = {
        error_message: error ?? BOUNCED,
        reason: 'BOUNCED',
        reasonCode: gone === undefined ? 'SOFT' : 'HARD',
      }
      return { type: 'UNDELIVERABLE', ts, n, ...bounce }
    }
    case 'copy_sent':
      return { type: 'COPY_SENT', ts, n, ...(address !== undefined && { address }) }
    case 'copy_failed':
      return {
        ...{ type: 'COPY_UNDELIVERABLE', ts, n },
        ...(address !== undefined && { address }),
        ...(error !== undefined && { error_message: error }),
      }
  }
}

function stateOf(
  { status, error, reason, reason_code }: ReceivedMessage,
  deliveries: readonly StoredDelivery[],
  isLive: boolean,
): Pick<Received, 'status' | 'error' | 'reason' | 'reason_code'> {
  if (isLive) return { status: statusOf('open', deliveries), error, reason, reason_code }
  // A message that was canceled stays canceled.
  if (!receivingStatuses.has(status)) return { status, error, reason, reason_code }
  const last = deliveries.findLast((delivery) => delivery.state === 'failed')
  if (deliveries.every((delivery) => delivery.state === 'failed')) {
    const because: Reason = last?.reason ?? 'PROVIDER_ERROR'
    return { status: 'UNDELIVERABLE', error: last?.error ?? null, reason: because, reason_code: bounceCode(last) }
  }
  // A bounce after a real receipt is shown, and the status stays.
  const late = deliveries.find((delivery) => delivery.state === 'sent' && delivery.bouncedAt !== undefined)
  return { status: statusOf('accepted', deliveries), error: late?.error ?? null, reason: null, reason_code: null }
}

const bounceCode = (delivery: StoredDelivery | undefined) =>
  delivery?.bouncedAt === undefined ? null : delivery.bouncedHard ? 'HARD' : 'SOFT'
