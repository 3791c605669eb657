/** A dry run says what the API would change, merging as it does. */
import { expect, test } from 'vitest'
import { changesBetween, changeText } from './changes.ts'

const before = { email: 'old@example.com', address: { city: 'London', zip: '1' }, tags: ['a'] }
const row = { email: 'new@example.com', address: { city: 'London', street: 'X' }, tags: ['a'], name: 'Ada' }

test('objects are merged key by key, everything else is replaced', () => {
  expect(changesBetween(before, row, false).map(changeText)).toEqual([
    'email old@example.com → new@example.com',
    'address.street = X',
    'name = Ada',
  ])
})

test('fields that a replacement leaves out are removed', () => {
  expect(changesBetween(before, row, true).map(changeText)).toContain('address.zip 1 → nothing')
  expect(changesBetween(before, before, true)).toEqual([])
})
