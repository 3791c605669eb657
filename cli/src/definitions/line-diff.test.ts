/** Promises of the line diff: the lines that differ with three around them, and nothing for texts that are the same. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

test('as diff -u shows it', () => {
  const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`)
  const changed = lines.toSpliced(5, 1, 'other').toSpliced(0, 0, 'first')
  expect(lineDiff(lines.join('\n'), changed.join('\n'))).toEqual([
    ...['@@ -1,9 +1,10 @@', '+first', ' line 0', ' line 1', ' line 2', ' line 3', ' line 4', '-line 5', '+other'],
    ...[' line 6', ' line 7', ' line 8'],
  ])
  expect(lineDiff('a', 'a')).toEqual([])
  expect(lineDiff('a', 'b')).toEqual(['@@ -1,1 +1,1 @@', '-a', '+b'])
})

test('what is left and what is new make the second text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before.join('\n'), after.join('\n')).filter((line) => !line.startsWith('@@'))
      const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
      // An empty text has one empty line.
      expect(Math.max(before.length, 1) - count('-') + count('+')).toBe(Math.max(after.length, 1))
    }),
  )
})

test('texts too long to compare are replaced whole, at once', () => {
  const [before, after] = ['a', 'b'].map((letter) =>
    Array.from({ length: 5_000 }, (_, n) => `${letter}${n}`).join('\n'),
  )
  expect(lineDiff(before ?? '', after ?? '')).toHaveLength(10_001)
})
