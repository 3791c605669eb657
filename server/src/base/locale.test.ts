/** Lookup of a locale among those that are there. */
import { expect, test } from 'vitest'
import { closestLocale } from './locale.ts'

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
])('among %j for %s: %s', (available, requested, closestName) => {
  expect(closestLocale(available, requested)).toBe(closestName)
})
