/** The texts of a template that the catalogs of a workspace do not translate, a warning for each locale. */
import { quoted } from '../base/quote.ts'
import type { Reader } from '../database/engine.ts'
import { translationsInForce, translationVersions } from '../database/tables/notifications/translations.ts'
import type { Template } from '../templates/template.ts'
import { localeChain, readCatalog, translate } from '../templates/translations/catalog.ts'

/** Reading catalogs takes time; this many are compared. */
const LOCALES_MAX = 20
/** Named in one warning; the rest is counted. */
const TEXTS_SHOWN = 3

export async function missingTranslations(engine: Reader, workspaceId: number, template: Template): Promise<string[]> {
  const texts = [...template.textsToTranslate.values()]
  if (texts.length === 0) return []
  const inForce = (await translationsInForce(engine, [workspaceId])).slice(0, LOCALES_MAX)
  if (inForce.length === 0) return ['There are no translations: its texts are shown as they were written.']
  const rows = await translationVersions(
    engine,
    inForce.map(({ locale, version }) => ({ workspaceId, locale, version })),
  )
  const catalogs = new Map(rows.map(({ locale, content }) => [locale, readCatalog(locale, content)]))
  return [...catalogs.keys()].flatMap((locale) => {
    const chain = localeChain(catalogs.keys(), locale).flatMap((name) => catalogs.get(name) ?? [])
    const missing = texts.filter((text) => translate(chain, text) === undefined)
    if (missing.length === 0) return []
    const shown = missing.slice(0, TEXTS_SHOWN).map(({ message }) => quoted(message.slice(0, 60)))
    const more = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : ''
    return [`${quoted(locale)} has no translation of ${shown.join(', ')}${more}.`]
  })
}
