/** A pseudonym is stable and cannot be traced; the pattern matches only fields that identify a user. */
import { expect, test } from 'vitest'
import { secretKey } from '../base/secret.ts'
import { namingPattern, pseudonymOf } from './pseudonym.ts'

test('a pseudonym is unique for a person, a workspace and a key', () => {
  const [one, two] = [1, 2].map((byte) => secretKey(Buffer.alloc(32, byte)))
  const names = [
    pseudonymOf(one!, 1, 'ada'),
    pseudonymOf(one!, 2, 'ada'),
    pseudonymOf(one!, 1, 'bob'),
    pseudonymOf(two!, 1, 'ada'),
  ]
  expect(new Set(names).size).toBe(4)
  expect(pseudonymOf(one!, 1, 'ada')).toBe(names[0])
  expect(names[0]).toMatch(/^erased-[0-9a-f]{32}$/)
})

test.each([
  ['ada', '{"user_id":"ada"}', true],
  ['ada', '{"recipient": "ada"}', true],
  ['ada', '{"recipientId":"ada"}', true],
  ['ada', '{"user_id":"adam"}', false],
  ['ada', '{"name":"ada"}', false],
  ['a.a', '{"user_id":"aba"}', false],
  ['a"\\(b', JSON.stringify({ memberId: 'a"\\(b' }), true],
  ['ädä🎈', JSON.stringify({ userId: 'ädä🎈' }), true],
])('%s in %s: %s', (person, text, names) => {
  expect(new RegExp(namingPattern(person), 'u').test(text)).toBe(names)
})
