/** A result is computed once, no more is kept than allowed, and nothing longer than it may be. */
import { describe, expect, test } from 'vitest'
import { createCache, memo } from './cache.ts'

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
  let calls = 0
  const failing = memo(2, () => {
    calls += 1
    throw new Error('no')
  })
  expect(() => failing('a')).toThrow('no')
  expect(() => failing('a')).toThrow('no')
  expect(calls).toBe(2)
})

test('the weight may count the string as well', () => {
  const made: string[] = []
  const nothing = memo({ weightMax: 10, weightOf: (_nothing, text) => text.length }, (text) => void made.push(text))
  for (const text of ['aaaaaa', 'bbbbbb', 'aaaaaa']) nothing(text)
  expect(made).toEqual(['aaaaaa', 'bbbbbb', 'aaaaaa'])
})

test('a heavy result replaces several', () => {
  const seen: string[] = []
  const same = memo({ weightMax: 10, weightOf: ({ length }: string) => length }, (text) => {
    seen.push(text)
    return text
  })
  for (const text of ['a', 'b', 'cccccccc', 'b', 'dd', 'b', 'cccccccc', 'e'.repeat(20), 'e'.repeat(20), 'dd'])
    same(text)
  expect(seen).toEqual(['a', 'b', 'cccccccc', 'dd', 'b', 'cccccccc', 'e'.repeat(20), 'dd'])
})

describe('a cache', () => {
  test('an entry ends at its time', () => {
    const cache = createCache<string, number>({ entriesMax: 2 })
    cache.set('a', 1, 10)
    expect([cache.get('a'), cache.get('a', 9), cache.get('a', 10)]).toEqual([1, 1, undefined])
  })

  test('an entry that is set again is the latest one, and its former weight is free', () => {
    const cache = createCache<string, string>({ weightMax: 4, weightOf: ({ length }) => length })
    cache.set('a', 'xx')
    cache.set('b', 'x')
    cache.set('a', 'xxx')
    expect([cache.get('a'), cache.get('b')]).toEqual(['xxx', 'x'])
    cache.set('c', 'x')
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['xxx', undefined, 'x'])
  })

  test('the number and the weight are bounded together', () => {
    const cache = createCache<number, number>({ entriesMax: 2, weightMax: 10, weightOf: (weight) => weight })
    for (const weight of [1, 2, 3, 9]) cache.set(weight, weight)
    expect([1, 2, 3, 9].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined, 9])
  })

  test('deleted and cleared entries do not count any more', () => {
    const cache = createCache<number, number>({ weightMax: 4, weightOf: () => 2 })
    cache.set(1, 1)
    cache.delete(1)
    cache.delete(1)
    cache.set(2, 2)
    cache.set(3, 3)
    expect([cache.get(2), cache.get(3)]).toEqual([2, 3])
    cache.clear()
    cache.set(4, 4)
    cache.set(5, 5)
    expect([cache.get(3), cache.get(4), cache.get(5)]).toEqual([undefined, 4, 5])
  })
})
