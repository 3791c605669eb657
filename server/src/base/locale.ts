/** The best of several locales for a requested one: lookup as in RFC 4647 §3.4, however the locale is written. */

import { memo } from './perf/cache.ts'
import { quoted } from './quote.ts'

/** Modifiers of POSIX that name a script or a variant; others, such as `euro`, are about something else. */
const MODIFIERS: ReadonlyMap<string, string> = new Map([
  ...[['latin', 'Latn'] as const, ['latn', 'Latn'] as const, ['cyrillic', 'Cyrl'] as const, ['cyrl', 'Cyrl'] as const],
  ...[['devanagari', 'Deva'] as const, ['valencia', 'valencia'] as const],
])
const SCRIPT = /^[A-Za-z]{4}$/

/**
 * BCP 47, from locales of POSIX (`sr_RS.UTF-8@latin`), of ICU (`de_DE@calendar=buddhist`), of Java (`zh_TW_#Hant`) and of
 * Android (`b+sr+Latn`), and from the first of several languages (`de-AT,de;q=0.9`). Empty for the locales `C` and `POSIX`.
 */
export function languageTag(locale: string): string {
  const [first = ''] = locale.split(/[,;]/)
  const [name = '', modifier = ''] = first.trim().split('@')
  const [language = '', ...others] = name
    .replace(/\..*$/, '')
    .replace(/^b\+/, '')
    .split(/[-_+#]+/)
  if (/^(?:c|posix)$/i.test(language)) return ''
  const added = MODIFIERS.get(modifier.toLowerCase())
  const all = [...others, added ?? ''].filter((part) => part !== '')
  return [language, ...all.filter(isScript), ...all.filter((part) => !isScript(part))].join('-')
}

const isScript = (part: string) => SCRIPT.test(part)

const NORMAL_MAX = 1_000
const LENGTH_MAX = 100

const normal = (locale: string) => (locale.length > LENGTH_MAX ? '' : normalOf(locale))

const normalOf = memo(NORMAL_MAX, (locale) => languageTag(locale).toLowerCase())

/** Well-formed, of a language that has a name, or of three letters: not every such language is named here. `C` and `POSIX` stand for no language, which is known as well. */
export const isKnownLocale = (locale: string): boolean => locale.length <= LENGTH_MAX && namesLanguage(locale)

export const unknownLocale = (locale: string): string =>
  `The locale ${quoted(locale)} is not a language, as \`de\` or \`de-AT\` is.`

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

const namesLanguage = memo(NORMAL_MAX, (locale) => {
  const tag = languageTag(locale)
  if (tag === '') return /^\s*(?:c|posix)\b/i.test(locale)
  try {
    const { language } = new Intl.Locale(tag)
    return (language.length === 3 && language !== 'und') || languageNames.of(language) !== undefined
  } catch {
    return false
  }
})

/** Those that are there for a requested one, the most specific first: `de-AT` finds `de-at` or `de_AT`, and `de`. */
export function matchingLocales<Locale extends string>(
  available: Iterable<Locale>,
  requested: string | undefined,
): Locale[] {
  if (!requested) return []
  const byName = new Map([...available].map((locale) => [normal(locale), locale]))
  const parts = normal(requested).split('-')
  return parts.flatMap((_part, cut) => byName.get(parts.slice(0, parts.length - cut).join('-')) ?? [])
}

/** The most specific one; undefined when not even the language is there. */
export const closestLocale = <Locale extends string>(available: Iterable<Locale>, requested: string | undefined) =>
  matchingLocales(available, requested)[0]
