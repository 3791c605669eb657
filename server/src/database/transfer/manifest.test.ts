/** A digest names a set of rows: their order and how they were divided make no difference, anything else does. */
import { expect, test } from 'vitest'
import { addDigests, emptyDigest, rowsDigest } from './manifest.ts'

const rows = ['{"id":1}', '{"id":2,"text":"\ufeff𝒜"}', '{"id":3}', '{"id":3}']

test('parts in any order add up to the whole', () => {
  const [first = '', ...rest] = rows
  expect(addDigests(rowsDigest(rest.toReversed()), rowsDigest([first]))).toBe(rowsDigest(rows))
  expect(addDigests(emptyDigest, rowsDigest(rows))).toBe(rowsDigest(rows))
  expect(rowsDigest([])).toBe(emptyDigest)
})

test('a row more, a row less, a row twice and a changed row are seen', () => {
  const others = [rows.slice(1), [...rows, '{"id":4}'], rows.slice(0, 3), rows.map((row) => row.replace('2', '5'))]
  expect(new Set([...others, rows].map(rowsDigest)).size).toBe(5)
})

test('sums stay within their bits', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => String(index))
  expect(rowsDigest(many)).toMatch(/^[0-9a-f]{32}$/)
  expect(addDigests('f'.repeat(32), `${'0'.repeat(31)}2`)).toBe(`${'0'.repeat(31)}1`)
})
