/** Variables of a template: their names, missing values and sample data. */
import { expect, test } from 'vitest'
import { hasValue, missingIn, missingNames, sampleData, variableName } from './variables.ts'

test('a path is written as authors write it', () => {
  expect(variableName(['order', 'items', '[]', 'name'])).toBe('order.items[].name')
})

test('a variable of a list is there when every item has it', () => {
  expect(hasValue({ items: [{ name: 'a' }, { name: 'b' }] }, ['items', '[]', 'name'])).toBe(true)
  expect(hasValue({ items: [{ name: 'a' }, {}] }, ['items', '[]', 'name'])).toBe(false)
  expect(hasValue({ items: 'a' }, ['items', '[]'])).toBe(false)
  expect(hasValue({ items: [] }, ['items', '[]', 'name'])).toBe(true)
  expect(hasValue({ name: null }, ['name'])).toBe(false)
  expect(hasValue({ name: '' }, ['name'])).toBe(true)
  expect(hasValue({}, ['constructor'])).toBe(false)
})

test('the messages without a value are named', () => {
  const messages = [
    { id: '1', data: { name: 'Ada' } },
    { id: '2', data: {} },
    { id: '3', data: undefined },
  ]
  expect(missingIn(['name'], messages)).toEqual(['2', '3'])
})

test('without data each variable stands in its place as it is written', () => {
  expect(
    sampleData([
      { path: ['order'], kind: 'object' },
      { path: ['order', 'id'], kind: 'text' },
      { path: ['items'], kind: 'list' },
      { path: ['items', '[]'], kind: 'object' },
      { path: ['items', '[]', 'name'], kind: 'text' },
      { path: ['tags', '[]'], kind: 'text' },
      { path: ['vip'], kind: 'any' },
      { path: ['__proto__', 'polluted'], kind: 'text' },
    ]),
  ).toEqual({
    order: { id: '{order.id}' },
    items: [{ name: '{items[].name}' }],
    tags: ['{tags[]}'],
    vip: true,
  })
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('variables without a value are named; conditions and loops need none', () => {
  const variables = [
    { path: ['count'], kind: 'text' },
    { path: ['order', 'id'], kind: 'text' },
    { path: ['items'], kind: 'list' },
    { path: ['vip'], kind: 'any' },
  ] as const
  const writable = variables.map(({ path, kind }) => ({ path: [...path], kind }))
  expect(missingNames(writable, undefined)).toEqual(['count', 'order.id'])
  expect(missingNames(writable, { count: 0, order: {} })).toEqual(['order.id'])
})
