/** A message as the API and webhooks show it, from its row. */
import type { MessageDetail, MessageStatus } from '@postrider/contract'
import type { MessageRow, MessageRowWithDeliveries } from '../../database/tables/messages/messages.ts'
import { parseDeliveries, providersOf } from '../delivery.ts'

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
    ...absentLeftOut({ reason: row.reason as MessageDetail['reason'] | null }),
    ...absentLeftOut({ reasonCode: row.reason_code as MessageDetail['reasonCode'] | null }),
    ...absentLeftOut({ listId: row.list_id, listMessageId: row.list_message_id, runId: row.run_id }),
    ...absentLeftOut({ jobId: row.job_id, idempotencyKey: row.idempotency_key }),
  }
}

export function messageDetail(row: MessageRowWithDeliveries): MessageDetail {
  const providers = providersOf(parseDeliveries(row.deliveries))
  return { ...messageRecord(row), providers: providers.length > 0 ? providers : optOutEntry(row) }
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
