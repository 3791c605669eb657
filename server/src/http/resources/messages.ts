/** /messages: what became of each send. */
import { type MessageDetail, type MessageStatus, messagesPageMax, type outputParts } from '@postrider/contract'
import { invalidRequest, notFound } from '../../base/errors.ts'
import { findMessage, listMessages, type MessageRow } from '../../database/tables/messages.ts'
import { parseDeliveries, providersOf } from '../../pipeline/delivery.ts'
import type { MessageOutput } from '../../pipeline/message.ts'
import { type Call, type Reply, type ResourceHandlers, success } from '../call.ts'
import { refusal } from '../errors.ts'
import { paging } from '../paging.ts'

const unknownMessage = () => notFound('Message not found')

export const messages = {
  'messages.list': async ({ query }, { house, caller }) => {
    const { messageId, event, recipient, notification, list, tenant_id, traceId, enqueued_after } = query
    const filter = {
      ...absentLeftOut({ messageId, event, recipient, traceId, cursor: query.cursor, archived: query.archived }),
      ...absentLeftOut({ notificationId: notification, listId: list, tenantId: tenant_id, statuses: query.status }),
      ...absentLeftOut({ providers: query.provider, enqueuedAfter: enqueued_after && momentOf(enqueued_after) }),
      tags: [...(query.tag ?? []), ...(query.tags ?? [])],
    }
    const page = await listMessages(house.engine, caller.workspaceId, filter, messagesPageMax)
    return success('messages.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'messages.get': async ({ params }, call) => success('messages.get', await detail(call, params.message_id)),
  'messages.history': async ({ params, query: { type } }, { house, caller }) => {
    const history = await house.pipeline.history(caller.workspaceId, params.message_id)
    if (!history) throw unknownMessage()
    return success('messages.history', { results: type ? history.filter((event) => event.type === type) : history })
  },
  'messages.output': async ({ params }, call) => {
    const results = await outputs(call, params.message_id)
    return success('messages.output', {
      results: results.map(({ channel, channelId, content }) => ({ channel, channel_id: channelId, content })),
    })
  },
  'messages.outputPart': async ({ params: { message_id, render_id, part } }, call) => {
    const output = (await outputs(call, message_id)).find(({ renderId }) => renderId === render_id)
    if (!output) throw notFound()
    return rendered(output, part)
  },
  'messages.cancel': async ({ params: { message_id } }, call) => {
    const canceled = await call.house.pipeline.cancel(call.caller.workspaceId, message_id)
    if (canceled === 'missing') throw unknownMessage()
    const message = await detail(call, message_id)
    if (canceled === 'canceled') return success('messages.cancel', message)
    const late = refusal(409, 'invalid_request_error', 'It is too late to cancel this message')
    return { ...late, body: { ...message, ...(late.body as object) }, headers: { 'x-should-retry': 'false' } }
  },
  'messages.explain': async ({ params }, { house, caller }) => {
    const explanation = await house.pipeline.explainMessage(caller.workspaceId, params.message_id)
    if (!explanation) throw unknownMessage()
    return success('messages.explain', explanation)
  },
} satisfies ResourceHandlers<'messages'>

async function detail({ house, caller }: Call, id: string): Promise<MessageDetail> {
  const row = await findMessage(house.engine, caller.workspaceId, id)
  if (!row) throw unknownMessage()
  const providers = providersOf(parseDeliveries(row.deliveries))
  return { ...record(row), providers: providers.length > 0 ? providers : refusalOf(row) }
}

/** Who opted out shows as one entry without a provider, as in the public API. */
function refusalOf({ status, reason, error }: MessageRow): MessageDetail['providers'] {
  if (reason !== 'UNSUBSCRIBED' && reason !== 'OPT_IN_REQUIRED') return []
  return status === 'UNDELIVERABLE' ? [{ status, ...(error && { error }) }] : []
}

async function outputs({ house, caller }: Call, id: string): Promise<MessageOutput[]> {
  const results = await house.pipeline.output(caller.workspaceId, id)
  if (!results) throw unknownMessage()
  return results
}

/** What an author wrote is never run in our origin. */
const SANDBOX = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' }

function rendered({ content }: MessageOutput, part: (typeof outputParts)[number]): Reply {
  const value = content[part]
  if (typeof value !== 'string') return { status: 200, body: value, headers: SANDBOX }
  if (value === '') throw notFound()
  const mediaType = part === 'html' ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
  return { status: 200, raw: { content: value, mediaType }, headers: SANDBOX }
}

/** Stages that were not reached are left out. */
function record(row: MessageRow): Omit<MessageDetail, 'providers'> {
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

type Present<T> = { [K in keyof T]?: Exclude<T[K], null | undefined | ''> }

function absentLeftOut<T extends object>(fields: T): Present<T> {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return Object.fromEntries(present) as Present<T>
}

function momentOf(text: string): number {
  const moment = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isNaN(moment)) throw invalidRequest('enqueued_after must be ISO 8601 or milliseconds since the epoch')
  return moment
}
