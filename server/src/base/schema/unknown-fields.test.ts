/** Fields that a schema does not have are named with their place, and objects that take any field stay unchecked. */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { checkFieldNames, collectWarnings, reportUnknownFields } from './unknown-fields.ts'

const Style = Type.Object({ color: Type.String(), size: Type.Optional(Type.Union([Type.Number(), Type.Null()])) })
const Schema = Type.Object({
  name: Type.String(),
  style: Type.Optional(Type.Union([Style, Type.Null()])),
  items: Type.Array(Type.Union([Style, Type.String()])),
  byName: Type.Record(Type.String(), Style),
  data: Type.Unsafe<object>({ type: 'object' }),
  open: Type.Object({ known: Type.Optional(Type.String()) }, { additionalProperties: true }),
  any: Type.Unknown(),
})

const unknownIn = (value: unknown) => {
  const { warnings, report } = collectWarnings()
  reportUnknownFields(Schema, value, report)
  return warnings
}

test.each([
  [{ nmae: 'x' }, 'Unknown field `nmae`. Did you mean `name`?'],
  [{ style: { colro: 'red' } }, 'Unknown field `colro` at style. Did you mean `color`?'],
  [{ items: ['a', { color: 'red', weight: 1 }] }, 'Unknown field `weight` at items.1. items.1 has `color`, `size`.'],
  [{ byName: { 'a.b': { colr: 1 } } }, 'Unknown field `colr` at byName.a.b. Did you mean `color`?'],
])('%j: %s', (value, sentence) => {
  expect(unknownIn(value)).toEqual([sentence])
})

test('fields of which one is needed are all known, and others are not', () => {
  const change = { profile: Type.Optional(Type.String()), patch: Type.Optional(Type.String()) }
  const Body = Type.Object(change, { anyOf: [{ required: ['profile'] }, { required: ['patch'] }] })
  const { warnings, report } = collectWarnings()
  reportUnknownFields(Body, { profile: 'x', patsh: 'y' }, report)
  expect(warnings).toEqual(['Unknown field `patsh`. Did you mean `patch`?'])
})

test('nothing is said of objects that take any field, nor of a field without a value', () => {
  expect(unknownIn({ data: { a: { b: 1 } }, open: { other: { x: 1 } }, any: { x: 1 }, nmae: null })).toEqual([])
  expect(unknownIn('text')).toEqual([])
})

test('fields of a send are found however deep they are, and known ones are silent', () => {
  const check = (fields: object) => {
    const { warnings, report } = collectWarnings()
    checkFieldNames(Schema, { ...fields }, { at: '', what: 'a send', report })
    return warnings
  }
  expect(check({ name: 'x', style: { color: 'red' }, data: { any: 1 }, gone: null })).toEqual([])
  expect(check({ style: { color: 'red', sice: 1 } })).toEqual(['Unknown field `sice` at style. Did you mean `size`?'])
  expect(check({ style: { $ref: 'data.style', sice: 1 } })).toEqual([])
  expect(check({ style: { color: 1 }, dta: 1 })).toEqual(['Unknown field `dta`. Did you mean `data`?'])
  // All names are listed once.
  const all = 'A send has `name`, `style`, `items`, `byName`, `data`, `open`, `any`.'
  expect(check({ xxxxx: 1, yyyyy: 1, style: { zzzzz: 1 } })).toEqual([
    ...[`Unknown field \`xxxxx\`. ${all}`, 'Unknown field `yyyyy`.'],
    'Unknown field `zzzzz` at style. Style has `color`, `size`.',
  ])
})
