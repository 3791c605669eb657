/** The locale of a page, from its language and the languages of the browser. */
import { expect, test } from 'vitest'
import { localeFor } from './locale.ts'

test('the region is that of the first language of the browser that is the language of the page', () => {
  expect(localeFor('en', ['en-GB', 'en-US'])).toBe('en-GB')
  expect(localeFor('en', ['en-US', 'en'])).toBe('en-US')
  expect(localeFor('de', ['de-CH', 'en-GB'])).toBe('de-CH')
  expect(localeFor('de', ['fr-CH', 'de-CH'])).toBe('de-CH')
  expect(localeFor('en', ['fr'])).toBe('en-u-hc-h23')
})

test('a clock has 12 hours only where both the language and the region have them', () => {
  const evening = Date.UTC(2026, 10, 27, 18, 5)
  const clock = (language: string, preferred: string[]) =>
    new Intl.DateTimeFormat(localeFor(language, preferred), { timeStyle: 'short', timeZone: 'UTC' })
      .format(evening)
      .replaceAll('\u202f', ' ')
  expect(clock('en', ['en-US'])).toBe('6:05 PM')
  expect(clock('en', ['en-GB'])).toBe('18:05')
  expect(clock('en', ['en-AU'])).toBe('6:05 pm')
  expect(clock('en', ['de-DE', 'de', 'en-US', 'en'])).toBe('18:05')
  expect(clock('en', ['ja'])).toBe('18:05')
  expect(clock('de', ['en-US'])).toBe('18:05')
  expect(clock('en', ['en-GB-u-hc-h12'])).toBe('6:05 pm')
})

test('a name that is no language counts for nothing', () => {
  expect(localeFor('en', ['en-US@posix', 'C', 'en-GB'])).toBe('en-GB')
  expect(localeFor('de', [])).toBe('de')
})
