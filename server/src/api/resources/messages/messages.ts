/** /messages: the results of each send. */
import { type MessageDetail, messagesPage, type outputParts, releasedMax } from '@postrider/contract'
import { CallerError, invalidField, notFound } from '../../../base/errors.ts'
import { heldMessages, releaseMessages } from '../../../database/tables/messages/held.ts'
import { archive, findMessage, isArchived, listMessages } from '../../../database/tables/messages/messages.ts'
import { replayLinks } from '../../../database/tables/messages/replays.ts'
import type { MessageOutput } from '../../../messages/send.ts'
import { absentLeftOut, messageDetail, messageRecord } from '../../../messages/timeline/message-reply.ts'
import { original } from '../../../messages/timeline/message-timeline.ts'
import { type CallContext, type HandlerReply, paging, success } from '../../call.ts'
import { messageFilter } from '../../message-filter.ts'
import type { ResourceHandlers } from '../../outcome.ts'

const unknownMessage = () => notFound('Message not found')

export const messages = {
  'messages.list': async ({ query }, { app, caller }) => {
    const filter = { ...messageFilter(query), ...absentLeftOut({ cursor: query.cursor }) }
    const page = await listMessages(app.database, caller.workspaceId, filter, query.limit ?? messagesPage)
    return success('messages.list', { paging: paging(page), results: page.rows.map(messageRecord) })
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
    const canceled = await ctx.app.pipeline.cancel(ctx.caller.workspaceId, message_id)
    if (canceled === 'missing') throw unknownMessage()
    const message = await detail(ctx, message_id)
    if (canceled === 'canceled') return success('messages.cancel', message)
    throw new CallerError('too_late_to_cancel', 'It is too late to cancel this message', { details: message })
  },
  'messages.explain': async ({ params }, { app, caller }) => {
    const explanation = await app.pipeline.explainMessage(caller.workspaceId, params.message_id)
    if (!explanation) throw unknownMessage()
    return success('messages.explain', explanation)
  },
  'messages.release': async ({ body }, { app, caller, now }) => {
    const { filter = {}, message_ids } = body ?? {}
    if (message_ids && body?.filter) throw invalidField('message_ids', 'must not be given beside `filter`')
    const chosen = { filter: messageFilter(filter, 'filter.'), ...(message_ids && { ids: message_ids }) }
    const found = await heldMessages(app.database, caller.workspaceId, chosen, releasedMax + 1)
    const ids = found.slice(0, releasedMax)
    return {
      reply: success('messages.release', { released: ids.length, more: found.length > ids.length }),
      writes: [releaseMessages(ids, now)],
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

async function detail({ app, caller }: CallContext, id: string): Promise<MessageDetail> {
  const [row, links] = await Promise.all([
    findMessage(app.database, caller.workspaceId, id),
    replayLinks(app.database, caller.workspaceId, id),
  ])
  if (!row) throw unknownMessage()
  return { ...messageDetail(row), ...links }
}

async function outputs({ app, caller }: CallContext, id: string): Promise<MessageOutput[]> {
  const results = await app.pipeline.output(caller.workspaceId, id)
  if (!results) throw unknownMessage()
  return results
}

/** Content of authors never runs in the origin of the server. */
const SANDBOX = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' }

function rendered({ content }: MessageOutput, part: (typeof outputParts)[number]): HandlerReply {
  const value = content[part]
  if (typeof value !== 'string') return { status: 200, body: value, headers: SANDBOX }
  if (value === '') throw notFound()
  const mediaType = part === 'html' ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
  return { status: 200, raw: { content: value, mediaType }, headers: SANDBOX }
}
