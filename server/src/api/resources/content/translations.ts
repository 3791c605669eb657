/** /translations: catalogs stored as given, given back as one text, and read for templates. */
import { notFound } from '../../../base/errors.ts'
import { isKnownLocale, unknownLocale } from '../../../base/locale.ts'
import {
  deleteTranslation,
  findTranslation,
  listTranslations,
  putTranslation,
} from '../../../database/tables/notifications/translations.ts'
import { DEFAULT_LOCALE, readCatalog } from '../../../templates/translations/catalog.ts'
import { success } from '../../call.ts'
import { changesConfig, orNotFound, type ResourceHandlers } from '../../outcome.ts'
import { warn } from '../../warnings.ts'

export const translations = {
  'translations.list': async (_input, { app, caller }) =>
    success('translations.list', { results: await listTranslations(app.database, caller.workspaceId) }),
  'translations.inspect': ({ body: { locale = DEFAULT_LOCALE, content } }) => {
    const { texts, problems, warnings } = readCatalog(locale, content)
    return success('translations.inspect', { entries: texts.size, problems: [...problems], warnings: [...warnings] })
  },
  'translations.get': async ({ params }, { app, caller }) => {
    const content = await findTranslation(app.database, { workspaceId: caller.workspaceId, ...params })
    if (content === undefined) throw notFound()
    return success('translations.get', content)
  },
  'translations.put': ({ params, body }, ctx) => {
    const { locale } = params
    if (!isKnownLocale(locale)) warn(ctx, unknownLocale(locale))
    return {
      reply: success('translations.put', undefined),
      writes: putTranslation({ workspaceId: ctx.caller.workspaceId, ...params }, body, ctx.now),
      changesConfig,
    }
  },
  'translations.delete': ({ params }, { caller }) => ({
    reply: success('translations.delete', undefined),
    writes: deleteTranslation({ workspaceId: caller.workspaceId, ...params }),
    onConflict: orNotFound,
    changesConfig,
  }),
} satisfies ResourceHandlers<'translations'>
