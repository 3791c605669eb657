/** /erasures: receipts of people who were removed everywhere. */
import { notFound } from '../../base/errors.ts'
import { findErasure } from '../../database/tables/erasure/erasures.ts'
import { success } from '../call.ts'
import type { ResourceHandlers } from '../outcome.ts'
import { receipt } from '../records/erasures.ts'

export const erasures = {
  'erasures.get': async ({ params: { erasure_id } }, { app, caller }) => {
    const row = await findErasure(app.database, caller.workspaceId, erasure_id)
    if (!row) throw notFound()
    return success('erasures.get', receipt(row))
  },
} satisfies ResourceHandlers<'erasures'>
