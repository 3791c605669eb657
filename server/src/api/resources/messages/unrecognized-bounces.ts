/** /unrecognized-bounces: mails that came to a bounce address and were not understood. */
import { unrecognizedBouncesPage } from '@postrider/contract'
import { listUnrecognizedBounces } from '../../../database/tables/messages/unrecognized-bounces.ts'
import { paging, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

export const unrecognizedBounces = {
  'unrecognizedBounces.list': async ({ query: { cursor, limit = unrecognizedBouncesPage } }, { app, caller }) => {
    const page = await listUnrecognizedBounces(app.database, caller.workspaceId, cursor, limit)
    return success('unrecognizedBounces.list', { paging: paging(page), results: page.rows })
  },
} satisfies ResourceHandlers<'unrecognizedBounces'>
