/** /messages: status, history and rendered content of messages. */
import { type Static, Type } from 'typebox'
import { ErrorBody, errorFields } from '../../api/errors.ts'
import { filterValuesMax, pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, text, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { RenderedBlocks, RenderedContent } from '../../shapes/content.ts'
import { FindingCode } from '../../shapes/finding.ts'
import { CancelSource, HistoryEvent, HistoryType } from '../../shapes/history.ts'
import { MessageDevice } from '../../shapes/message-device.ts'
import { DeliveryStatus, MessageStatus, Reason, ReasonCode } from '../../shapes/status.ts'
import { explanationExample, MessageExplanation } from './explain.ts'
import { SendReply } from './send.ts'

/** Rows of a page when a call names no `limit`: a screen of them, fewer where a row is long. */
export const messagesPage = 10
/** Rows of a page of later messages: as many as come in a second of heavy traffic. */
export const followedMax = 200

const stages = {
  sent: Type.Optional(timestamp('Time a provider first accepted the message.')),
  delivered: Type.Optional(timestamp('Time of the first confirmed delivery.')),
  opened: Type.Optional(timestamp('Time the message was first opened.')),
  clicked: Type.Optional(timestamp('Time a link was first clicked.')),
}

const fields = {
  id: Type.String({ description: 'The message id.' }),
  status: MessageStatus,
  recipient: Type.String({ description: 'The recipient id.' }),
  event: Type.String({ description: 'Event of the send; empty when the send has inline content.' }),
  notification: Type.String({
    description:
      'The notification id; empty when there is none. Until the message is decided, the notification to which its event is currently mapped.',
  }),
  enqueued: timestamp('Time the message was accepted.'),
  ...stages,
  canceledAt: Type.Optional(timestamp('Time the message was canceled.')),
  error: Type.Optional(Type.String({ description: 'Human-readable error.' })),
  reason: Type.Optional(Reason),
  reasonCode: Type.Optional(ReasonCode),
  findings: Type.Optional(
    Type.Array(FindingCode, {
      description: 'Mistakes in the message, which its history has in words. Absent when there are none.',
    }),
  ),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Tags of the send.' })),
  listId: Type.Optional(Type.String({ description: 'List of the send.' })),
  listMessageId: Type.Optional(Type.String({ description: 'Message id of the send to the list.' })),
  runId: Type.Optional(
    Type.String({ description: 'Automation run that sent the message; for `send-list`, the run with this step.' }),
  ),
  jobId: Type.Optional(Type.String({ description: 'Bulk job of the message.' })),
  idempotencyKey: Type.Optional(Type.String({ description: '`Idempotency-Key` of the send.' })),
}

export const MessageProvider = Type.Object(
  {
    provider: Type.Optional(
      Type.String({
        description: 'The provider: `sendgrid`. Absent when the message ended before the choice of a provider.',
      }),
    ),
    integration: Type.Optional(Type.String({ description: 'The integration id.' })),
    status: DeliveryStatus,
    channel: Type.Optional(
      Type.Object({
        key: Type.String({
          description: 'Channel, for chat with the provider: `direct_message:slack`.',
          'x-public': true,
        }),
        name: Type.String({ description: 'Display name.', 'x-public': true }),
        template: Type.String({ description: 'Channel of the notification that was rendered.' }),
      }),
    ),
    device: Type.Optional(MessageDevice),
    ...stages,
    attempts: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Calls of the provider; 0 when it was never called.' }),
    ),
    branch: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The part of an `all` routing that has the delivery, counted from 0; absent in other routings. Parts are used side by side; deliveries of one part follow each other.',
      }),
    ),
    error: Type.Optional(Type.String({ description: 'Error of the delivery.' })),
    reference: Type.Optional(jsonObject('Identifiers of the message at the provider.')),
  },
  { title: 'MessageProvider', description: 'One delivery of a message.' },
)

export const MessageRetry = Type.Object(
  {
    channel: ChannelName,
    provider: Type.String({ description: 'The provider: `sendgrid`.' }),
    integration: Type.String({ description: 'The integration id.' }),
    device: Type.Optional(MessageDevice),
    error: Type.Optional(
      Type.String({ description: 'Error of the last attempt, or why the integration was not called.' }),
    ),
    attempts: Type.Integer({ minimum: 0, description: 'Calls so far; 0 when the integration was not called yet.' }),
    next_attempt_at: timestamp('Time of the next attempt.'),
  },
  {
    title: 'MessageRetry',
    description:
      'The delivery whose next attempt comes first. Present while no provider has accepted the message and a delivery waits after a failure, a limit or an open circuit breaker.',
  },
)
export type MessageRetry = Static<typeof MessageRetry>

/** They come with a message that is read by its id, and in a list with `include=providers`. */
const readFields = {
  retry: Type.Optional(MessageRetry),
  address: Type.Optional(
    Type.String({ description: 'Email address or telephone number of a recipient without a user id.' }),
  ),
  until: Type.Optional(
    timestamp('`DELAYED`: when the message is due. `HELD`: when it fails unless an integration is repaired.'),
  ),
  heldFor: Type.Optional(
    Type.Array(Type.String(), {
      description:
        '`HELD`: ids of the integrations that refused it, and whose repair it waits for. Absent where no integration could be used.',
    }),
  ),
  canceledBy: Type.Optional(CancelSource),
  paused: Type.Optional(timestamp('Time its request was paused: it waits until the request is resumed.')),
  pausedBy: Type.Optional(
    Type.String({ description: 'Author of the pause: `key/backend`, or `operator` (the command without a server).' }),
  ),
  deliveriesPaused: Type.Optional(
    timestamp('Since when deliveries are paused: every message that has not ended waits until they are resumed.'),
  ),
}

export const Message = Type.Object(
  {
    ...fields,
    ...readFields,
    providers: Type.Optional(
      Type.Array(MessageProvider, {
        description: 'Deliveries, in the order of their attempts; only in a list with `include=providers`.',
      }),
    ),
  },
  { title: 'Message', description: 'A message. Times of stages that it has not reached are omitted.' },
)
export type Message = Static<typeof Message>

export const MessageDetail = Type.Object(
  {
    ...fields,
    ...readFields,
    replayOf: Type.Optional(Type.String({ description: 'The message that this one replays.' })),
    replayedAs: Type.Optional(
      Type.Array(Type.String(), { description: 'Messages that replay this one, oldest first; ten at most.' }),
    ),
    providers: Type.Array(MessageProvider, {
      description:
        'Deliveries, in the order of their attempts; for a message that the recipient opted out of, one entry with the reason.',
    }),
  },
  { title: 'MessageDetail', description: 'A message with its deliveries.' },
)
export type MessageDetail = Static<typeof MessageDetail>

export const messageExample: Message = {
  id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
  status: 'DELIVERED',
  recipient: 'user-7',
  event: 'welcome',
  notification: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA',
  enqueued: 1_710_334_643_000,
  sent: 1_710_334_644_120,
  delivered: 1_710_334_646_500,
}

const params = Type.Object({ message_id: id('The message id.') })
const example = { message_id: messageExample.id }
const delivery = {
  id: `${messageExample.id}-0`,
  channel: 'email',
  provider: 'mailbox',
  integration: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8',
  title: 'Mailbox',
  status: 'DELIVERED',
  attempts: [{ number: 1, started: 1_710_334_644_080, ended: 1_710_334_644_120, outcome: 'sent' }],
  attempts_total: 1,
  reference: {},
}
const filter = (description: string) => Type.Optional(text(description))
const filters = (description: string) =>
  Type.Optional(Type.Array(text('One value.'), { maxItems: filterValuesMax, description }))

/** The conditions of the list of messages; a replay takes them, too. */
export const messageFilters = {
  address: filter(
    'Address of the person: an email address, a telephone number, the id of a chat. Messages that name it or were sent to it, and those for users who have it in their profile now or as their id; not those that had it as a copy.',
  ),
  archived: Type.Optional(Type.Boolean({ description: 'Whether archived messages are included.' })),
  channel: filters('Channels that were tried, any of which matches.'),
  email: filter('Another name of `address`.'),
  enqueued_after: filter('Minimum time of acceptance, exclusive: ISO 8601 or milliseconds since the epoch.'),
  enqueued_before: filter('Maximum time of acceptance, exclusive: ISO 8601 or milliseconds since the epoch.'),
  error: filter('Part of the error, in any case: `530`, `timeout`.'),
  event: filter('Event of the send.'),
  except_reason: Type.Optional(
    Type.Array(Reason, {
      maxItems: filterValuesMax,
      description: 'Reasons, none of which matches; messages without a reason match.',
    }),
  ),
  finding: Type.Optional(
    Type.Array(FindingCode, { maxItems: filterValuesMax, description: 'Findings, any of which matches.' }),
  ),
  list: filter('List of the send.'),
  messageId: filter('Message id, or id of the send.'),
  notification: filter('The notification id.'),
  provider: filters('Providers, any of which matches.'),
  reason: Type.Optional(
    Type.Array(Reason, { maxItems: filterValuesMax, description: 'Reasons, any of which matches.' }),
  ),
  recipient: filter('The recipient id.'),
  retrying: Type.Optional(
    Type.Boolean({
      description:
        'With `true`, only messages that no provider has accepted and that wait for another attempt: those with `retry`.',
    }),
  ),
  runId: filter('Automation run of the message; for `send-list`, the run with this step.'),
  status: Type.Optional(
    Type.Array(MessageStatus, { maxItems: filterValuesMax, description: 'Statuses, any of which matches.' }),
  ),
  tag: filters('Tags, any of which matches.'),
  tags: filters('Comma-separated tags, any of which matches.'),
  tenant_id: filter('Tenant of the message.'),
  traceId: filter('Trace id of the send.'),
}

/** The message is unchanged; with the fields of an error clients can treat the reply as one. */
const NotCancelable = Type.Object(
  { ...MessageDetail.properties, ...errorFields },
  { title: 'NotCancelable', description: 'The unchanged message, which can no longer be canceled.' },
)

export const outputParts = ['html', 'subject', 'title', 'body', 'text', 'blocks'] as const

export default resource({
  name: 'messages',
  position: 40,
  title: 'Messages',
  description: 'Status, history and rendered content of messages.',
  operations: [
    operation({
      id: 'messages.list',
      method: 'GET',
      path: '/messages',
      summary: 'List messages',
      description:
        'Newest first, ten a page. All filters must match. With `after`, the messages that follow one, oldest first: a client follows new messages by calling again with the id of the last one that it has. Messages of the last second come with a later call, so that none is left out; those of a send to many have the time of the send in their ids, and are left out when they are made later.',
      query: Type.Object({
        ...pageQuery(messagesPage),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: followedMax,
            description: `Items per page, ${pageMax} at most without \`after\`. Default: ${messagesPage}.`,
          }),
        ),
        after: Type.Optional(id('A message id: only later messages are listed, oldest first. Not with `cursor`.')),
        ...messageFilters,
        include: Type.Optional(
          Type.Enum(['providers'], {
            description:
              'Fields that are added: `providers`, the deliveries of each message, with `retry` where one waits for another attempt and `heldFor` where the message is held, and `address`, `until`, `canceledBy`, `paused`, `pausedBy` and `deliveriesPaused` where they apply.',
          }),
        ),
      }),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(Message) }) },
      example: { query: { recipient: 'user-7' }, reply: { paging: { more: false }, results: [messageExample] } },
    }),
    operation({
      id: 'messages.get',
      method: 'GET',
      path: '/messages/:message_id',
      summary: 'Get a message',
      params,
      replies: { 200: MessageDetail, 404: ErrorBody },
      example: {
        params: example,
        reply: {
          ...messageExample,
          providers: [
            {
              provider: 'mailbox',
              integration: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8',
              status: 'DELIVERED',
              channel: { key: 'email', name: 'Email', template: 'email' },
              sent: 1_710_334_644_120,
              delivered: 1_710_334_646_500,
              reference: {},
              attempts: 1,
            },
          ],
        },
      },
    }),
    operation({
      id: 'messages.history',
      method: 'GET',
      path: '/messages/:message_id/history',
      summary: 'Get the history of a message',
      params,
      query: Type.Object({ type: Type.Optional(HistoryType) }),
      replies: { 200: Type.Object({ results: Type.Array(HistoryEvent) }), 404: ErrorBody },
      example: {
        params: example,
        query: { type: 'MAPPED' },
        reply: {
          results: [
            {
              type: 'MAPPED',
              ts: 1_710_334_643_050,
              event_id: 'welcome',
              notification_id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA',
            },
          ],
        },
      },
    }),
    operation({
      id: 'messages.output',
      method: 'GET',
      path: '/messages/:message_id/output',
      summary: 'Get the rendered content of a message',
      description: 'Rendered content by channel.',
      params,
      replies: {
        200: Type.Object({
          results: Type.Array(
            Type.Object(
              {
                channel: Type.String({ description: 'The channel.' }),
                channel_id: Type.String({ description: 'Channel id, as in the history.' }),
                content: RenderedContent,
              },
              { title: 'MessageOutput', description: 'Rendered content for one channel.' },
            ),
          ),
        }),
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: {
          results: [{ channel: 'email', channel_id: 'email', content: explanationExample.rendered[0]?.content }],
        },
      },
    }),
    operation({
      id: 'messages.outputPart',
      method: 'GET',
      path: '/messages/:message_id/output/:render_id/:part',
      role: 'reader',
      summary: 'Get one rendered part',
      description:
        'The URLs in a `RENDERED` event refer to this operation. HTML is returned as `text/html` in a sandbox, blocks as JSON, all other parts as plain text.',
      params: Type.Object({
        ...params.properties,
        render_id: id('Rendering id from the `RENDERED` event.'),
        part: Type.Enum([...outputParts], { description: 'Part of the rendering.' }),
      }),
      replies: {
        200: Type.Union([Type.String(), RenderedBlocks], { description: 'The rendered part.' }),
        404: ErrorBody,
      },
      produces: 'text/html, text/plain, application/json',
      example: { params: { ...example, render_id: '0', part: 'html' } },
    }),
    operation({
      id: 'messages.cancel',
      method: 'POST',
      path: '/messages/:message_id/cancel',
      access: 'sender',
      summary: 'Cancel a message',
      description:
        'After a 200 no provider is called any more. Canceling is idempotent. When it is too late, the reply is 409 with the unchanged message.',
      params,
      replies: { 200: MessageDetail, 404: ErrorBody, 409: NotCancelable },
      example: {
        params: example,
        reply: {
          id: messageExample.id,
          status: 'CANCELED',
          recipient: 'user-7',
          event: 'welcome',
          notification: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA',
          enqueued: 1_710_334_643_000,
          canceledAt: 1_710_334_650_000,
          canceledBy: 'key/backend',
          providers: [],
        },
      },
    }),
    operation({
      id: 'messages.explain',
      origin: 'postrider',
      method: 'GET',
      path: '/messages/:message_id/explain',
      summary: 'Explain a message',
      description:
        'The decision on the message with its facts, and every delivery with its attempts; with `as_of=now`, how the same inputs would be decided now.',
      params,
      query: Type.Object({
        as_of: Type.Optional(
          Type.Enum(['decision', 'now'], {
            description:
              '`decision` (default): with the data as of the decision. `now`: with the present templates, profiles, preferences and integrations, as a resend would be decided.',
          }),
        ),
      }),
      replies: { 200: MessageExplanation, 404: ErrorBody },
      example: {
        params: example,
        reply: {
          message: { id: messageExample.id, status: 'DELIVERED' },
          ...explanationExample,
          deliveries: [delivery],
        },
      },
    }),
    operation({
      id: 'messages.resend',
      method: 'POST',
      path: '/messages/:message_id/resend',
      access: 'key',
      summary: 'Resend a message',
      description:
        'Creates a new message with the same inputs, which is decided immediately, with the mode of the calling key and the current data of the recipient.',
      params,
      replies: { 200: SendReply, 404: ErrorBody, 409: ErrorBody },
      example: { params: example, reply: { messageId: '1-65f1b000-0a1b2c3d4e5f60718293a4b5' } },
    }),
    operation({
      id: 'messages.archive',
      method: 'PUT',
      path: '/messages/:message_id/output',
      summary: 'Archive a message',
      description: 'Alias of `PUT /requests/:request_id/archive` for an older client.',
      params,
      replies: { 202: null, 404: ErrorBody },
      example: { params: example },
    }),
  ],
})
