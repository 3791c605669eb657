/** A call has as many rows as it takes, of a size that a body can have. */
import { expect, test } from 'vitest'
import { byBody } from './bodies.ts'
import type { Row } from './read.ts'

const entry = (line: number, text = '', columns = 1): { row: Row; text: string } => ({
  row: { line, values: Array.from({ length: columns }, (_, n) => [`${n}`, '']), original: [] },
  text,
})
const linesOf = (entries: readonly ReturnType<typeof entry>[], rowsMax: number) =>
  [...byBody(entries, rowsMax, ({ text }) => ({ text }))].map((part) => part.map(({ row }) => row.line))

test('rows are divided by their count, their bytes and their members, in their order', () => {
  const few = [1, 2, 3, 4, 5].map((line) => entry(line))
  expect(linesOf([], 2)).toEqual([])
  expect(linesOf(few, 2)).toEqual([[1, 2], [3, 4], [5]])
  const large = [entry(1, 'é'.repeat(1_000_000)), entry(2, 'e'.repeat(1_500_000)), entry(3)]
  expect(linesOf(large, 9)).toEqual([[1], [2, 3]])
  const wide = [entry(1, '', 40_000), entry(2, '', 40_000), entry(3)]
  expect(linesOf(wide, 9)).toEqual([[1], [2, 3]])
})

test('a row that is too large by itself is a call of its own', () => {
  expect(linesOf([entry(1), entry(2, 'x'.repeat(7_000_000)), entry(3)], 9)).toEqual([[1], [2], [3]])
})
