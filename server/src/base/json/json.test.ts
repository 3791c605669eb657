/** Merging promises depth for objects, replacement for everything else, and clean hands. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isStorable, type JsonObject, jsonError, merge, parsedJsonError, storableJson } from './json.ts'

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

test('the merged value takes precedence, and merging it again changes nothing', () => {
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

const texts = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) })
const odd = fc.oneof(
  texts,
  fc.constantFrom('\0', '\ud800', '\udfff', '\\u0000', '\\', '\\\0', '\\\\\ud800', '"\0"', '\ud83d\ude00'),
)

test('storable JSON is the same JSON with U+FFFD in the odd places', () => {
  fc.assert(
    fc.property(fc.array(odd), (values) => {
      const parsed = JSON.parse(storableJson(JSON.stringify(values)))
      expect(parsed).toEqual(values.map((value) => value.toWellFormed().replaceAll('\0', '\ufffd')))
    }),
  )
})

test('storable values do not change, keys included', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      const json = JSON.stringify(value)
      if (jsonError(value, 32) === undefined) expect(storableJson(json)).toBe(json)
    }),
  )
  expect(JSON.parse(storableJson(JSON.stringify({ 'a\0': 1 })))).toEqual({ 'a\ufffd': 1 })
})

test('a parsed value has the same faults as the original', () => {
  const keyed = fc.dictionary(fc.oneof(odd, fc.constantFrom('__proto__', '\\u005f_proto__')), odd)
  fc.assert(
    fc.property(fc.array(fc.oneof(odd, keyed, fc.constantFrom(1e308, [[]]))), (values) => {
      const json = JSON.stringify(values)
      const parsed = JSON.parse(json)
      for (const depth of [1, 2, 32]) expect(parsedJsonError(parsed, json, depth)).toBe(jsonError(parsed, depth))
    }),
  )
  for (const json of ['{"\\u005f_proto__":1}', '["\\u0000"]', '["\\uD800"]', '[1e999]', '{"__proto__":1}'])
    expect([json, parsedJsonError(JSON.parse(json), json, 32)]).not.toEqual([json, undefined])
})

test('U+0000, half a surrogate pair, depth, prototypes and infinite numbers are faults', () => {
  expect([isStorable('\ud83d\ude00'), isStorable('\0'), isStorable('\ud83d')]).toEqual([true, false, false])
  expect(jsonError({ a: ['x', null, 1, true] }, 3)).toBeUndefined()
  expect(jsonError({ a: ['\ud800'] }, 3)).toMatch(/surrogate/)
  expect(jsonError({ '\0': 1 }, 3)).toMatch(/key/)
  expect(jsonError(JSON.parse('{"__proto__":1}'), 3)).toMatch(/__proto__/)
  expect(jsonError([[[]]], 2)).toMatch(/deep/)
  expect(jsonError(JSON.parse('{"a":[1e308,-1e999]}'), 3)).toMatch(/too large/)
  expect(jsonError([1e308, -0, 5e-324], 3)).toBeUndefined()
})
