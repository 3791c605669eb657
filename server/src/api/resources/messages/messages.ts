/** /messages: the results of each send. */
import {
  type Cancellations,
  cancelableCountMax,
  type cancelExclusions,
  canceledMax,
  followedMax,
  heldCountMax,
  type InputOf,
  type MessageDetail,
  type MessageExplanation,
  messagesPage,
  type outputParts,
  pageMax,
  releasedMax,
} from '@postrider/contract'
import { CallerError, conflict, invalidField, invalidRequest, notFound } from '../../../base/errors.ts'
import { timedIdPattern } from '../../../base/ids.ts'
import { SECOND } from '../../../base/time/duration.ts'
import {
  type CancelChoice,
  cancelableIds,
  cancelStates,
  countCancelable,
  firstCancelable,
} from '../../../database/tables/messages/cancellations.ts'
import { heldMessages, planRelease, releaseMessages } from '../../../database/tables/messages/held-messages.ts'
import {
  archive,
  findMessage,
  isArchived,
  listMessages,
  type MessageRow,
  type MessageRowWithDeliveries,
  messageContexts,
} from '../../../database/tables/messages/messages.ts'
import { replayLinks } from '../../../database/tables/messages/replays.ts'
import { releasedByCall } from '../../../messages/release.ts'
import { ANONYMOUS_PREFIX, type MessageOutput } from '../../../messages/send.ts'
import {
  absentLeftOut,
  contextOf,
  hasContext,
  messageDetail,
  messageRecord,
} from '../../../messages/timeline/message-reply.ts'
import { original } from '../../../messages/timeline/message-timeline.ts'
import { auditEvent } from '../../audit.ts'
import { type CallContext, type HandlerReply, paging, success } from '../../call.ts'
import { isOfAnotherKind, requireSender } from '../../key-kinds.ts'
import { messageFilter } from '../../message-filter.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

/** A screen of them. */
const HELD_SHOWN = 20
const CANCELABLE_SHOWN = 20
const EXCLUDED_SHOWN = 10

const unknownMessage = () => notFound('Message not found')

export const messages = {
  'messages.list': async ({ query }, { app, caller, now }) => {
    const { cursor, after, include, limit = messagesPage } = query
    const filter = { ...messageFilter(query), ...absentLeftOut({ cursor, after: after && following(query, now) }) }
    const withProviders = include === 'providers'
    const rowsMax = Math.min(limit, after === undefined ? pageMax : followedMax)
    const page = await listMessages(app.database, caller.workspaceId, filter, rowsMax, withProviders)
    const results = withProviders ? await completed(app, caller.workspaceId, page.rows) : page.rows.map(messageRecord)
    return success('messages.list', { paging: paging(page), results })
  },
  'messages.get': async ({ params }, ctx) => success('messages.get', await detail(ctx, params.message_id)),
  'messages.history': async ({ params, query: { type } }, { app, caller }) => {
    const history = await app.pipeline.history(caller.workspaceId, params.message_id)
    if (!history) throw unknownMessage()
    return success('messages.history', { results: type ? history.filter((event) => event.type === type) : history })
  },
  'messages.output': async ({ params }, ctx) => {
    const results = await outputs(ctx, params.message_id)
    return success('messages.output', {
      results: results.map(({ channel, channelId, content }) => ({ channel, channel_id: channelId, content })),
    })
  },
  'messages.outputPart': async ({ params: { message_id, render_id, part } }, ctx) => {
    const output = (await outputs(ctx, message_id)).find(({ renderId }) => renderId === render_id)
    if (!output) throw notFound()
    return rendered(output, part)
  },
  'messages.cancel': async ({ params: { message_id } }, ctx) => {
    const { app, caller } = ctx
    const [sent] = caller.mode === 'live' ? [] : await cancelStates(app.database, caller.workspaceId, [message_id])
    if (sent) requireSender(caller, sent)
    const canceled = await app.pipeline.cancel(caller, message_id)
    if (canceled === 'missing') throw unknownMessage()
    const message = await detail(ctx, message_id)
    if (canceled === 'canceled') return success('messages.cancel', message)
    throw new CallerError('too_late_to_cancel', 'It is too late to cancel this message', { details: message })
  },
  'messages.cancelMany': async ({ body }, ctx) => {
    const { app, caller } = ctx
    const { workspaceId } = caller
    const choice = cancelChoice(body)
    const isDryRun = body.dry_run ?? body.confirm === undefined
    if (!isDryRun && body.confirm === undefined)
      throw invalidField('confirm', 'must be `cancelable` of a dry run when `dry_run` is false')
    const counting = () =>
      countCancelable(app.database, workspaceId, choice, { limit: cancelableCountMax, now: ctx.now })
    const [{ cancelable, leased }, excluded] = await Promise.all([counting(), cancelExcluded(ctx, choice)])
    if (isDryRun) {
      const messages = await firstCancelable(app.database, workspaceId, choice, CANCELABLE_SHOWN)
      return success('messages.cancelMany', {
        ...{ dry_run: true, cancelable, canceled: 0, remaining: cancelable, in_delivery: leased },
        messages: messages.map(({ error, status, ...message }) => ({
          ...message,
          status: status as MessageDetail['status'],
          ...(error !== null && { error }),
        })),
        excluded,
      })
    }
    const { confirm = 0 } = body
    if (cancelable > confirm) throw countChanged(cancelable, confirm)
    const bounds = { limit: Math.min(confirm, canceledMax), now: ctx.now }
    const chosen = await cancelableIds(app.database, workspaceId, choice, bounds)
    const target = choice.ids?.length === 1 ? choice.ids[0] : choice.filter.messageId
    const audit = auditEvent('messages:canceled', target ?? '', ctx)
    const canceled = await app.pipeline.cancelMany(caller, chosen, audit)
    const after = await counting()
    return success('messages.cancelMany', {
      ...{ dry_run: false, cancelable, canceled, remaining: after.cancelable, in_delivery: after.leased },
      ...{ messages: [], excluded },
    })
  },
  'messages.explain': async ({ params, query: { as_of = 'decision' } }, { app, caller }) => {
    const explanation = await app.pipeline.explainMessage(caller.workspaceId, params.message_id, as_of)
    if (!explanation) throw unknownMessage()
    const [sent] =
      caller.mode === 'live' ? [] : await cancelStates(app.database, caller.workspaceId, [params.message_id])
    // Requests hold the links of the recipient in the encoding of the provider.
    const isHidden = caller.role !== 'full' || (sent !== undefined && isOfAnotherKind(caller, sent))
    return success('messages.explain', isHidden ? withoutBodies(explanation) : explanation)
  },
  'messages.release': async ({ body }, ctx) => {
    const { app, caller, now } = ctx
    const { filter = {}, message_ids, cursor: after } = body ?? {}
    if (message_ids && body?.filter) throw invalidField('message_ids', 'must not be given beside `filter`')
    const choice = {
      filter: messageFilter(filter, 'filter.'),
      ...(message_ids && { ids: message_ids }),
      ...(after !== undefined && { after }),
    }
    const { database } = app
    if (body?.dry_run) {
      const bounds = { limit: heldCountMax, shown: HELD_SHOWN }
      const { count, messages } = await planRelease(database, caller.workspaceId, choice, bounds)
      const shown = messages.map(({ error, ...message }) => ({ ...message, ...(error !== null && { error }) }))
      return success('messages.release', {
        ...{ dry_run: true, released: 0, more: false },
        ...{ releasable: count, messages: shown },
      })
    }
    const matching = await heldMessages(database, caller.workspaceId, choice, releasedMax + 1)
    const heldRows = matching.slice(0, releasedMax)
    const last = matching.length > heldRows.length ? heldRows.at(-1)?.id : undefined
    const audit = auditEvent('messages:released', '', ctx)
    return {
      reply: success('messages.release', {
        ...{ dry_run: false, released: heldRows.length, more: last !== undefined },
        ...(last !== undefined && { cursor: last }),
      }),
      writes: heldRows.length > 0 ? [...releaseMessages(releasedByCall(heldRows, now), now), audit] : [],
      onConflict: otherwise(() => retry('Other changes of the held messages came first')),
    }
  },
  'messages.resend': {
    plan: ({ params: { message_id } }, { app, caller }) => ({
      kind: 'prepared',
      async prepare() {
        const send = await original(app.database, caller.workspaceId, message_id)
        if (!send) throw unknownMessage()
        return { send, reply: (messageId) => success('messages.resend', { messageId }) }
      },
    }),
  },
  'messages.archive': ({ params: { message_id } }, { caller }) => ({
    writes: archive(caller.workspaceId, message_id),
    replyFrom(results) {
      if (!isArchived(results)) throw unknownMessage()
      return success('messages.archive', undefined)
    },
  }),
} satisfies ResourceHandlers<'messages'>

const countChanged = (cancelable: number, confirmed: number) =>
  conflict(
    'count_changed',
    `${cancelable} messages can be canceled now, more than ${confirmed}. Repeat the dry run, or narrow the filter by enqueued_before.`,
    'confirm',
  )

/** Throws a 400. An empty filter would cancel everything. */
function cancelChoice({ filter, message_ids }: InputOf<'messages.cancelMany'>['body']): CancelChoice {
  if (message_ids) {
    if (filter) throw invalidField('message_ids', 'must not be given beside `filter`')
    return { ids: [...new Set(message_ids)], filter: {} }
  }
  const { tags = [], ...conditions } = messageFilter(filter ?? {}, 'filter.')
  // Exclusions alone do not narrow the choice.
  const { archived: _, exceptReasons: __, ...narrowing } = conditions
  if (Object.keys(narrowing).length === 0 && tags.length === 0)
    throw invalidRequest('Name the messages to cancel: give `message_ids`, or a `filter` with a condition', {
      code: 'missing_field',
      param: 'filter',
    })
  return { filter: { ...conditions, tags } }
}

/** Messages that were named by their ids and cannot be canceled, by the reason. */
async function cancelExcluded(
  { app, caller }: CallContext,
  { ids = [] }: CancelChoice,
): Promise<Cancellations['excluded']> {
  const states = new Map((await cancelStates(app.database, caller.workspaceId, ids)).map((state) => [state.id, state]))
  const left: Record<(typeof cancelExclusions)[number], string[]> = { not_found: [], canceled: [], too_late: [] }
  for (const id of ids) {
    const state = states.get(id)
    if (!state) left.not_found.push(id)
    else if (state.status === 'CANCELED') left.canceled.push(id)
    else if (state.due_at === null || state.sent !== null) left.too_late.push(id)
  }
  return Object.entries(left).flatMap(([reason, all]) =>
    all.length === 0
      ? []
      : [
          {
            reason: reason as (typeof cancelExclusions)[number],
            count: all.length,
            message_ids: all.slice(0, EXCLUDED_SHOWN),
          },
        ],
  )
}

const isMessageId = new RegExp(timedIdPattern)
/** An id is made before its row is committed, perhaps on a node whose clock is behind. */
const COMMITTED_MS = SECOND

/** The messages after one, up to those whose neighbors may be missing still. */
function following({ after = '', cursor }: { after?: string; cursor?: string }, now: number) {
  if (!isMessageId.test(after)) throw invalidField('after', 'must be the id of a message')
  if (cursor !== undefined) throw invalidField('after', 'must not be given beside `cursor`')
  return { id: after, until: now - COMMITTED_MS }
}

async function detail({ app, caller }: CallContext, id: string): Promise<MessageDetail> {
  const [row, links] = await Promise.all([
    findMessage(app.database, caller.workspaceId, id),
    replayLinks(app.database, caller.workspaceId, id),
  ])
  if (!row) throw unknownMessage()
  const [message] = await completed(app, caller.workspaceId, [row])
  if (!message) throw unknownMessage()
  return { ...message, ...links }
}

/** Bodies have the links of the recipient in any encoding. */
function withoutBodies({ deliveries, ...explanation }: MessageExplanation): MessageExplanation {
  const bodyless = <Part extends { body?: string }>({ body: _, ...rest }: Part) => rest
  return {
    ...explanation,
    deliveries: deliveries.map(({ attempts, ...delivery }) => ({
      ...delivery,
      attempts: attempts.map(({ request, reply, ...attempt }) => ({
        ...attempt,
        ...(request && { request: bodyless(request) }),
        ...(reply && { reply: bodyless(reply) }),
      })),
    })),
  }
}

/** Messages with what their rows alone do not say. */
async function completed(
  { database, service: { pause } }: CallContext['app'],
  workspaceId: number,
  rows: readonly (MessageRow & Partial<MessageRowWithDeliveries>)[],
): Promise<MessageDetail[]> {
  const ids = rows.filter(hasContext).map(({ id }) => id)
  const contexts = new Map(
    (await messageContexts(database, workspaceId, ids, ANONYMOUS_PREFIX)).map((each) => [each.id, each]),
  )
  return rows.map((row) => {
    const context = contexts.get(row.id)
    const detail = messageDetail({ ...row, deliveries: row.deliveries ?? null })
    return { ...detail, ...(context && contextOf(row, context, pause.since)) }
  })
}

async function outputs({ app, caller }: CallContext, id: string): Promise<MessageOutput[]> {
  const results = await app.pipeline.output(caller.workspaceId, id)
  if (!results) throw unknownMessage()
  return results
}

/** Content of authors never runs in the origin of the server, and looking at a mail calls no server: it is no open. */
const SANDBOX = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
}

function rendered({ content }: MessageOutput, part: (typeof outputParts)[number]): HandlerReply {
  const value = content[part]
  if (typeof value !== 'string') return { status: 200, body: value, headers: SANDBOX }
  if (value === '') throw notFound()
  const mediaType = part === 'html' ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
  return { status: 200, raw: { content: value, mediaType }, headers: SANDBOX }
}
