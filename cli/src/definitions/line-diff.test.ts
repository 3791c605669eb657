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
  expect(lineDiff('a\n', 'b\n')).toEqual(['@@ -1,1 +1,1 @@', '-a', '+b'])
  expect(lineDiff('a\n', 'a')).toEqual(['@@ -1,1 +1,1 @@', '-a', '+a', '\\ No newline at end of file'])
})

test('kept and added lines make up the second text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
      const lines = lineDiff(textOf(before), textOf(after)).filter((line) => !line.startsWith('@@'))
      const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
      expect(before.length - count('-') + count('+')).toBe(after.length)
    }),
  )
})

test('texts too long to compare are replaced whole, at once', () => {
  const [before, after] = ['a', 'b'].map((letter) =>
    Array.from({ length: 5_000 }, (_, n) => `${letter}${n}\n`).join(''),
  )
  expect(lineDiff(before ?? '', after ?? '')).toHaveLength(10_001)
})
