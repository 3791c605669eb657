/** A message and its deliveries as the API and webhooks show them. */
import {
  type Channel,
  type DeliveryRecord,
  finalStatuses,
  type MessageDetail,
  type MessageRetry,
  type MessageStatus,
} from '@postrider/contract'
import type { MessageContext, MessageRow, MessageRowWithDeliveries } from '../../database/tables/messages/messages.ts'
import {
  deliveryId,
  deliveryStatus,
  parseDeliveries,
  type StoredDelivery,
  type StoredHistoryEvent,
} from '../delivery.ts'
import { ANONYMOUS_PREFIX, type SendInput } from '../send.ts'

/** Stages that were not reached are left out. */
export function messageRecord(row: MessageRow): Omit<MessageDetail, 'providers'> {
  return {
    id: row.id,
    status: row.status as MessageStatus,
    recipient: row.recipient,
    event: row.event,
    notification: row.notification_id ?? '',
    enqueued: row.enqueued,
    ...absentLeftOut({ sent: row.sent, delivered: row.delivered, opened: row.opened, clicked: row.clicked }),
    ...absentLeftOut({ canceledAt: row.canceled_at, error: row.error, tags: row.tags }),
    ...absentLeftOut({ findings: row.findings as MessageDetail['findings'] | null }),
    ...absentLeftOut({ reason: row.reason as MessageDetail['reason'] | null }),
    ...absentLeftOut({ reasonCode: row.reason_code as MessageDetail['reasonCode'] | null }),
    ...absentLeftOut({ listId: row.list_id, listMessageId: row.list_message_id, runId: row.run_id }),
    ...absentLeftOut({ jobId: row.job_id, idempotencyKey: row.idempotency_key }),
  }
}

export function messageDetail(row: MessageRowWithDeliveries): MessageDetail {
  const deliveries = parseDeliveries(row.deliveries)
  const providers = providersOf(deliveries)
  const retry = row.status === 'ROUTED' ? retryOf(deliveries) : undefined
  const heldFor = row.status === 'HELD' ? heldAt(deliveries) : []
  return {
    ...messageRecord(row),
    ...(retry && { retry }),
    ...(heldFor.length > 0 && { heldFor }),
    providers: providers.length > 0 ? providers : optOutEntry(row),
  }
}

/** Whether the row alone does not say all: who canceled it, until when it waits, which address it has. */
export const hasContext = ({ status, recipient }: Pick<MessageRow, 'status' | 'recipient'>): boolean =>
  status === 'CANCELED' || !finalStatuses.has(status as MessageStatus) || recipient.startsWith(ANONYMOUS_PREFIX)

/** The fields of a message that its {@link MessageContext} has. `deliveriesPaused`: since when deliveries are paused. */
export function contextOf({ status }: Pick<MessageRow, 'status'>, context: MessageContext, deliveriesPaused?: number) {
  const { due_at, input, events, paused, paused_by } = context
  const { profile } = JSON.parse(input ?? '{}') as Partial<SendInput>
  const end = (JSON.parse(events ?? '[]') as StoredHistoryEvent[]).findLast(({ type }) => type === 'CANCELED')
  const waits = status === 'DELAYED' || status === 'HELD'
  return absentLeftOut({
    address: textOf(profile?.email) ?? textOf(profile?.phone_number),
    until: waits && paused === null ? due_at : null,
    canceledBy: textOf(end?.source),
    paused,
    pausedBy: paused_by,
    deliveriesPaused: finalStatuses.has(status as MessageStatus) ? undefined : deliveriesPaused,
  })
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** One that has failed over is tried again only when what has its turn instead has failed, too. */
function isTriedNext({ channel, failedOver }: StoredDelivery, deliveries: readonly StoredDelivery[]): boolean {
  if (!failedOver) return true
  const isInstead = (other: StoredDelivery) =>
    (other.channel === channel) === (failedOver === 'provider') && other.failedOver !== failedOver
  return !deliveries.some((other) => (other.state === 'waiting' || other.state === 'started') && isInstead(other))
}

/** The integrations whose repair the message waits for. */
const heldAt = (deliveries: readonly StoredDelivery[]): string[] => [
  ...new Set(deliveries.filter(({ heldSince }) => heldSince !== undefined).map(({ integration }) => integration)),
]

/** The delivery whose next attempt comes first. */
function retryOf(deliveries: readonly StoredDelivery[]): MessageRetry | undefined {
  let next: MessageRetry | undefined
  for (const delivery of deliveries) {
    const { channel, provider, integration, device, state, error, attempts, nextAt } = delivery
    if (state !== 'waiting' || nextAt === undefined || (next && next.next_attempt_at <= nextAt)) continue
    if (!isTriedNext(delivery, deliveries)) continue
    next = {
      ...{ channel, provider, integration, attempts, next_attempt_at: nextAt },
      ...(device && { device }),
      ...(error !== undefined && { error }),
    }
  }
  return next
}

/** An opt-out is shown as one entry without a provider, as in the public API. */
function optOutEntry({ status, reason, error }: MessageRow): MessageDetail['providers'] {
  if (reason !== 'UNSUBSCRIBED' && reason !== 'OPT_IN_REQUIRED') return []
  return status === 'UNDELIVERABLE' ? [{ status, ...(error && { error }) }] : []
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], null | undefined | ''> }

export function absentLeftOut<T extends object>(fields: T): Present<T> {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return Object.fromEntries(present) as Present<T>
}

/** `deliveries` of an explanation. */
export function deliveryRecords(messageId: string, deliveries: readonly StoredDelivery[]): DeliveryRecord[] {
  return deliveries.map((delivery) => ({
    id: deliveryId(messageId, delivery.n),
    channel: delivery.channel,
    provider: delivery.provider,
    integration: delivery.integration,
    ...(delivery.device && { device: delivery.device }),
    status: deliveryStatus(delivery),
    attempts: [...delivery.log],
    attempts_total: delivery.attempts,
    ...(delivery.nextAt !== undefined && isTriedNext(delivery, deliveries) && { next_attempt_at: delivery.nextAt }),
    ...(delivery.error !== undefined && { error: delivery.error }),
    ...(delivery.reason !== undefined && { reason: delivery.reason }),
    ...(delivery.reference && { reference: delivery.reference }),
  }))
}

/** `providers` of a message record: the deliveries that have come to something. */
function providersOf(deliveries: readonly StoredDelivery[]) {
  return deliveries
    .filter(({ state }) => state === 'sent' || state === 'failed')
    .map((delivery) => ({
      provider: delivery.provider,
      integration: delivery.integration,
      status: deliveryStatus(delivery),
      channel: { key: channelKey(delivery), name: channelTitle[delivery.channel], template: delivery.channel },
      ...(delivery.device && { device: delivery.device }),
      ...(delivery.sentAt !== undefined && { sent: delivery.sentAt }),
      ...(delivery.deliveredAt !== undefined && { delivered: delivery.deliveredAt }),
      ...(delivery.openedAt !== undefined && { opened: delivery.openedAt }),
      ...(delivery.clickedAt !== undefined && { clicked: delivery.clickedAt }),
      attempts: delivery.attempts,
      ...(delivery.branch !== undefined && { branch: delivery.branch }),
      ...(delivery.error !== undefined && delivery.state === 'failed' && { error: delivery.error }),
      reference: delivery.reference ?? {},
    }))
}

/** Chat and push name their provider, as clients of the public API expect: `direct_message:slack`. */
function channelKey({ channel, provider }: StoredDelivery): string {
  return channel === 'direct_message' || channel === 'push' ? `${channel}:${provider}` : channel
}

const channelTitle: Record<Channel, string> = {
  email: 'Email',
  sms: 'SMS',
  push: 'Push',
  direct_message: 'Direct message',
  inbox: 'Inbox',
  webhook: 'Webhook',
}
