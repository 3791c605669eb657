/** /messages/release: messages that are held until an integration is repaired. */
import { Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { text, timestamp } from '../../api/values.ts'
import { MessageFilter, replayIdsMax } from './replays.ts'

/** Held messages that one call releases; they start within five seconds. */
export const releasedMax = 1_000
/** A dry run counts up to here: some 100 ms. */
export const heldCountMax = 100_000

/** A message is held no longer than this, whatever its timeout is. */
export const heldDaysMax = 7

const Release = Type.Object(
  {
    filter: Type.Optional(MessageFilter),
    message_ids: Type.Optional(
      Type.Array(text('A message id.'), {
        minItems: 1,
        maxItems: replayIdsMax,
        description: 'Ids of held messages, instead of a filter.',
      }),
    ),
    cursor: Type.Optional(text('`cursor` of the call before: only messages after those that it released.')),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Whether the messages are only counted, and none is released. Default: false.' }),
    ),
  },
  {
    title: 'Release',
    description: 'Which held messages to release; all of them without a condition.',
    additionalProperties: false,
  },
)

const Released = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'True if nothing was released.' }),
    released: Type.Integer({ minimum: 0, description: 'Messages that were released; 0 for a dry run.' }),
    more: Type.Boolean({ description: 'Whether further ones match: the same call with `cursor` releases them.' }),
    cursor: Type.Optional(Type.String({ description: 'Present if `more`: the place of the last released message.' })),
    releasable: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: `Held messages that match, for a dry run; counted up to ${heldCountMax.toLocaleString('en-US')}.`,
      }),
    ),
    messages: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ description: 'The message id.' }),
          recipient: Type.String({ description: 'The recipient id.' }),
          event: Type.String({ description: 'Event of the send.' }),
          enqueued: timestamp('Time the message was accepted.'),
          error: Type.Optional(Type.String({ description: 'Error of the integration that has to be repaired.' })),
        }),
        { description: 'The first of them for a dry run, oldest first; twenty at most.' },
      ),
    ),
  },
  { title: 'Released', description: 'Result of a release.' },
)

export default operationsOf('messages', [
  operation({
    id: 'messages.release',
    origin: 'postrider',
    method: 'POST',
    path: '/messages/release',
    summary: 'Release held messages',
    description: `Held messages are tried again now, each with an event \`RELEASED\` in its history; those that an integration refuses again are held again. Up to ${releasedMax.toLocaleString('en-US')} a call, oldest first. With \`dry_run\` they are counted, and the first ones shown. A change of an integration, and a successful test of it, release its messages without this call.`,
    body: Release,
    bodyOptional: true,
    replies: { 200: Released },
    example: { body: { filter: { provider: ['smtp'] } }, reply: { dry_run: false, released: 12, more: false } },
  }),
])
