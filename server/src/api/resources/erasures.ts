/** /erasures: started by the deletion of a profile; records of people who were removed everywhere. */

import type { Erasure } from '@postrider/contract'
import { notFound } from '../../base/errors.ts'
import { failpoint } from '../../base/failpoint.ts'
import { timedId } from '../../base/ids.ts'
import { beginErasure, type ErasureRow, findErasure, startedErasure } from '../../database/tables/erasure/erasures.ts'
import { FIRST_STEP } from '../../erasure/erase.ts'
import { pseudonymOf } from '../../erasure/redact.ts'
import { type CallContext, success } from '../call.ts'
import type { ResourceHandlers, WorkWithResults } from '../outcome.ts'

export const erasures = {
  'erasures.get': async ({ params: { erasure_id } }, { app, caller }) => {
    const row = await findErasure(app.database, caller.workspaceId, erasure_id)
    if (!row) throw notFound()
    return success('erasures.get', record(row))
  },
} satisfies ResourceHandlers<'erasures'>

/** Once it is committed, what is known about the person is gone, and nothing is sent to them any more. */
export function beginErasing(person: string, { app, caller, now }: CallContext): WorkWithResults {
  const { workspaceId } = caller
  const pseudonym = pseudonymOf(app.secretKey, workspaceId, person)
  return {
    writes: beginErasure({ id: timedId(now), workspaceId, person, pseudonym, now }, FIRST_STEP),
    afterCommit() {
      failpoint('after-erasure-begin')
      app.erasure.wake()
    },
    replyFrom: (results) => ({ status: 202, body: record(startedErasure(results)) }),
  }
}

function record({ id, status, pseudonym, begun, completed, removed }: ErasureRow): Erasure {
  return {
    erasureId: id,
    status: status as Erasure['status'],
    pseudonym,
    begun,
    ...(completed !== null && { completed }),
    removed,
  }
}
