/** Empty values that do not fit a schema are read as absent; everything else stays as it is. */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { readLiberally } from './lenient-reader.ts'

const { Array: List, Integer, Null, Object: Fields, Optional, String: Text, Union, Unsafe } = Type

const map = Unsafe<Record<string, unknown>>({ type: 'object' })
const schema = Fields({
  id: Text({ minLength: 1 }),
  title: Optional(Text()),
  brand: Optional(Union([Text({ minLength: 1 }), Null()])),
  count: Optional(Integer()),
  data: Optional(Union([map, Null()])),
  tags: Optional(List(Text())),
  by: Optional(Type.Record(Text(), Fields({ status: Optional(Text({ pattern: '^[A-Z]+$' })) }))),
  to: Optional(Union([Fields({ email: Optional(Text({ minLength: 1 })) }), List(Fields({ data: Optional(map) }))])),
})

test.each<[string, unknown, unknown]>([
  ['an empty list for an object', { id: 'a', data: [] }, { id: 'a', data: {} }],
  ['an empty list for a map', { id: 'a', by: [] }, { id: 'a', by: {} }],
  ['an empty list in a map', { id: 'a', by: { x: [] } }, { id: 'a', by: { x: {} } }],
  ['an empty list in a list', { id: 'a', to: [{ data: [] }] }, { id: 'a', to: [{ data: {} }] }],
  ['an empty list for the whole', [], {}],
  ['an empty string for a name', { id: 'a', brand: '' }, { id: 'a' }],
  ['an empty string for a number', { id: 'a', count: '' }, { id: 'a' }],
  ['an empty string for an object', { id: 'a', data: '' }, { id: 'a' }],
  [
    'an empty string deeper',
    { id: 'a', to: { email: '' }, by: { x: { status: '' } } },
    { id: 'a', to: {}, by: { x: {} } },
  ],
])('%s', (_what, value, read) => {
  expect(readLiberally(schema, value)).toEqual(read)
})

test.each<[string, unknown]>([
  ['an empty list where a list fits', { id: 'a', tags: [], to: [] }],
  ['a list that is not empty', { id: 'a', data: [1] }],
  ['an empty string where one fits', { id: 'a', title: '' }],
  ['an empty string that is required', { id: '' }],
  ['an empty string in an object of any content', { id: 'a', data: { x: '', y: [] } }],
  ['an unknown field', { id: 'a', other: '', more: [] }],
  ['a key `__proto__`', JSON.parse('{"id":"a","__proto__":{"x":1}}')],
  ['what does not fit at all', { id: 7, data: 'x', tags: {} }],
])('%s stays', (_what, value) => {
  expect(readLiberally(schema, value)).toEqual(value)
  expect(JSON.stringify(readLiberally(schema, value))).toBe(JSON.stringify(value))
})
