/** Translations as definitions: one gettext catalog a locale, in `<locale>.po` as it is stored. */
import { isPostriderError, type Postrider } from '@postrider/client'
import { localePattern } from '@postrider/contract'
import { Failure } from '../failure.ts'
import { decodedText } from '../text-file.ts'
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
const CHARSET = /^("Content-Type:\s*text\/plain;\s*charset=)([\w.:-]{1,40})/im
/** The header is the first entry. */
const HEADER_BYTES_MAX = 16_384

/** Decoders read all of them as Windows-1252; that of Node 20 has controls in place of these signs. */
const LATIN = /^(?:windows-1252|cp-?1252|iso-?8859-1|latin-?1)$/i
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

const windows1252 = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\x80-\x9f]/g, (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80] ?? sign)

/** Catalogs may be in the charset that their header names; the text names UTF-8 then. */
export function catalogText(bytes: Buffer): string | undefined {
  const [, , charset = ''] = CHARSET.exec(bytes.subarray(0, HEADER_BYTES_MAX).toString('latin1')) ?? []
  // Charsets of seven bits look like UTF-8.
  const text = /^(?:iso-2022|hz-)/i.test(charset) ? undefined : decodedText(bytes)
  if (text !== undefined) return text
  if (LATIN.test(charset)) return windows1252(bytes).replace(CHARSET, '$1UTF-8')
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes).replace(CHARSET, '$1UTF-8')
  } catch (error) {
    // The decoder knows no such charset, or the bytes are none of it.
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

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
