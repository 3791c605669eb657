/** /dead-letters: rows of the queues that were given up; released, or dismissed. */
import { type DeadLetter, deadLetterKinds, deadLettersPage } from '@postrider/contract'
import { conflict, notFound } from '../../../base/errors.ts'
import { guardPlan } from '../../../database/query.ts'
import { leasedQueues } from '../../../database/queues.ts'
import { messageQueue } from '../../../database/tables/messages/live-messages.ts'
import {
  type DeadLetterRow,
  deadLetterState,
  dismissDeadLetter,
  findDeadLetter,
  listDeadLetters,
} from '../../../database/tables/workspace/dead-letters.ts'
import { paging, success } from '../../call.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

export const deadLetters = {
  'deadLetters.list': async ({ query: { kind, state, cursor, limit = deadLettersPage } }, { app, caller }) => {
    const page = await listDeadLetters(app.database, caller.workspaceId, { kind, state, cursor }, limit)
    return success('deadLetters.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'deadLetters.release': async ({ params: { id } }, { app, caller: { workspaceId, name: source }, now }) => {
    const letter = await findDeadLetter(app.database, workspaceId, id)
    if (!letter) throw notFound('Dead letter not found')
    if (letter.released !== null)
      return { reply: success('deadLetters.release', record(letter)), writes: [], unchanged: true }
    const queue = leasedQueues.find(({ name }) => name === letter.kind)
    if (!queue) throw changed(letter)
    return {
      reply: success('deadLetters.release', record({ ...letter, released: now })),
      writes: [guardPlan, queue.deadLetterRelease({ id, workspaceId, source, now })],
      afterCommit: () => (queue.name === messageQueue.name ? app.metrics.released.inc({}) : undefined),
      onConflict: otherwise(async () => {
        const current = await findDeadLetter(app.database, workspaceId, id)
        return current?.released === null ? changed(letter) : retry('Other calls changed the dead letter')
      }),
    }
  },
  'deadLetters.dismiss': async ({ params: { id } }, { app, caller: { workspaceId }, now }) => {
    const letter = await findDeadLetter(app.database, workspaceId, id)
    if (!letter) throw notFound('Dead letter not found')
    if (letter.released !== null) throw conflict('conflict', 'The dead letter was released: what it gave up goes on')
    if (letter.dismissed !== null)
      return { reply: success('deadLetters.dismiss', record(letter)), writes: [], unchanged: true }
    return {
      reply: success('deadLetters.dismiss', record({ ...letter, dismissed: now })),
      writes: [dismissDeadLetter(workspaceId, id, now)],
      onConflict: otherwise(() => retry('Other calls changed the dead letter')),
    }
  },
} satisfies ResourceHandlers<'deadLetters'>

const changed = ({ kind, subject_id }: DeadLetterRow) =>
  conflict(
    'conflict',
    `The ${kind.replace('_', ' ')} ${subject_id} is not as it was given up: it has been erased, deleted or changed since`,
  )

const record = ({ kind, ...row }: DeadLetterRow): DeadLetter => ({
  ...row,
  kind: deadLetterKinds.find((name) => name === kind) ?? 'message',
  state: deadLetterState(row),
})
