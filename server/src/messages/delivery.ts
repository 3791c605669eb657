/** The delivery of a message through one candidate, as stored with the message. */
import type {
  AttemptRecord,
  AttemptReply,
  AttemptRequest,
  Channel,
  DeliveryRecord,
  HistoryType,
  MessageDevice,
  Reason,
} from '@postrider/contract'
import { isObject } from '../base/json/json.ts'
import type { Suppressed } from '../providers/suppression.ts'

export interface StoredDelivery {
  /** Position in the message's list; with the message id it is the delivery id. */
  readonly n: number
  readonly channel: Channel
  readonly provider: string
  readonly integration: string
  /** For a push: each device has a delivery of its own. */
  readonly device?: MessageDevice
  /** Its place among the parts of an `all` routing; absent in any other. */
  readonly branch?: number
  /**
   * `waiting`: to be tried (again) at `nextAt`. `started`: an at-most-once attempt was committed before its call.
   * `sent`: the provider accepted it. `failed`: ended without success.
   */
  readonly state: 'waiting' | 'started' | 'sent' | 'failed'
  /**
   * The next integration of the channel (`provider`) or the next channel (`channel`) has its turn.
   * This one is tried again only when they fail, too.
   */
  readonly failedOver?: 'provider' | 'channel' | undefined
  readonly attempts: number
  /** How often the provider limited the rate (429): it uses up no attempt, but lengthens the pauses. */
  readonly limited?: number
  readonly firstAt: number
  /** No part of the time for retries: the wait for its integration before its first call, and the time in HELD. */
  readonly heldMs?: number
  readonly nextAt?: number | undefined
  readonly sentAt?: number
  readonly deliveredAt?: number
  /** The first time that a person did, as far as one can tell. */
  readonly openedAt?: number
  readonly clickedAt?: number
  /** The first time that a program did: a proxy that fetches pictures ahead, a scanner that follows links. */
  readonly autoOpenedAt?: number
  readonly autoClickedAt?: number
  /** Digests of the links that a person followed, sorted: the history has each once. */
  readonly clickedLinks?: readonly string[]
  /** The provider reported a bounce. The delivery fails by it unless something shows that it arrived. */
  readonly bouncedAt?: number
  /** The bounce is permanent. */
  readonly bouncedHard?: boolean
  /** The first report that a mail server could not deliver it yet. */
  readonly delayedAt?: number
  readonly complainedAt?: number
  readonly unsubscribedAt?: number
  /** Digest of the address of its latest call, where its provider reports results: only that one is suppressed by a receipt. */
  readonly addressee?: string
  /** Copies went with it: a receipt that names another address is about one of them. */
  readonly hasCopies?: true
  /** Digests of the addresses of deferred copies that were sent, or not, in the end, sorted: the history has each once. */
  readonly endedCopies?: readonly string[]
  /** A receipt suppressed its address: a repeated one does not do so again after someone has removed the entry. */
  readonly suppressedAt?: number
  readonly error?: string | undefined
  readonly reason?: Reason
  /** The provider refused the address: no other integration of the channel is tried. */
  readonly recipientAtFault?: boolean
  /** Its integration refused for its configuration, or cannot be used: a repair may change that. */
  readonly misconfigured?: boolean | undefined
  /** When the open circuit breaker of its integration refused it: a repair makes it due. */
  readonly refusedAt?: number | undefined
  /** Since when the message has been held for a repair: no part of the time for retries. */
  readonly heldSince?: number
  readonly reference?: Readonly<Record<string, string>>
  /** The latest attempts, oldest first. */
  readonly log: readonly AttemptRecord[]
}

/** A history event as stored: without what can be computed again from the inputs of the message. */
export interface StoredHistoryEvent {
  type: HistoryType
  ts: number
  /** Number of its delivery, whose channel, integration and reference are stored with the message. */
  n?: number
  /** Shown with the attempt, not with the event: events are written once, while deliveries are written again and again. */
  exchange?: AttemptExchange
  [field: string]: unknown
}

/** The latest request of an attempt and its reply, with secrets masked and cut to a few kB. */
export interface AttemptExchange {
  /** The number of the attempt. */
  readonly attempt: number
  readonly request: AttemptRequest
  /** Absent when the process or the adapter failed before one came. */
  readonly reply?: AttemptReply
}

/** An address that a provider reported as gone for good. */
export interface GoneAddress extends Suppressed {
  provider: string
  at: number
}

export const deliveryId = (messageId: string, n: number) => `${messageId}-${n}`

/** The first turn of an integration of the channel; `now` where none had one. */
export function channelStartedAt(deliveries: readonly StoredDelivery[], channel: Channel, now: number): number {
  let startedAt = now
  for (const delivery of deliveries)
    if (delivery.channel === channel && delivery.firstAt < startedAt) startedAt = delivery.firstAt
  return startedAt
}

/** In rows the key of `failedOver` is `passedOver`: nodes of the release before read it. */
type DeliveryRow = StoredDelivery & { passedOver?: StoredDelivery['failedOver'] }

export function parseDeliveries(text: string | null): StoredDelivery[] {
  const parsed: unknown = text ? JSON.parse(text) : []
  if (!Array.isArray(parsed)) return []
  return (parsed.filter(isObject) as unknown as DeliveryRow[]).map((row) => {
    if (row.passedOver === undefined) return row
    const { passedOver: failedOver, ...delivery } = row
    return { ...delivery, failedOver }
  })
}

export function deliveriesText(deliveries: readonly StoredDelivery[]): string {
  if (!deliveries.some(({ failedOver }) => failedOver)) return JSON.stringify(deliveries)
  return JSON.stringify(deliveries.map(({ failedOver: passedOver, ...delivery }) => ({ ...delivery, passedOver })))
}

/** The status of a delivery, as the API shows it. */
export function deliveryStatus(delivery: StoredDelivery): DeliveryRecord['status'] {
  if (delivery.state === 'failed') return 'UNDELIVERABLE'
  if (delivery.state !== 'sent') return 'ROUTED'
  if (delivery.clickedAt !== undefined) return 'CLICKED'
  if (delivery.openedAt !== undefined) return 'OPENED'
  return delivery.deliveredAt === undefined ? 'SENT' : 'DELIVERED'
}
