/** A result is computed once, and no more results are kept than allowed. */
import { expect, test } from 'vitest'
import { memo } from './memo.ts'

test('a string is read once, whatever its result', () => {
  const seen: string[] = []
  const length = memo(2, (text) => {
    seen.push(text)
    return text.length || undefined
  })
  expect(['ab', '', 'ab', ''].map(length)).toEqual([2, undefined, 2, undefined])
  expect(seen).toEqual(['ab', ''])
})

test('the oldest result is dropped when there are too many', () => {
  const seen: string[] = []
  const same = memo(2, (text) => {
    seen.push(text)
    return text
  })
  for (const text of ['a', 'b', 'c', 'c', 'b', 'a']) same(text)
  expect(seen).toEqual(['a', 'b', 'c', 'a'])
})

test('a throw is not kept', () => {
  let asked = 0
  const faulty = memo(2, () => {
    asked += 1
    throw new Error('no')
  })
  expect(() => faulty('a')).toThrow('no')
  expect(() => faulty('a')).toThrow('no')
  expect(asked).toBe(2)
})

test('the weight may count the string as well', () => {
  const made: string[] = []
  const nothing = memo(
    10,
    (text) => void made.push(text),
    (_nothing, text) => text.length,
  )
  for (const text of ['aaaaaa', 'bbbbbb', 'aaaaaa']) nothing(text)
  expect(made).toEqual(['aaaaaa', 'bbbbbb', 'aaaaaa'])
})

test('a heavy result replaces several', () => {
  const seen: string[] = []
  const same = memo(
    10,
    (text) => {
      seen.push(text)
      return text
    },
    ({ length }) => length,
  )
  for (const text of ['a', 'b', 'cccccccc', 'b', 'dd', 'b', 'cccccccc', 'e'.repeat(20), 'e'.repeat(20), 'dd'])
    same(text)
  expect(seen).toEqual(['a', 'b', 'cccccccc', 'dd', 'b', 'cccccccc', 'e'.repeat(20), 'dd'])
})
