/** Lookup of a locale among those that are there, and whether one names a language. */
import { expect, test } from 'vitest'
import { closestLocale, isKnownLocale, languageTag, matchingLocales } from './locale.ts'

test.each([
  [['de', 'fr'], 'de', 'de'],
  [['de', 'de-AT'], 'de_at', 'de-AT'],
  [['de', 'pt_BR'], 'PT-br', 'pt_BR'],
  [['zh', 'zh-Hant'], 'zh-Hant-TW', 'zh-Hant'],
  [['de'], 'de-CH-1996', 'de'],
  [['de-AT'], 'de', undefined],
  [['de'], 'den', undefined],
  [['de'], '', undefined],
  [[], 'de', undefined],
  [['de', 'de_DE'], 'de_DE.UTF-8', 'de_DE'],
  [['sr', 'sr-Latn'], 'sr_RS@latin', 'sr-Latn'],
  [['de'], 'C', undefined],
])('among %j for %s: %s', (available, requested, closestName) => {
  expect(closestLocale(available, requested)).toBe(closestName)
})

test('all that match, the most specific first', () => {
  expect(matchingLocales(['de', 'fr', 'de_AT'], 'de-AT-1996')).toEqual(['de_AT', 'de'])
})

test.each([
  ['de_DE.UTF-8', 'de-DE'],
  ['de_AT.ISO8859-15@euro', 'de-AT'],
  ['de_DE.utf8', 'de-DE'],
  ['sr_RS.UTF-8@latin', 'sr-Latn-RS'],
  ['sr@latin', 'sr-Latn'],
  ['sr_RS@Latn', 'sr-Latn-RS'],
  ['ca_ES@valencia', 'ca-ES-valencia'],
  ['uz_UZ@cyrillic', 'uz-Cyrl-UZ'],
  ['C', ''],
  ['C.UTF-8', ''],
  ['POSIX', ''],
  ['de_DE@calendar=gregorian;collation=phonebook', 'de-DE'],
  ['en_US@rg=dezzzz', 'en-US'],
  ['zh_TW_#Hant', 'zh-Hant-TW'],
  ['b+sr+Latn+RS', 'sr-Latn-RS'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT'],
  [' pt-BR ', 'pt-BR'],
  ['de_', 'de'],
  ['zh-Hans-CN', 'zh-Hans-CN'],
  ['de-CH-1996', 'de-CH-1996'],
])('%s is %s', (locale, tag) => {
  expect(languageTag(locale)).toBe(tag)
})

test.each([
  ...['de', 'de-AT', 'de_DE.UTF-8', 'PT-br', 'zh-Hant-TW', 'sr_RS@latin', 'deu', 'gsw', 'es-419', 'en-XX', 'iw'],
  ...['C', 'POSIX', 'de-AT,de;q=0.9', 'ca_ES@valencia', 'b+sr+Latn+RS', 'de_DE_formal', 'lld', 'apc-SY'],
])('%s is a locale', (locale) => {
  expect(isKnownLocale(locale)).toBe(true)
})

test.each(['german', 'Deutsch (Österreich)', '', ' ', 'xx', 'und', 'd', '🇩🇪', '-', 'de-x'.repeat(30)])(
  '%j is no locale',
  (locale) => {
    expect(isKnownLocale(locale)).toBe(false)
  },
)
