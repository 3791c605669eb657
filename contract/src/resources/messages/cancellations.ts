/** /messages/cancel: canceling the messages that wait, by the filters of their list, after a dry run. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { text, timestamp } from '../../api/values.ts'
import { MessageStatus } from '../../shapes/status.ts'
import { MessageFilter, replayIdsMax } from './replays.ts'

/** Messages that one call cancels: four commits. */
export const canceledMax = 1_000
/** Messages that can be canceled are counted up to here: some 100 ms. */
export const cancelableCountMax = 100_000

export const Cancellation = Type.Object(
  {
    filter: Type.Optional(MessageFilter),
    message_ids: Type.Optional(
      Type.Array(text('A message id.'), {
        minItems: 1,
        maxItems: replayIdsMax,
        description: 'Ids of the messages, instead of a filter.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Whether nothing is canceled. Default: true, unless `confirm` is given.' }),
    ),
    confirm: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          '`cancelable` of a dry run, or `remaining` of the call before: messages are canceled if no more than that many can be now.',
      }),
    ),
  },
  {
    title: 'Cancellation',
    description: 'Messages to cancel: `filter` or `message_ids`.',
    // A misspelled condition would cancel the messages of more people.
    additionalProperties: false,
  },
)
export type Cancellation = Static<typeof Cancellation>

export const cancelExclusions = ['not_found', 'canceled', 'too_late'] as const

const counted = `counted up to ${cancelableCountMax.toLocaleString('en-US')}`

export const Cancellations = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'True if nothing was canceled.' }),
    cancelable: Type.Integer({
      minimum: 0,
      description: `Messages that match, have not ended and were accepted by no provider, before the call; ${counted}.`,
    }),
    canceled: Type.Integer({ minimum: 0, description: 'Messages that were canceled; 0 for a dry run.' }),
    remaining: Type.Integer({
      minimum: 0,
      description: `Messages that can be canceled after the call; ${counted}. The same call with this number as \`confirm\` cancels more of them.`,
    }),
    in_delivery: Type.Integer({
      minimum: 0,
      description:
        'Those of them that a node is deciding or delivering. They are canceled unless a provider is being called; a later call cancels those whose attempt has failed.',
    }),
    messages: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The message id.' }),
        status: MessageStatus,
        recipient: Type.String({ description: 'The recipient id.' }),
        event: Type.String({ description: 'Event of the send.' }),
        enqueued: timestamp('Time the message was accepted.'),
        error: Type.Optional(Type.String({ description: 'Error of the message.' })),
      }),
      { description: 'The first of them for a dry run, oldest first; twenty at most.' },
    ),
    excluded: Type.Array(
      Type.Object({
        reason: Type.Enum([...cancelExclusions], {
          description:
            '`not_found`: no message has the id. `canceled`: the message is canceled. `too_late`: a provider has accepted the message, or it has ended otherwise.',
        }),
        count: Type.Integer({ minimum: 1, description: 'Messages that are left out for this reason.' }),
        message_ids: Type.Array(Type.String(), { description: 'The first of them; ten at most.' }),
      }),
      { description: 'Messages of `message_ids` that cannot be canceled, before the call; empty for a filter.' },
    ),
  },
  { title: 'Cancellations', description: 'Messages that can be canceled, and those that were.' },
)
export type Cancellations = Static<typeof Cancellations>

export default operationsOf('messages', [
  operation({
    id: 'messages.cancelMany',
    origin: 'postrider',
    method: 'POST',
    path: '/messages/cancel',
    summary: 'Cancel messages',
    description: `Without \`confirm\` it is a dry run: how many messages can be canceled, and which are the first. With \`confirm\`, the \`cancelable\` of the dry run, each is canceled as \`POST /messages/:message_id/cancel\` does, up to ${canceledMax.toLocaleString('en-US')} a call, newest first. Repeat the call with \`remaining\` as \`confirm\` until \`remaining\` or \`canceled\` is 0; a call that was interrupted is repeated in the same way. Messages that are sent meanwhile do not stand in the way; if more can be canceled by then than \`confirm\` says, the reply is 409 \`count_changed\`. The filter \`messageId\` with the id of a bulk job selects its messages; cancel the job first, so that it makes no more.`,
    body: Cancellation,
    replies: { 200: Cancellations, 409: ErrorBody },
    example: {
      body: { filter: { recipient: 'user-7', event: 'welcome' } },
      reply: {
        ...{ dry_run: true, cancelable: 1, canceled: 0, remaining: 1, in_delivery: 0 },
        messages: [
          {
            id: '1-65f1a2b4-0a1b2c3d4e5f60718293a4b5',
            status: 'DELAYED',
            recipient: 'user-7',
            event: 'welcome',
            enqueued: 1_710_334_644_000,
          },
        ],
        excluded: [],
      },
    },
  }),
])
