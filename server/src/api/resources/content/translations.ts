/** /translations: stored as given, given back as one text. */
import { notFound } from '../../../base/errors.ts'
import { findTranslation, putTranslation } from '../../../database/tables/notifications/translations.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

export const translations = {
  'translations.get': async ({ params }, { app, caller }) => {
    const content = await findTranslation(app.database, { workspaceId: caller.workspaceId, ...params })
    if (content === undefined) throw notFound()
    return success('translations.get', content)
  },
  'translations.put': ({ params, body }, { caller, now }) => ({
    reply: success('translations.put', undefined),
    writes: putTranslation({ workspaceId: caller.workspaceId, ...params }, body, now),
  }),
} satisfies ResourceHandlers<'translations'>
