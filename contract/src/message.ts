/** A message as lists, look-ups and cancellations show it. */
import { type Static, Type } from 'typebox'
import { jsonObject, moment } from './json.ts'
import { DeliveryStatus, MessageStatus, Reason, ReasonCode } from './status.ts'

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
