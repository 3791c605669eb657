/** The locale of times and numbers: the language of the page, as it is written where the reader is. */

/** `preferred`: the languages of the browser, the first of which names the reader's region. */
export function localeFor(language: string, preferred: readonly string[]): string {
  const locales = preferred.flatMap(parsed)
  const locale = locales.find((each) => each.language === language) ?? new Intl.Locale(language)
  // 12 hours only where the language and the region have them.
  return is24Hours(locales[0] ?? locale) && !is24Hours(locale)
    ? new Intl.Locale(locale, { hourCycle: 'h23' }).toString()
    : locale.toString()
}

const is24Hours = (locale: Intl.Locale) =>
  new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hourCycle === 'h23'

/** Some systems name a language that no standard knows, such as `en-US@posix`. */
function parsed(name: string): Intl.Locale[] {
  try {
    return [new Intl.Locale(name)]
  } catch {
    return []
  }
}
