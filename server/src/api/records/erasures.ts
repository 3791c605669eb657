/** Begins an erasure, and shows its receipt. */
import type { Erasure } from '@postrider/contract'
import { failpoint } from '../../base/failpoint.ts'
import { timedId } from '../../base/ids.ts'
import { beginErasure, begunErasure, type ErasureRow } from '../../database/tables/erasure/erasures.ts'
import { FIRST_STEP } from '../../erasure/erase.ts'
import { pseudonymOf } from '../../erasure/redact.ts'
import type { CallContext } from '../call.ts'
import type { WorkWithResults } from '../outcome.ts'

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
    replyFrom: (results) => ({ status: 202, body: receipt(begunErasure(results)) }),
  }
}

export function receipt({ id, status, pseudonym, begun, completed, removed }: ErasureRow): Erasure {
  return {
    erasureId: id,
    status: status as Erasure['status'],
    pseudonym,
    begun,
    ...(completed !== null && { completed }),
    removed,
  }
}
