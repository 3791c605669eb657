/** The receipt of an erasure, and how one is begun. */
import type { Erasure } from '@postrider/contract'
import { failpoint } from '../../base/failpoint.ts'
import { timedId } from '../../base/ids.ts'
import { beginErasure, type ErasureRow } from '../../database/tables/erasure/erasures.ts'
import { FIRST_STEP } from '../../erasure/erase.ts'
import { pseudonymOf } from '../../erasure/pseudonym.ts'
import type { Call } from '../call.ts'

/** On disk when it resolves: what is known about the person is gone, and nothing is sent to them any more. */
export async function beginErasing(person: string, { house, caller, now }: Call): Promise<Erasure> {
  const { workspaceId } = caller
  const pseudonym = pseudonymOf(house.secretKey, workspaceId, person)
  const begun = { id: timedId(now), workspaceId, person, pseudonym, now }
  const row = await beginErasure(house.engine, begun, FIRST_STEP)
  failpoint('after-erasure-begin')
  house.erasure.wake()
  return receipt(row)
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
