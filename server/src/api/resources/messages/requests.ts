/** /requests: how far a call that means many messages has come, and its end before that. */
import { requestCountMax, requestsPage, type SendRequest, type SendRequestSummary } from '@postrider/contract'
import { CallerError, conflict, notFound } from '../../../base/errors.ts'
import { ConflictError, type Statement } from '../../../database/engine.ts'
import { cancelStates } from '../../../database/tables/messages/cancellations.ts'
import { archive, findMessage, isArchived } from '../../../database/tables/messages/messages.ts'
import { findRequest, listRequests, type RequestSummaryRow } from '../../../database/tables/messages/requests.ts'
import {
  countLiveOf,
  requestResume,
  requestStop,
  type Stop,
  statusesOfRequest,
} from '../../../database/tables/messages/stopped-requests.ts'
import { auditEvent } from '../../audit.ts'
import { type CallContext, type HandlerReply, paging, success } from '../../call.ts'
import { requireSender } from '../../key-kinds.ts'
import type { ResourceHandlers } from '../../outcome.ts'

/** Whether any message is left is what matters. */
const LIVE_COUNTED_MAX = 1_000

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
    if (row.stopped !== 'canceled') await refuseEnded(row, ctx)
    await stop(row, 'canceled', ctx)
    return success('requests.cancel', await recordOf(await changedRow(row, ctx), ctx))
  },
  'requests.pause': async ({ params: { request_id } }, ctx) => {
    const row = await rowOfMany(ctx, request_id)
    if (row.stopped === 'canceled') throw wasCanceled()
    if (row.stopped === null) await refuseEnded(row, ctx)
    await stop(row, 'paused', ctx)
    return success('requests.pause', await recordOf(await changedRow(row, ctx), ctx))
  },
  'requests.resume': async ({ params: { request_id } }, ctx) => {
    const row = await rowOfMany(ctx, request_id)
    if (row.stopped === 'canceled') throw wasCanceled()
    const { app, caller } = ctx
    requireSender(caller, row)
    const request = { workspaceId: caller.workspaceId, id: row.id }
    if (await write([requestResume(request), auditEvent('requests:resumed', row.id, ctx)], ctx))
      app.jobs.wake('fan-out')
    await app.pipeline.requests.resumed(request)
    return success('requests.resume', await recordOf(await changedRow(row, ctx), ctx))
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
  throw conflict('conflict', 'A send to one recipient cannot be paused: cancel it, or send it with a delay')
}

const changedRow = async (row: RequestSummaryRow, ctx: CallContext) => (await rowOf(ctx, row.id)) ?? row

/** Throws a 409 where nothing is left to stop. */
async function refuseEnded(row: RequestSummaryRow, ctx: CallContext): Promise<void> {
  if (row.status === 'CREATED' || row.status === 'PROCESSING') return
  if ((await liveOf(row, ctx)).live === 0) throw ended()
}

/** Resolves when no node begins to call a provider for it any more. */
async function stop(row: RequestSummaryRow, stopped: Stop, ctx: CallContext): Promise<void> {
  const { app, caller, now } = ctx
  requireSender(caller, row)
  const request = { workspaceId: caller.workspaceId, id: row.id }
  const audit = auditEvent(`requests:${stopped}`, row.id, ctx)
  if (await write([requestStop(request, stopped, caller.name, now), audit], ctx)) app.jobs.wake('fan-out')
  await app.pipeline.requests.stopped({ ...request, stopped, by: caller.name })
}

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
  const request = { workspaceId: ctx.caller.workspaceId, id: row.id }
  const [statuses, { leased }] = await Promise.all([
    statusesOfRequest(ctx.app.database, request, requestCountMax),
    liveOf(row, ctx),
  ])
  return { ...summaryOf(row), statuses: statuses as SendRequest['statuses'], inDelivery: leased }
}

const liveOf = ({ id }: RequestSummaryRow, { app, caller, now }: CallContext) =>
  countLiveOf(app.database, { workspaceId: caller.workspaceId, id }, now, LIVE_COUNTED_MAX)

/** A send to one recipient: complete at once. */
async function recordOfMessage(id: string, { app, caller }: CallContext): Promise<SendRequest> {
  const message = await findMessage(app.database, caller.workspaceId, id)
  if (!message) throw notFound()
  return {
    ...{ requestId: id, kind: 'send', status: 'COMPLETED', created: message.enqueued },
    ...{ enqueued: 1, failures: 0, archived: message.archived },
    statuses: [{ status: message.status as SendRequest['statuses'][number]['status'], count: 1 }],
    inDelivery: 0,
  }
}
