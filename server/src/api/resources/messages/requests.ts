/** /requests: how far a call that means many messages has come, and whether lists still show them. */
import type { SendRequest } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { archive, findMessage, isArchived } from '../../../database/tables/messages/messages.ts'
import { findRequest } from '../../../database/tables/messages/requests.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

export const requests = {
  'requests.get': async ({ params: { request_id } }, { app, caller }) => {
    const row = await findRequest(app.database, caller.workspaceId, request_id)
    if (row) {
      const { created, enqueued, failures, archived, error } = row
      const record = { created, enqueued, failures, archived, ...(error !== null && { error }) }
      const { kind, status } = row as unknown as Pick<SendRequest, 'kind' | 'status'>
      return success('requests.get', { requestId: request_id, kind, status, ...record })
    }
    const message = await findMessage(app.database, caller.workspaceId, request_id)
    if (!message) throw notFound()
    return success('requests.get', {
      requestId: request_id,
      kind: 'send',
      status: 'COMPLETED',
      created: message.enqueued,
      enqueued: 1,
      failures: 0,
      archived: message.archived,
    })
  },
  'requests.archive': ({ params: { request_id } }, { caller }) => ({
    writes: archive(caller.workspaceId, request_id),
    replyFrom(results) {
      if (!isArchived(results)) throw notFound()
      return success('requests.archive', undefined)
    },
  }),
} satisfies ResourceHandlers<'requests'>
