/** Names by locale in one setting: `de: Beispiel; pt-BR: Exemplo, Ltda`. */
import { localePattern } from '@postrider/contract'
import { closestLocale, languageTag } from '../base/locale.ts'
import { memo } from '../base/perf/cache.ts'
import { quoted } from '../base/quote.ts'

const LOCALE = new RegExp(localePattern)
const NAMES_MAX = 100

/** The end of a sentence about the setting; undefined when it can be read. Values are not repeated, locales are. */
export function namesError(text: string): string | undefined {
  const seen = new Set<string>()
  const all = entries(text)
  if (all.length > NAMES_MAX) return `must have at most ${NAMES_MAX} names`
  for (const [index, [locale, name]] of all.entries()) {
    if (!name || !LOCALE.test(locale))
      return `must have a locale, a colon and a name as entry ${index + 1}, such as \`de: Beispiel; fr: Exemple\``
    const normal = languageTag(locale).toLowerCase()
    if (seen.has(normal)) return `must not have two names for ${quoted(locale)}`
    seen.add(normal)
  }
  return undefined
}

/** The name for a locale, or for its language. */
export function nameFor(text: string | undefined, locale: string | undefined): string | undefined {
  if (!text || !locale) return undefined
  const names = namesOf(text)
  const closestName = closestLocale(names.keys(), locale)
  return closestName && names.get(closestName)
}

/** A semicolon at the end begins no entry. */
function entries(text: string): (readonly [locale: string, name: string])[] {
  const items = text.replace(/;\s*$/, '').split(';')
  return items.map((item) => {
    const colon = item.indexOf(':')
    return colon < 0 ? ['', ''] : [item.slice(0, colon).trim(), item.slice(colon + 1).trim()]
  })
}

/** Settings of integrations are read again with every mail. */
const namesOf = memo(1_000, (text): ReadonlyMap<string, string> => new Map(entries(text)))
