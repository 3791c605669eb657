/** Patches of a profile: the changed keys, each tested against the value that was read. */
import { expect, test } from 'vitest'
import { profilePatch } from './profile-patch.ts'

test('only changed keys are in the patch, each tested against the value that was read', () => {
  const before = { name: 'Ada', email: 'ada@example.com', address: { city: 'Wien', zip: [1, 2] } }
  const after = { name: 'Ada', email: 'ada@example.org', address: { zip: [1, 2], city: 'Wien' }, vip: true }
  expect(profilePatch(before, after)).toEqual([
    { op: 'test', path: '/email', value: 'ada@example.com' },
    { op: 'replace', path: '/email', value: 'ada@example.org' },
    { op: 'add', path: '/vip', value: true },
  ])
})

test('a key that was removed is removed, and its name is escaped', () => {
  expect(profilePatch({ 'a/b~c': null }, {})).toEqual([
    { op: 'test', path: '/a~1b~0c', value: null },
    { op: 'remove', path: '/a~1b~0c' },
  ])
})

test('an array is not an object with the same keys', () => {
  expect(profilePatch({ tags: [] }, { tags: {} })).toHaveLength(2)
})
