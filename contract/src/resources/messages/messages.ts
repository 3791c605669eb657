/** /messages: what became of each send. */
import { type Static, Type } from 'typebox'
import { ErrorBody, errorTypes } from '../../api/errors.ts'
import { filterValuesMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, moment, text } from '../../api/values.ts'
import { RenderedBlocks, RenderedContent } from '../../shapes/content.ts'
import { HistoryEvent } from '../../shapes/history.ts'
import { DeliveryStatus, HistoryType, MessageStatus, Reason, ReasonCode } from '../../shapes/status.ts'
import { explanationExample, MessageExplanation } from './explain.ts'
import { SendReply } from './send.ts'

/** Rows of a page when a call names no `limit`: a screen of them, fewer where a row is long. */
export const messagesPage = 10

const stages = {
  sent: Type.Optional(moment('When a provider first accepted it.')),
  delivered: Type.Optional(moment('When it first arrived.')),
  opened: Type.Optional(moment('When it was first opened.')),
  clicked: Type.Optional(moment('When a link was first followed.')),
}

const fields = {
  id: Type.String({ description: 'The message id.' }),
  status: MessageStatus,
  recipient: Type.String({ description: 'The recipient id.' }),
  event: Type.String({ description: 'The event as sent; empty when the content came with the send.' }),
  notification: Type.String({
    description:
      'The notification id; empty when there is none. Until the message is decided, the one that its event leads to now.',
  }),
  enqueued: moment('When it was accepted.'),
  ...stages,
  canceledAt: Type.Optional(moment('When it was cancelled.')),
  error: Type.Optional(Type.String({ description: 'What went wrong, for people.' })),
  reason: Type.Optional(Reason),
  reasonCode: Type.Optional(ReasonCode),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'The tags of the send.' })),
  listId: Type.Optional(Type.String({ description: 'The list it was sent to.' })),
  listMessageId: Type.Optional(Type.String({ description: 'The message id of the send to the list.' })),
  runId: Type.Optional(
    Type.String({ description: 'The automation run that sent it; of a `send-list`, the run with this step.' }),
  ),
  jobId: Type.Optional(Type.String({ description: 'The bulk job that sent it.' })),
  idempotencyKey: Type.Optional(Type.String({ description: 'The `Idempotency-Key` of the send.' })),
}

export const Message = Type.Object(fields, {
  title: 'Message',
  description: 'A message. Stages it has not reached are left out.',
})
export type Message = Static<typeof Message>

export const MessageProvider = Type.Object(
  {
    provider: Type.Optional(
      Type.String({ description: 'The provider: `sendgrid`. Absent when the message ended before one was chosen.' }),
    ),
    integration: Type.Optional(Type.String({ description: 'The integration id.' })),
    status: DeliveryStatus,
    channel: Type.Optional(
      Type.Object({
        key: Type.String({ description: 'The channel, for chat with its provider: `direct_message:slack`.' }),
        name: Type.String({ description: 'Its name for people.' }),
        template: Type.String({ description: 'The channel of the notification that was rendered.' }),
      }),
    ),
    ...stages,
    error: Type.Optional(Type.String({ description: 'What went wrong.' })),
    reference: Type.Optional(jsonObject('What the provider calls the message.')),
  },
  { title: 'MessageProvider', description: 'One delivery of a message.' },
)

export const MessageDetail = Type.Object(
  {
    ...fields,
    providers: Type.Array(MessageProvider, {
      description: 'Its deliveries, in the order they were tried; of one that the recipient opted out of, the refusal.',
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

/** The record stays as it was; `message` and `type` let clients treat it as an error. */
const NotCancelable = Type.Object(
  {
    ...MessageDetail.properties,
    message: Type.String({ description: 'Why it cannot be cancelled.' }),
    type: Type.Enum([...errorTypes], { description: 'Always `invalid_request_error`.' }),
  },
  { title: 'NotCancelable', description: 'The unchanged message; it is too late to cancel it.' },
)

export const outputParts = ['html', 'subject', 'title', 'body', 'text', 'blocks'] as const

export default resource({
  name: 'messages',
  position: 40,
  title: 'Messages',
  description: 'What became of each send: status, history, words, reasons.',
  operations: [
    operation({
      id: 'messages.list',
      method: 'GET',
      path: '/messages',
      summary: 'List messages',
      description: 'Newest first, ten a page. Filters given together must all match.',
      query: Type.Object({
        ...pageQuery(messagesPage),
        archived: Type.Optional(Type.Boolean({ description: 'True includes archived messages.' })),
        enqueued_after: filter('Only messages accepted after this moment: ISO 8601 or milliseconds since the epoch.'),
        event: filter('The event as sent.'),
        list: filter('The list it was sent to.'),
        messageId: filter('The message id, or the id of the send it belongs to.'),
        notification: filter('The notification id.'),
        provider: filters('Any of these providers.'),
        recipient: filter('The recipient id.'),
        runId: filter('The run of an automation that sent it; of a `send-list`, the run with this step.'),
        status: Type.Optional(
          Type.Array(MessageStatus, { maxItems: filterValuesMax, description: 'Any of these statuses.' }),
        ),
        tag: filters('Any of these tags.'),
        tags: filters('Any of these tags, separated by commas.'),
        tenant_id: filter('The tenant it was sent for.'),
        traceId: filter('The trace id of the send.'),
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
      summary: 'Get the words of a message',
      description: 'What was rendered for each channel.',
      params,
      replies: {
        200: Type.Object({
          results: Type.Array(
            Type.Object(
              {
                channel: Type.String({ description: 'The channel.' }),
                channel_id: Type.String({ description: 'Its id, as in the history.' }),
                content: RenderedContent,
              },
              { title: 'MessageOutput', description: 'The words for one channel.' },
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
      summary: 'Get one rendered part as it is',
      description:
        'The addresses in a `RENDERED` event lead here. HTML comes as `text/html` in a sandbox, blocks as JSON, everything else as plain text.',
      params: Type.Object({
        ...params.properties,
        render_id: id('The rendering, from the `RENDERED` event.'),
        part: Type.Enum([...outputParts], { description: 'Which part.' }),
      }),
      replies: { 200: Type.Union([Type.String(), RenderedBlocks], { description: 'The part.' }), 404: ErrorBody },
      produces: 'text/html, text/plain, application/json',
      example: { params: { ...example, render_id: '0', part: 'html' } },
    }),
    operation({
      id: 'messages.cancel',
      method: 'POST',
      path: '/messages/:message_id/cancel',
      summary: 'Cancel a message',
      description:
        'A 200 means that no provider is called any more. Cancelling twice answers the same. When it is too late: 409 with the message as it is.',
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
      description: 'Why it went this way: the decision with its facts, and every delivery with its attempts.',
      params,
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
      summary: 'Send a message again',
      description:
        'A new message with the same inputs, decided anew: at once, with the mode of the key that asks, and with what is stored of the recipient now.',
      params,
      replies: { 200: SendReply, 404: ErrorBody, 409: ErrorBody },
      example: { params: example, reply: { messageId: '1-65f1b000-0a1b2c3d4e5f60718293a4b5' } },
    }),
    operation({
      id: 'messages.archive',
      method: 'PUT',
      path: '/messages/:message_id/output',
      summary: 'Archive a message',
      description: 'The same as `PUT /requests/:request_id/archive`, under the address that one old client calls.',
      params,
      replies: { 202: null, 404: ErrorBody },
      example: { params: example },
    }),
  ],
})
