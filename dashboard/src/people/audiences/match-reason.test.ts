/** The reason of a match names the conditions that hold, in words. */
import { expect, test } from 'vitest'
import { matchReason } from './match-reason.ts'

const operators = { EQ: 'is', NEQ: 'is not', EXISTS: 'is there', LT: 'is less than', EQUAL: () => '' }

test.each([
  ["EQ('title', 'Software Engineer') => true", 'title is Software Engineer'],
  ["OR(LT('age', 20) => false, EQ('title', 'Engineer') => true) => true", 'title is Engineer'],
  ["AND(EQ('plan', 'pro (old), new') => true, EXISTS('age') => true) => true", 'plan is pro (old), new, age is there'],
  [String.raw`NEQ('title', ['it\'s', 'b\\c', true]) => true`, String.raw`title is not it's, b\c, true`],
  ["NEAR('city', 'Bonn') => true", "NEAR('city', 'Bonn') => true"],
  ['', ''],
])('%s', (reason, text) => {
  expect(matchReason(reason, operators)).toBe(text)
})
