/** /notifications/:id/:submission_id/checks: written, read back, deleted. */
import type { NotificationCheck } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { deleteChecks, findChecks, putChecks } from '../../../database/tables/notifications/notifications.ts'
import { type CallContext, success } from '../../call.ts'
import { orNotFound, type ResourceHandlers } from '../../outcome.ts'
import { requireNotification } from './notifications.ts'

export const notificationChecks = {
  'notifications.checks': async ({ params }, ctx) => {
    const checks = await findChecks(ctx.app.database, await place(ctx, params))
    if (!checks) throw notFound()
    return success('notifications.checks', { checks: checks as NotificationCheck[] })
  },
  'notifications.replaceChecks': async ({ params, body }, ctx) => {
    const checks = body.checks.map(({ id, type, status }) => ({ id, type, status, updated: ctx.now }))
    return {
      reply: success('notifications.replaceChecks', { checks }),
      writes: putChecks(await place(ctx, params), checks, ctx.now),
    }
  },
  'notifications.deleteChecks': async ({ params }, ctx) => ({
    reply: success('notifications.deleteChecks', undefined),
    writes: deleteChecks(await place(ctx, params), ctx.now),
    onConflict: orNotFound,
  }),
} satisfies Partial<ResourceHandlers<'notifications'>>

async function place(ctx: CallContext, { id, submission_id }: { id: string; submission_id: string }) {
  const notification = await requireNotification(ctx, id)
  return { workspaceId: ctx.caller.workspaceId, notificationId: notification.id, submissionId: submission_id }
}
