/** /dead-letters: rows of the queues that were given up, with the reason; released, or dismissed. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, nullable, timestamp } from '../../api/values.ts'

export const deadLettersPage = 50

/** A queue each. */
export const deadLetterKinds = [
  'message',
  'request',
  'run',
  'digest',
  'erasure',
  'webhook_delivery',
  'receipt',
] as const

const kind = Type.Enum([...deadLetterKinds], { description: 'The kind of row: a message, or a row of another queue.' })
const state = Type.Enum(['open', 'released', 'dismissed'], {
  description:
    '`open`: it waits for its release. `released`: it went back to its queue. `dismissed`: it is not to go on; a release is still possible.',
})

export const DeadLetter = Type.Object(
  {
    id: Type.String({ description: 'Id of the dead letter.' }),
    kind,
    subject_id: Type.String({ description: 'Id of the row that was given up.' }),
    message_id: nullable(Type.String({ description: 'The message that reports a digest; null for other kinds.' })),
    state,
    error: Type.String({ description: 'Why it was given up.' }),
    attempts: Type.Integer({ minimum: 0, description: 'How often it was started without an outcome.' }),
    node: Type.String({ description: 'Node that gave it up.' }),
    created: timestamp('When it was given up.'),
    released: nullable(timestamp('When it was released; null before.')),
    dismissed: nullable(timestamp('When it was dismissed; null before.')),
  },
  {
    title: 'DeadLetter',
    description: 'A row of a queue that the server gave up, because it kept ending or blocking the process.',
  },
)
export type DeadLetter = Static<typeof DeadLetter>

const record = {
  id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b6',
  kind: 'message',
  subject_id: '1-65f1a29c-1f0b2c3d4e5f60718293a4b5',
  message_id: null,
  state: 'open',
  error: 'Dead-lettered after 9 attempts to process it without an outcome',
  attempts: 9,
  node: 'f3Kq0aZx',
  created: 1_710_334_643_000,
  released: null,
  dismissed: null,
}

export default resource({
  name: 'deadLetters',
  position: 302,
  title: 'Dead letters',
  description:
    'Rows of the queues that the server gave up, because they kept ending or blocking the process that worked on them.',
  impersonal: true,
  operations: [
    operation({
      id: 'deadLetters.list',
      origin: 'postrider',
      method: 'GET',
      path: '/dead-letters',
      summary: 'List dead letters',
      description:
        'Newest first. They are kept as long as messages (`POSTRIDER_RETENTION_DAYS`), and a digest or receipt that was given up as long as its dead letter.',
      query: Type.Object({ ...pageQuery(deadLettersPage), kind: Type.Optional(kind), state: Type.Optional(state) }),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(DeadLetter, { maxItems: pageMax }) }) },
      example: { query: { state: 'open' }, reply: { paging: { more: false }, results: [record] } },
    }),
    operation({
      id: 'deadLetters.release',
      origin: 'postrider',
      method: 'POST',
      path: '/dead-letters/:id/release',
      summary: 'Release a dead letter',
      description:
        'Puts what was given up back into its queue, as if it had never been started: it goes on within a second, and what it does then cannot be taken back. A message gets an event `RELEASED`, and its deadline counts anew. A dead letter that was released is returned as it is. The reply is 409 when what was given up has changed since: it was erased, deleted, requested again, or its week is past retention.',
      audit: 'dead_letter:released',
      params: Type.Object({ id: id('Id of the dead letter.') }),
      replies: { 200: DeadLetter, 404: ErrorBody, 409: ErrorBody },
      example: { params: { id: record.id }, reply: { ...record, state: 'released', released: 1_710_334_703_000 } },
    }),
    operation({
      id: 'deadLetters.dismiss',
      origin: 'postrider',
      method: 'POST',
      path: '/dead-letters/:id/dismiss',
      summary: 'Dismiss a dead letter',
      description:
        'It is not open any more, so that lists and checks leave it out; what was given up stays as it is until the retention of its dead letter, and can be released until then. A dead letter that was dismissed is returned as it is; one that was released is 409 `conflict`.',
      audit: 'dead_letter:dismissed',
      params: Type.Object({ id: id('Id of the dead letter.') }),
      replies: { 200: DeadLetter, 404: ErrorBody, 409: ErrorBody },
      example: { params: { id: record.id }, reply: { ...record, state: 'dismissed', dismissed: 1_710_334_703_000 } },
    }),
  ],
})
