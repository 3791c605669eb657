/** /messages: what became of each send. */
import { Type } from 'typebox'
import { RenderedBlocks, RenderedContent } from './content.ts'
import { ErrorBody, errorTypes } from './errors.ts'
import { explanationExample, MessageExplanation } from './explain.ts'
import { HistoryEvent } from './history.ts'
import { id, text } from './json.ts'
import { filterValuesMax, messagesPage } from './limits.ts'
import { Message, MessageDetail, messageExample } from './message.ts'
import { operation } from './operation.ts'
import { Paging, pageQuery } from './paging.ts'
import { SendReply } from './send.ts'
import { HistoryType, MessageStatus } from './status.ts'

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

export const messageOperations = [
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
      reply: { message: { id: messageExample.id, status: 'DELIVERED' }, ...explanationExample, deliveries: [delivery] },
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
] as const
