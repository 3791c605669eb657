/** Names by locale: which one a locale gets, and what is no list of them. */
import { expect, test } from 'vitest'
import { nameFor, namesError } from './names-by-locale.ts'

const names = 'de: Beispiel GmbH; pt-BR: Exemplo, Ltda; fr: Exemple: le service;'

test.each([
  ['de', 'Beispiel GmbH'],
  ['de-AT', 'Beispiel GmbH'],
  ['pt_BR', 'Exemplo, Ltda'],
  ['pt', undefined],
  ['fr-CA', 'Exemple: le service'],
  ['en', undefined],
  [undefined, undefined],
])('the name for %s is %s', (locale, name) => {
  expect(namesError(names)).toBeUndefined()
  expect(nameFor(names, locale)).toBe(name)
})

test.each([
  ['', 'must have a locale, a colon and a name as entry 1, such as `de: Beispiel; fr: Exemple`'],
  ['Beispiel', 'must have a locale, a colon and a name as entry 1, such as `de: Beispiel; fr: Exemple`'],
  ['de: Beispiel; fr', 'must have a locale, a colon and a name as entry 2, such as `de: Beispiel; fr: Exemple`'],
  ['de: Beispiel; : x', 'must have a locale, a colon and a name as entry 2, such as `de: Beispiel; fr: Exemple`'],
  ['de:', 'must have a locale, a colon and a name as entry 1, such as `de: Beispiel; fr: Exemple`'],
  ['de-AT: a; de_at: b', 'must not have two names for `de_at`'],
  [Array.from({ length: 101 }, (_, at) => `de-${at}: a`).join(';'), 'must have at most 100 names'],
])('%s is refused', (text, error) => {
  expect(namesError(text)).toBe(error)
})
