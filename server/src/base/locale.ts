/** The best of several locales for a wanted one: lookup as in RFC 4647 §3.4, whatever the case and the separator. */

const normal = (locale: string) => locale.toLowerCase().replaceAll('_', '-')

/** `de-AT` finds `de-at`, `de_AT` or `de`. Undefined when not even the language is there. */
export function closestLocale<Locale extends string>(
  available: Iterable<Locale>,
  wanted: string | undefined,
): Locale | undefined {
  if (!wanted) return undefined
  const byName = new Map([...available].map((locale) => [normal(locale), locale]))
  const parts = normal(wanted).split('-')
  for (; parts.length > 0; parts.pop()) {
    const found = byName.get(parts.join('-'))
    if (found !== undefined) return found
  }
  return undefined
}
