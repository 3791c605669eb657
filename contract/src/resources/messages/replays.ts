/** /messages/replay: sending messages again by the filters of their list, after a dry run. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, text, timestamp } from '../../api/values.ts'
import { MessageStatus } from '../../shapes/status.ts'
import { messageFilters } from './messages.ts'

/** More are replayed in several calls: a dry run counts them all. */
export const replayMessagesMax = 100_000
/** A page of ids, as they come from a file or another system. */
export const replayIdsMax = 1_000
/** Ten a second: an incident of an hour is replayed in minutes, and no provider is surprised. */
export const replayRateDefault = 600
export const replayRateMax = 60_000

export const MessageFilter = Type.Object(messageFilters, {
  title: 'MessageFilter',
  description: 'Conditions of `GET /messages`, all of which must match.',
  additionalProperties: false,
})
export type MessageFilter = Static<typeof MessageFilter>

const rate = Type.Integer({
  minimum: 1,
  maximum: replayRateMax,
  description: `Messages that are created a minute, evenly spaced. Default: ${replayRateDefault}.`,
})

export const ReplayWrite = Type.Object(
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
      Type.Boolean({ description: 'Whether nothing is sent. Default: true, unless `confirm` is given.' }),
    ),
    confirm: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: '`replayable` of a dry run: the replay starts if that many messages can be replayed now.',
      }),
    ),
    set: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          '`set` of a dry run: the replay starts if the same messages can be replayed now, not only as many.',
      }),
    ),
    rate_per_minute: Type.Optional(rate),
    include_replayed: Type.Optional(
      Type.Boolean({ description: 'Whether messages that were replayed before are replayed again.' }),
    ),
  },
  {
    title: 'ReplayWrite',
    description: 'Messages to replay: `filter` or `message_ids`.',
    // A misspelled rate would send at another one, a misspelled condition to more people.
    additionalProperties: false,
  },
)
export type ReplayWrite = Static<typeof ReplayWrite>

export const replayExclusions = ['not_found', 'erased', 'in_progress', 'content_expired', 'already_replayed'] as const

const ReplayPlan = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'True if nothing was sent.' }),
    id: Type.Optional(Type.String({ description: 'Id of the replay that was started.' })),
    replayable: Type.Integer({ minimum: 0, description: 'Messages that can be replayed.' }),
    set: Type.String({ description: 'A digest of their ids, for the call with `confirm`.' }),
    messages: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The message id.' }),
        status: MessageStatus,
        recipient: Type.String({ description: 'The recipient id.' }),
        event: Type.String({ description: 'Event of the send.' }),
        enqueued: timestamp('Time the message was accepted.'),
        error: Type.Optional(Type.String({ description: 'Error of the message.' })),
      }),
      { description: 'The first of them, oldest first; twenty at most.' },
    ),
    excluded: Type.Array(
      Type.Object({
        reason: Type.Enum([...replayExclusions], {
          description:
            '`not_found`: no message has the id. `erased`: the recipient was erased, or is being erased. `in_progress`: the message has not ended. `content_expired`: the request with its content is past retention. `already_replayed`: a replay has sent it again, or it is what a replay has sent; `include_replayed` sends it once more.',
        }),
        count: Type.Integer({ minimum: 1, description: 'Messages that are left out for this reason.' }),
        message_ids: Type.Array(Type.String(), { description: 'The first of them; ten at most.' }),
      }),
      { description: 'Messages that match and are left out.' },
    ),
    rate_per_minute: rate,
    duration_ms: Type.Integer({ minimum: 0, description: 'How long the replay takes at that rate.' }),
  },
  { title: 'ReplayPlan', description: 'Messages that a replay sends, and those it leaves out.' },
)
export type ReplayPlan = Static<typeof ReplayPlan>

const Replay = Type.Object(
  {
    id: Type.String({ description: 'Id of the replay; `GET /messages?traceId=` lists its messages.' }),
    status: Type.Enum(['PROCESSING', 'COMPLETED', 'CANCELED', 'ERROR'], {
      description:
        '`PROCESSING`: messages are being created. `COMPLETED`: every one is created. `CANCELED`: it was stopped.',
    }),
    created: timestamp('Time the replay was started.'),
    replayable: Type.Integer({ minimum: 0, description: 'Messages that could be replayed when it started.' }),
    replayed: Type.Integer({ minimum: 0, description: 'Messages created so far.' }),
    failures: Type.Integer({ minimum: 0, description: 'Messages that could not be created.' }),
    excluded: Type.Array(
      Type.Object({
        reason: Type.Enum(['not_found', 'erased', 'content_expired'], {
          description:
            '`not_found`: the message is past retention. `erased`: the recipient was erased. `content_expired`: the request with its content is past retention.',
        }),
        count: Type.Integer({ minimum: 1, description: 'Messages that are left out for this reason.' }),
      }),
      { description: 'Messages that were confirmed and could not be replayed when their turn came.' },
    ),
    rate_per_minute: rate,
    error: Type.Optional(Type.String({ description: 'Error that stopped the replay.' })),
  },
  { title: 'Replay', description: 'A replay of messages, and its progress.' },
)
export type Replay = Static<typeof Replay>

const params = Type.Object({ replay_id: id('The replay id.') })
const example = { replay_id: '1-65f1c000-0a1b2c3d4e5f60718293a4b5' }
const record: Replay = {
  id: example.replay_id,
  status: 'PROCESSING',
  created: 1_710_345_216_000,
  replayable: 1_204,
  replayed: 300,
  failures: 0,
  excluded: [],
  rate_per_minute: replayRateDefault,
}

export default resource({
  name: 'replays',
  position: 45,
  title: 'Replays',
  description: 'Sending messages again, for example those that failed during an outage.',
  operations: [
    operation({
      id: 'replays.create',
      origin: 'postrider',
      method: 'POST',
      path: '/messages/replay',
      summary: 'Replay messages',
      description: `Without \`confirm\` it is a dry run: how many messages can be replayed, which are the first, and why others are left out. With \`confirm\`, the \`replayable\` of the dry run, each of them is sent again as a new message with the same inputs, in the mode of the calling key; it is decided anew, with the current templates, profiles, preferences, suppressed addresses and limits. Exactly the messages that were counted by the call with \`confirm\` are replayed, whatever becomes of them and of others later; those that are erased or past retention when their turn comes are counted in \`excluded\` of the replay. They are replayed oldest first, in the background, at most \`rate_per_minute\`; ${replayMessagesMax.toLocaleString('en-US')} messages a call. If another number can be replayed by then, or, where \`set\` of the dry run is given, other messages, the reply is 409 \`count_changed\`. A workspace has one replay at a time: while one is in progress, a call with \`confirm\` is 409 \`conflict\`, whose message names the replay; wait until it has ended, or cancel it.`,
      body: ReplayWrite,
      replies: { 200: ReplayPlan, 409: ErrorBody },
      example: {
        body: { filter: { recipient: 'user-7', enqueued_after: '2024-03-13T12:00:00Z' } },
        reply: {
          dry_run: true,
          replayable: 1_204,
          set: '0b7c2f1e9d3a4856b1c0d2e3f4a59687',
          messages: [
            {
              id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
              status: 'UNDELIVERABLE',
              recipient: 'user-7',
              event: 'welcome',
              enqueued: 1_710_334_643_000,
            },
          ],
          excluded: [{ reason: 'in_progress', count: 1, message_ids: ['1-65f1a2b4-0a1b2c3d4e5f60718293a4b5'] }],
          rate_per_minute: replayRateDefault,
          duration_ms: 120_400,
        },
      },
    }),
    operation({
      id: 'replays.get',
      origin: 'postrider',
      method: 'GET',
      path: '/messages/replay/:replay_id',
      summary: 'Get a replay',
      params,
      replies: { 200: Replay, 404: ErrorBody },
      example: { params: example, reply: record },
    }),
    operation({
      id: 'replays.cancel',
      origin: 'postrider',
      method: 'POST',
      path: '/messages/replay/:replay_id/cancel',
      summary: 'Cancel a replay',
      description:
        'No further messages are created; those created already are sent, and canceled where the replay was paused. Canceling is idempotent. A replay that has ended otherwise is 409.',
      audit: 'replay:canceled',
      params,
      replies: { 200: Replay, 404: ErrorBody, 409: ErrorBody },
      example: { params: example, reply: { ...record, status: 'CANCELED' } },
    }),
  ],
})
