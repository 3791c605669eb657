/** Translations as definitions: one gettext catalog a locale, in `<locale>.po` as it is stored. */
import { isPostriderError, type Postrider } from '@postrider/client'
import { localePattern } from '@postrider/contract'
import { Failure } from '../failure.ts'
import { catalogText } from './catalog-text.ts'
import { type DefinitionKind, inParallel, type ServerDefinition } from './definition.ts'

const domain = 'default'

/** Undefined for one that was deleted meanwhile. */
async function catalogOf({ translations }: Postrider, locale: string): Promise<ServerDefinition | undefined> {
  try {
    return { id: locale, name: locale, document: { content: await translations.get(domain, locale) } }
  } catch (error) {
    if (isPostriderError(error, 'not_found')) return undefined
    throw error
  }
}

const LOCALE = new RegExp(localePattern)

export const translations: DefinitionKind = {
  noun: 'catalog',
  plural: 'translations',
  folder: 'translations',
  fields: ['content'],
  textFile: { extension: 'po', field: 'content', decode: catalogText },
  nameProblem: (name) =>
    LOCALE.test(name) ? undefined : 'is not named after a locale, as de.po, pt-BR.po, sr-Latn.po and default.po are',
  complete: (document) => document,
  brief: (document) => document,
  async readAll(client, progress) {
    const { results } = await client.translations.list()
    const locales = results.map(({ locale }) => locale)
    const definitions = await inParallel(locales, (locale) => catalogOf(client, locale), progress)
    return definitions.flatMap((each) => each ?? [])
  },
  readOne: catalogOf,
  /** Lines that the server would skip are refused: a translator would look for them in vain. */
  async check({ translations }, { name, document }) {
    const { entries, problems, warnings } = await translations.inspect({
      locale: name,
      content: String(document.content),
    })
    if (problems.length > 0) throw new Failure(problems.join('; '))
    return entries === 0 ? ['it translates nothing', ...warnings] : warnings
  },
  async write({ translations }, { name, document }) {
    await translations.put(domain, name, String(document.content))
    return document
  },
  remove: ({ translations }, locale) => translations.delete(domain, locale),
}
