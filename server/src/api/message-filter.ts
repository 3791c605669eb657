/** The conditions of the list of messages, as a call gives them. */
import type { MessageFilter as GivenFilter } from '@postrider/contract'
import { invalidField } from '../base/errors.ts'
import { toTimestamp } from '../base/time/clock.ts'
import type { MessageFilter } from '../database/tables/messages/messages.ts'
import { absentLeftOut } from '../messages/timeline/message-reply.ts'
import { searchedAddresses } from '../providers/address.ts'

/** Throws a 400 that names the field. */
export function messageFilter(fields: GivenFilter, at = ''): MessageFilter {
  const { messageId, event, recipient, notification, list, tenant_id, traceId, runId, error } = fields
  return {
    ...absentLeftOut({ messageId, event, recipient, traceId, runId, error, archived: fields.archived }),
    ...(fields.retrying && { retrying: true }),
    ...absentLeftOut({ notificationId: notification, listId: list, tenantId: tenant_id }),
    ...absentLeftOut({ channels: fields.channel, providers: fields.provider, reasons: fields.reason }),
    ...absentLeftOut({ exceptReasons: fields.except_reason, findings: fields.finding }),
    ...absentLeftOut({
      statuses: fields.status,
      enqueuedAfter: timeAt(`${at}enqueued_after`, fields.enqueued_after),
      enqueuedBefore: timeAt(`${at}enqueued_before`, fields.enqueued_before),
    }),
    ...addressesOf(fields, at),
    tags: [...(fields.tag ?? []), ...(fields.tags ?? [])],
  }
}

/** `email` is what some call `address`. */
function addressesOf({ address, email }: GivenFilter, at: string): Pick<MessageFilter, 'address'> {
  const text = address ?? email
  if (text === undefined) return {}
  if (address !== undefined && email !== undefined)
    throw invalidField(`${at}email`, 'must not be given beside `address`')
  const forms = searchedAddresses(text).filter(({ kind }) => address !== undefined || kind === 'email')
  if (forms.length > 0) return { address: { text: text.trim(), forms } }
  const field = address === undefined ? 'email' : 'address'
  throw invalidField(`${at}${field}`, 'must be an email address, a telephone number or the id of a chat')
}

function timeAt(field: string, text: string | undefined): number | undefined {
  if (!text) return undefined
  const time = toTimestamp(text)
  if (Number.isNaN(time))
    throw invalidField(field, 'must be a timestamp: ISO 8601, or milliseconds since the Unix epoch')
  return time
}
