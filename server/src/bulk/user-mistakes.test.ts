/** Mistakes in the users of a job are named, the first of many. */
import { expect, test } from 'vitest'
import { userMistakes } from './user-mistakes.ts'

test('the first of many mistakes are named', () => {
  const users = Array.from({ length: 1_000 }, (_, n) => ({ profile: { zoneinfo: `Europe/Berln${n}` } }))
  expect(userMistakes(users)).toHaveLength(10)
})
