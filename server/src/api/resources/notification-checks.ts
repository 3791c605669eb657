/** /notifications/:id/:submission_id/checks: written, read back, forgotten. */
import type { NotificationCheck } from '@postrider/contract'
import { notFound } from '../../base/errors.ts'
import { deleteChecks, findChecks, putChecks } from '../../database/tables/notifications/notification-checks.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'
import { known } from '../records/notification-versions.ts'

export const notificationChecks = {
  'notifications.checks': async ({ params }, call) => {
    const checks = await findChecks(call.house.engine, await place(call, params))
    if (!checks) throw notFound()
    return success('notifications.checks', { checks: checks as NotificationCheck[] })
  },
  'notifications.replaceChecks': async ({ params, body }, call) => {
    const checks = body.checks.map(({ id, type, status }) => ({ id, type, status, updated: call.now }))
    await putChecks(call.house.engine, await place(call, params), checks, call.now)
    return success('notifications.replaceChecks', { checks })
  },
  'notifications.deleteChecks': async ({ params }, call) => {
    if (!(await deleteChecks(call.house.engine, await place(call, params), call.now))) throw notFound()
    return success('notifications.deleteChecks', undefined)
  },
} satisfies Partial<ResourceHandlers<'notifications'>>

async function place(call: Call, { id, submission_id }: { id: string; submission_id: string }) {
  const notification = await known(call, id)
  return { workspaceId: call.caller.workspaceId, notificationId: notification.id, submissionId: submission_id }
}
