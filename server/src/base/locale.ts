/** The best of several locales for a requested one: lookup as in RFC 4647 §3.4, whatever the case and the separator. */

const normal = (locale: string) => locale.toLowerCase().replaceAll('_', '-')

/** `de-AT` finds `de-at`, `de_AT` or `de`. Undefined when not even the language is there. */
export function closestLocale<Locale extends string>(
  available: Iterable<Locale>,
  requested: string | undefined,
): Locale | undefined {
  if (!requested) return undefined
  const byName = new Map([...available].map((locale) => [normal(locale), locale]))
  const parts = normal(requested).split('-')
  for (; parts.length > 0; parts.pop()) {
    const closestName = byName.get(parts.join('-'))
    if (closestName !== undefined) return closestName
  }
  return undefined
}
