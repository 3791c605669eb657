/** Tables come after those they reference, and a cycle is an error instead of an endless search. */
import { expect, test } from 'vitest'
import { inOrderOfReference, selfReferences, type Table } from './catalog.ts'

const column = (name: string) => ({ name, type: 'text', length: -1, generated: false, identity: false })
const table = (name: string, ...references: string[]): Table => ({
  ...{ name, columns: ['id', 'other'].map(column), key: [column('id')], triggers: false, rowsEstimated: 0 },
  references: references.map((other) => ({ table: other, columns: ['id', 'other'] })),
})

test('referenced tables come first, and a table may reference itself', () => {
  const ordered = inOrderOfReference([table('c', 'b', 'a'), table('b', 'a', 'b'), table('d'), table('a')])
  const names = ordered.map(({ name }) => name)
  expect(names.indexOf('a')).toBeLessThan(names.indexOf('b'))
  expect(names.indexOf('b')).toBeLessThan(names.indexOf('c'))
  expect(names.toSorted()).toEqual(['a', 'b', 'c', 'd'])
})

test('a cycle is an error', () => {
  expect(() => inOrderOfReference([table('a', 'b'), table('b', 'a')])).toThrow('in a cycle: a,b')
})

test('a reference to the same table sets only the columns outside the key later', () => {
  expect(selfReferences(table('a', 'a'))).toEqual(['other'])
  expect(selfReferences(table('a', 'b'))).toEqual([])
})
