/** /messages/release: messages that are held until an integration is repaired. */
import { Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { text } from '../../api/values.ts'
import { MessageFilter, replayIdsMax } from './replays.ts'

/** Held messages that one call releases; they start over a minute. */
export const releasedMax = 10_000

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
  },
  { title: 'Release', description: 'Which held messages to release; all of them without a condition.' },
)

const Released = Type.Object(
  {
    released: Type.Integer({ minimum: 0, description: 'Messages that were released.' }),
    more: Type.Boolean({ description: 'Whether further ones match: the same call releases them.' }),
  },
  { title: 'Released', description: 'Result of a release.' },
)

export default operationsOf('messages', [
  operation({
    id: 'messages.release',
    origin: 'postrider',
    method: 'POST',
    path: '/messages/release',
    access: 'published',
    summary: 'Release held messages',
    description: `Held messages are tried again now; those that an integration refuses again are held again. Up to ${releasedMax.toLocaleString('en-US')} a call. A change of an integration, and a successful test of it, release its messages without this call.`,
    body: Release,
    bodyOptional: true,
    audit: 'messages:released',
    replies: { 200: Released },
    example: { body: { filter: { provider: ['smtp'] } }, reply: { released: 12, more: false } },
  }),
])
