/** Fields of variables, and the data that typed texts make. */
import type { TemplateVariable } from '@postrider/client'
import { expect, test } from 'vitest'
import { type DataField, fieldsOf, isMissing, textAt, typedValue, valueAt, withoutFields, withValue } from './fields.ts'

const variable = (name: string, kind: TemplateVariable['kind'], required = true): TemplateVariable => ({
  path: name.split('.'),
  kind,
  required,
})

test('an object has a field for each key, a list one for all its items', () => {
  const fields = fieldsOf([
    variable('orderId', 'text'),
    variable('total', 'any', false),
    variable('carrier', 'object'),
    variable('carrier.name', 'text'),
    variable('items', 'list'),
    variable('items.[]', 'object'),
    variable('items.[].name', 'text'),
    variable('items.[].price', 'text'),
    variable('tags', 'list'),
    variable('extra', 'object'),
  ])
  expect(fields.map(({ name, kind, items, required }) => [name, kind, items.join(' '), required])).toEqual([
    ['orderId', 'text', '', true],
    ['total', 'any', '', false],
    ['carrier.name', 'text', '', true],
    ['items', 'json', 'name price', true],
    ['tags', 'json', '', true],
    ['extra', 'json', '', true],
  ])
  expect(fields.filter(({ isList }) => isList).map(({ name }) => name)).toEqual(['items', 'tags'])
})

test('a value goes to its path and leaves what is beside it', () => {
  const data = { order: { id: '1', total: 2 }, list: [{ name: 'a' }, { name: 'b' }] }
  expect(withValue(data, ['order', 'id'], '3')).toEqual({ ...data, order: { id: '3', total: 2 } })
  expect(withValue(data, ['list', '1', 'name'], 'c')).toEqual({ ...data, list: [{ name: 'a' }, { name: 'c' }] })
  expect(withValue({}, ['a', 'b', 'c'], 'x')).toEqual({ a: { b: { c: 'x' } } })
  expect(withValue({ a: 'text' }, ['a', 'b'], 'x')).toEqual({ a: { b: 'x' } })
  expect(Object.keys(withValue({ a: '1', b: '2' }, ['a'], '3'))).toEqual(['a', 'b'])
  expect(data).toEqual({ order: { id: '1', total: 2 }, list: [{ name: 'a' }, { name: 'b' }] })
})

test('an emptied field is removed, with the objects that become empty', () => {
  expect(withValue({ order: { carrier: { name: 'x' } } }, ['order', 'carrier', 'name'], undefined)).toEqual({})
  expect(withValue({ order: { id: '1', name: 'x' } }, ['order', 'name'], undefined)).toEqual({ order: { id: '1' } })
  expect(withValue({ n: 1 }, ['a', 'b'], undefined)).toEqual({ n: 1 })
})

test('no name reaches beyond the data', () => {
  const data = withValue({}, ['__proto__', 'polluted'], 'x')
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(JSON.stringify(data)).toBe('{"__proto__":{"polluted":"x"}}')
  expect(valueAt({}, ['constructor', 'name'])).toBeUndefined()
  expect(valueAt(data, ['__proto__', 'polluted'])).toBe('x')
})

test('text stays text; any value is what its JSON says, where its text is kept', () => {
  expect(typedValue('65.40', 'text')).toBe('65.40')
  expect(typedValue('12', 'text')).toBe('12')
  expect(typedValue('12', 'text', true)).toBe(12)
  expect(typedValue('twelve', 'text', true)).toBe('twelve')
  expect(typedValue('12.5', 'any')).toBe(12.5)
  expect(typedValue('1.50', 'any')).toBe('1.50')
  expect(typedValue('true', 'any')).toBe(true)
  expect(typedValue('{"a":1}', 'any')).toEqual({ a: 1 })
  expect(typedValue('0171', 'any')).toBe('0171')
  expect(typedValue('ha!', 'any')).toBe('ha!')
  expect(typedValue('', 'any', true)).toBeUndefined()
})

test('a value that only the former template reads is left out', () => {
  const fields = (...names: string[]) => names.map((name) => ({ path: name.split('.') }))
  const data = { code: '1', order: { id: '2' }, other: 3 }
  expect(withoutFields(data, fields('code', 'order.id'), fields('order.total'))).toEqual({
    order: { id: '2' },
    other: 3,
  })
})

test('a field shows what was typed, and says which value is missing', () => {
  const field: DataField = { path: ['a'], name: 'a', kind: 'text', isList: false, required: true, items: [] }
  expect(textAt({ a: 12.5 }, field)).toBe('12.5')
  expect(textAt({}, field)).toBe('')
  expect([isMissing(field, {}), isMissing(field, { a: '' }), isMissing({ ...field, required: false }, {})]).toEqual([
    ...[true, false, false],
  ])
})
