/** A row is compared with the user that a job shows: by content, and a masked value is any value. */
import { expect, test } from 'vitest'
import { isShownAs } from './job.ts'

test('the same content is the same user, in any order of its keys', () => {
  const shown = { recipient: 'a', profile: { email: 'a@b.c', tags: ['x', null] }, data: {} }
  const same = { data: [], profile: { tags: ['x', null], email: 'a@b.c' }, recipient: 'a' }
  expect(isShownAs(same, shown)).toBe(true)
  for (const profile of [
    ...[{ email: 'new@b.c', tags: ['x', null] }, { email: 'a@b.c', tags: ['x'] }, { email: 'a@b.c' }, null, 'a@b.c'],
    ...[
      { email: 'a@b.c', tags: { 0: 'x', 1: null } },
      { ...shown.profile, locale: 'de' },
    ],
  ])
    expect(isShownAs({ ...same, profile }, shown)).toBe(false)
})

test('a masked value is any value, and not a missing one', () => {
  const shown = { profile: { expo: { token: '********' }, email: 'a@b.c' } }
  expect(isShownAs({ profile: { expo: { token: 'T' }, email: 'a@b.c' } }, shown)).toBe(true)
  expect(isShownAs({ profile: { expo: { token: 'T' }, email: 'new@b.c' } }, shown)).toBe(false)
  expect(isShownAs({ profile: { expo: {}, email: 'a@b.c' } }, shown)).toBe(false)
})
