/** /requests: how far a call that means many messages has come, and its end before that. */
import { requestCountMax, requestsPage, type SendRequest, type SendRequestSummary } from '@postrider/contract'
import { CallerError, conflict, notFound } from '../../../base/errors.ts'
import { ConflictError, type Statement } from '../../../database/engine.ts'
import { cancelStates } from '../../../database/tables/messages/cancellations.ts'
import { archive, findMessage, isArchived } from '../../../database/tables/messages/messages.ts'
import { findRequest, listRequests, type RequestSummaryRow } from '../../../database/tables/messages/requests.ts'
import {
  countLeased,
  hasLiveMessages,
  requestResume,
  requestStop,
  type Stop,
  statusesOfRequest,
} from '../../../database/tables/messages/stopped-requests.ts'
import { auditEvent } from '../../audit.ts'
import { type CallContext, type HandlerReply, paging, success } from '../../call.ts'
import { requireSender } from '../../key-kinds.ts'
import type { ResourceHandlers } from '../../outcome.ts'

const ended = () => new CallerError('too_late_to_cancel', 'Every message of the request has ended')
const wasCanceled = () => new CallerError('too_late_to_cancel', 'The request was canceled')

export const requests = {
  'requests.list': async ({ query: { status, kind, cursor, limit = requestsPage } }, { app, caller }) => {
    const filter = { statuses: status, kinds: kind, cursor }
    const page = await listRequests(app.database, caller.workspaceId, filter, limit)
    return success('requests.list', { items: page.rows.map(summaryOf), paging: paging(page) })
  },
  'requests.get': async ({ params: { request_id } }, ctx) => {
    const row = await rowOf(ctx, request_id)
    return success('requests.get', row ? await recordOf(row, ctx) : await recordOfMessage(request_id, ctx))
  },
  'requests.cancel': async ({ params: { request_id } }, ctx) => {
    const row = await rowOf(ctx, request_id)
    if (!row) return cancelMessage(request_id, ctx)
    if (row.stopped === null) await refuseEnded(row, ctx)
    return success('requests.cancel', await recordOf(await stop(row, 'canceled', ctx), ctx))
  },
  'requests.pause': async ({ params: { request_id } }, ctx) => {
    const row = await rowOfMany(ctx, request_id)
    if (row.stopped === 'canceled') throw wasCanceled()
    if (row.stopped === null) await refuseEnded(row, ctx)
    const after = await stop(row, 'paused', ctx)
    if (after.stopped === 'canceled') throw wasCanceled()
    return success('requests.pause', await recordOf(after, ctx))
  },
  'requests.resume': async ({ params: { request_id } }, ctx) => {
    const row = await rowOfMany(ctx, request_id)
    if (row.stopped === 'canceled') throw wasCanceled()
    const { app, caller } = ctx
    requireSender(caller, row)
    const request = keysOf(row, ctx)
    if (await write([requestResume(request), auditEvent('requests:resumed', row.id, ctx)], ctx))
      app.jobs.wake('fan-out')
    const after = await changedRow(row, ctx)
    if (after.stopped === 'canceled') throw wasCanceled()
    // Also where it was not paused any more: the process may have died in between.
    if (after.stopped === null) await app.pipeline.requests.resume(request)
    return success('requests.resume', await recordOf(after, ctx))
  },
  'requests.archive': ({ params: { request_id } }, { caller }) => ({
    writes: archive(caller.workspaceId, request_id),
    replyFrom(results) {
      if (!isArchived(results)) throw notFound()
      return success('requests.archive', undefined)
    },
  }),
} satisfies ResourceHandlers<'requests'>

const rowOf = ({ app, caller }: CallContext, id: string) => findRequest(app.database, caller.workspaceId, id)

async function rowOfMany(ctx: CallContext, id: string): Promise<RequestSummaryRow> {
  const row = await rowOf(ctx, id)
  if (row) return row
  if (!(await findMessage(ctx.app.database, ctx.caller.workspaceId, id))) throw notFound()
  throw conflict(
    'conflict',
    'A send to one recipient is neither paused nor resumed: cancel it, or send it with a delay',
  )
}

const changedRow = async (row: RequestSummaryRow, ctx: CallContext) => (await rowOf(ctx, row.id)) ?? row

/** Throws a 409 where nothing is left to stop. */
async function refuseEnded(row: RequestSummaryRow, ctx: CallContext): Promise<void> {
  if (row.status === 'CREATED' || row.status === 'PROCESSING') return
  if (!(await hasLiveMessages(ctx.app.database, keysOf(row, ctx)))) throw ended()
}

/** Resolves with the row as it is then, when no node begins to call a provider for it any more. */
async function stop(row: RequestSummaryRow, stopped: Stop, ctx: CallContext): Promise<RequestSummaryRow> {
  const { app, caller, now } = ctx
  requireSender(caller, row)
  const request = keysOf(row, ctx)
  const audit = auditEvent(`requests:${stopped}`, row.id, ctx)
  if (await write([requestStop(request, stopped, caller.name, now), audit], ctx)) app.jobs.wake('fan-out')
  const after = await changedRow(row, ctx)
  // Another call may have canceled it first, which is who its messages name.
  const by = after.stopped_by ?? caller.name
  if (after.stopped !== null) await app.pipeline.requests.enforce({ ...request, stopped: after.stopped as Stop, by })
  return after
}

const keysOf = ({ id }: RequestSummaryRow, { caller }: CallContext) => ({ workspaceId: caller.workspaceId, id })

/** False when it is so already. */
async function write(statements: readonly Statement[], { app }: CallContext): Promise<boolean> {
  try {
    await app.database.batch(statements)
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw error
  }
}

async function cancelMessage(id: string, ctx: CallContext): Promise<HandlerReply> {
  const { app, caller } = ctx
  const [sent] = await cancelStates(app.database, caller.workspaceId, [id])
  if (!sent) throw notFound()
  requireSender(caller, sent)
  if ((await app.pipeline.cancel(caller, id)) === 'too_late')
    throw new CallerError('too_late_to_cancel', 'It is too late to cancel this message')
  return success('requests.cancel', await recordOfMessage(id, ctx))
}

function summaryOf(row: RequestSummaryRow): SendRequestSummary {
  const { id: requestId, stopped, stopped_by: by, stopped_at: at, event, source, not_before: notBefore, error } = row
  const { created, enqueued, failures, archived } = row
  return {
    requestId,
    kind: row.kind as SendRequestSummary['kind'],
    status: stopped === 'paused' ? 'PAUSED' : (row.status as SendRequestSummary['status']),
    ...(event !== null && { event }),
    created,
    ...(source !== null && { source }),
    ...(notBefore !== null && { notBefore }),
    ...{ enqueued, failures, archived },
    ...(by !== null && { stoppedBy: by }),
    ...(at !== null && { stopped: at }),
    ...(error !== null && { error }),
  }
}

async function recordOf(row: RequestSummaryRow, ctx: CallContext): Promise<SendRequest> {
  const { database } = ctx.app
  const request = keysOf(row, ctx)
  const [statuses, inDelivery] = await Promise.all([
    statusesOfRequest(database, request, requestCountMax),
    countLeased(database, request, ctx.now),
  ])
  return { ...summaryOf(row), statuses: statuses as SendRequest['statuses'], inDelivery }
}

/** A send to one recipient: complete at once. */
async function recordOfMessage(id: string, { app, caller }: CallContext): Promise<SendRequest> {
  const message = await findMessage(app.database, caller.workspaceId, id)
  if (!message) throw notFound()
  return {
    ...{ requestId: id, kind: 'send', status: message.status === 'CANCELED' ? 'CANCELED' : 'COMPLETED' },
    ...(message.event !== '' && { event: message.event }),
    ...{ created: message.enqueued, enqueued: 1, failures: 0, archived: message.archived },
    statuses: [{ status: message.status as SendRequest['statuses'][number]['status'], count: 1 }],
    inDelivery: 0,
  }
}
