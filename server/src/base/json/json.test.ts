/** Merging promises depth for objects, replacement for everything else, and clean hands. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonObject, merge } from './json.ts'

test('objects merge key by key, arrays and scalars are replaced', () => {
  const base = { a: { b: 1, c: [1, 2] }, d: 'x', e: null }
  expect(merge(base, { a: { c: [3], f: true }, d: { g: 1 }, e: 2 })).toEqual({
    a: { b: 1, c: [3], f: true },
    d: { g: 1 },
    e: 2,
  })
})

test('neither side is changed', () => {
  const json = fc.object({ maxDepth: 4, values: [fc.integer(), fc.string(), fc.constant(null)] })
  fc.assert(
    fc.property(json, json, (base, over) => {
      const before = JSON.stringify([base, over])
      merge(base as JsonObject, over as JsonObject)
      expect(JSON.stringify([base, over])).toBe(before)
    }),
  )
})

test('what is merged in wins, and merging it again changes nothing', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(json, json, (base, over) => {
      const once = merge(base, over)
      expect(merge(once, over)).toEqual(once)
    }),
  )
})

test('an own __proto__ key pollutes nothing', () => {
  const over = JSON.parse('{"__proto__": {"polluted": true}, "a": {"__proto__": {"polluted": true}}}')
  const merged = merge({ a: {} }, over)
  expect((merged as { polluted?: unknown }).polluted).toBeUndefined()
  expect((merged.a as { polluted?: unknown }).polluted).toBeUndefined()
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})
