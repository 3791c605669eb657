/** /translations: stored as given, given back as one text. */
import { notFound } from '../../base/errors.ts'
import { findTranslation, putTranslation } from '../../database/tables/notifications/translations.ts'
import { type ResourceHandlers, success } from '../call.ts'

export const translations = {
  'translations.get': async ({ params }, { house, caller }) => {
    const content = await findTranslation(house.engine, { workspaceId: caller.workspaceId, ...params })
    if (content === undefined) throw notFound()
    return success('translations.get', content)
  },
  'translations.put': async ({ params, body }, { house, caller, now }) => {
    await putTranslation(house.engine, { workspaceId: caller.workspaceId, ...params }, body, now)
    return success('translations.put', undefined)
  },
} satisfies ResourceHandlers<'translations'>
