/** The conditions of the list of messages, as a call gives them. */
import type { MessageFilter as GivenFilter } from '@postrider/contract'
import { invalidField } from '../base/errors.ts'
import { toTimestamp } from '../base/time/clock.ts'
import type { MessageFilter } from '../database/tables/messages/messages.ts'
import { absentLeftOut } from '../messages/timeline/message-reply.ts'

/** Throws a 400 that names the field. */
export function messageFilter(given: GivenFilter, at = ''): MessageFilter {
  const { messageId, event, recipient, notification, list, tenant_id, traceId, runId, error } = given
  return {
    ...absentLeftOut({ messageId, event, recipient, traceId, runId, error, archived: given.archived }),
    ...absentLeftOut({ notificationId: notification, listId: list, tenantId: tenant_id }),
    ...absentLeftOut({ channels: given.channel, providers: given.provider, reasons: given.reason }),
    ...absentLeftOut({
      statuses: given.status,
      enqueuedAfter: timeAt(`${at}enqueued_after`, given.enqueued_after),
      enqueuedBefore: timeAt(`${at}enqueued_before`, given.enqueued_before),
    }),
    tags: [...(given.tag ?? []), ...(given.tags ?? [])],
  }
}

function timeAt(field: string, text: string | undefined): number | undefined {
  if (!text) return undefined
  const time = toTimestamp(text)
  if (Number.isNaN(time))
    throw invalidField(field, 'must be a timestamp: ISO 8601, or milliseconds since the Unix epoch')
  return time
}
