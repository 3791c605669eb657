/** POST /notifications/:id/changes: effects of publishing. */
import { comparedPage } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { payloadOf } from '../../../notifications/notification.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { requireNotification } from './notifications.ts'

export const notificationChanges = {
  'notifications.changes': async ({ params, body }, ctx) => {
    const { notification, limit = comparedPage } = body ?? {}
    const { id: notificationId, published, draft: version } = await requireNotification(ctx, params.id)
    if (published === null) throw notFound('Nothing is published')
    const draft = notification ? payloadOf(notification) : version
    const comparison = { notificationId, published, draft, limit }
    return success('notifications.changes', await ctx.app.pipeline.changes(ctx.caller.workspaceId, comparison))
  },
} satisfies Partial<ResourceHandlers<'notifications'>>
