/** /erasures: started by the deletion of a profile; records of people who were removed everywhere. */

import type { Erasure } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { failpoint } from '../../../base/failpoint.ts'
import { timedId } from '../../../base/ids.ts'
import type { Reader } from '../../../database/engine.ts'
import {
  type ErasureRow,
  findErasure,
  startErasure,
  startedErasure,
} from '../../../database/tables/erasure/erasures.ts'
import { assignSuppressions } from '../../../database/tables/suppressions/suppressions.ts'
import { listUserTenants } from '../../../database/tables/tenants/memberships.ts'
import { findProfile, listDeviceTokens } from '../../../database/tables/users/users.ts'
import { receivedTextsDelete } from '../../../database/tables/webhooks/webhook-outbox.ts'
import { FIRST_STEP } from '../../../erasure/erase.ts'
import { pseudonymOf } from '../../../erasure/redact.ts'
import { addressesIn, type NormalAddress, normalAddress, shownAddress } from '../../../providers/address.ts'
import { type CallContext, success } from '../../call.ts'
import type { ResourceHandlers, WorkWithResults } from '../../outcome.ts'

export const erasures = {
  'erasures.get': async ({ params: { erasure_id } }, { app, caller }) => {
    const row = await findErasure(app.database, caller.workspaceId, erasure_id)
    if (!row) throw notFound()
    return success('erasures.get', record(row))
  },
} satisfies ResourceHandlers<'erasures'>

/** Once it is committed, what is known about the person is gone, and nothing is sent to them any more. */
export async function startErasing(person: string, { app, caller, now }: CallContext): Promise<WorkWithResults> {
  const { workspaceId, name: actor } = caller
  const pseudonym = pseudonymOf(app.secretKey, workspaceId, person)
  const addresses = await addressesOf(app.database, workspaceId, person)
  const numbers = addresses.filter(({ kind }) => kind === 'phone_number').map(shownAddress)
  return {
    writes: [
      ...startErasure({ id: timedId(now), workspaceId, person, pseudonym, actor, now }, FIRST_STEP),
      // Those that callers added: what leads to them is gone afterwards.
      ...(addresses.length > 0 ? [assignSuppressions(workspaceId, person, addresses)] : []),
      ...(numbers.length > 0 ? [receivedTextsDelete(workspaceId, numbers)] : []),
    ],
    afterCommit() {
      failpoint('after-erasure-begin')
      app.jobs.wake('erasure')
    },
    replyFrom: (results) => ({ status: 202, body: record(startedErasure(results)) }),
  }
}

/** More than anyone is a member of; it bounds the read. */
const TENANTS_MAX = 1_000

/** The addresses that are stored of a person, in normal form. */
async function addressesOf(database: Reader, workspaceId: number, person: string): Promise<NormalAddress[]> {
  const [storedProfile, memberships, tokens] = await Promise.all([
    findProfile(database, workspaceId, person),
    listUserTenants(database, workspaceId, person, undefined, TENANTS_MAX),
    listDeviceTokens(database, workspaceId, person),
  ])
  const profiles = [
    ...(storedProfile ? [storedProfile.profile] : []),
    ...memberships.rows.map(({ profile }) => profile),
  ]
  return [
    ...profiles.flatMap(addressesIn),
    ...tokens.flatMap(({ token }) => normalAddress('device_token', token) ?? []),
  ]
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
