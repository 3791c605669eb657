/** Headers say where a cell goes and what it holds. */
import { expect, test } from 'vitest'
import { type ColumnRules, cellOf, type JsonObject, memberOf, refuseUnknownColumns, setMember } from './columns.ts'

function objectOf(cells: Record<string, unknown>, rules: ColumnRules = {}) {
  const target: JsonObject = {}
  for (const [column, raw] of Object.entries(cells)) {
    const member = memberOf(column, rules)
    const cell = member && cellOf(raw, member)
    if (!member || !cell) continue
    const problem = 'problem' in cell ? cell.problem : setMember(target, member.path, cell.value)
    if (problem) return problem
  }
  return target
}

test('dots nest, types are read, empty cells are left out, columns of errors are ignored', () => {
  const cells = {
    email: 'ada@example.com',
    'address.city': 'London',
    'address.zip': '0123',
    'tags:json': '["a",1]',
    'age:number': ' 36 ',
    'vip:boolean': 'TRUE',
    phone: '',
    '#error': 'x',
    'a\\.b': '1',
    'note:private': 'n',
  }
  expect(objectOf(cells)).toEqual({
    email: 'ada@example.com',
    address: { city: 'London', zip: '0123' },
    tags: ['a', 1],
    age: 36,
    vip: true,
    'a.b': '1',
    'note:private': 'n',
  })
})

test('columns are renamed and left out', () => {
  const rules = { map: { 'E-Mail': 'email', Tags: 'tags:json' }, ignore: ['Notes'] }
  expect(objectOf({ 'E-Mail': 'a@b.c', Tags: '[]', Notes: 'x' }, rules)).toEqual({ email: 'a@b.c', tags: [] })
  expect(() => refuseUnknownColumns(['E-Mail'], rules)).toThrow('Unknown column `Tags`')
})

test('a key like __proto__ stays a plain key', () => {
  const made = objectOf({ '__proto__.polluted': 'x' }) as JsonObject
  expect(Object.hasOwn(made, '__proto__')).toBe(true)
  expect(({} as JsonObject).polluted).toBeUndefined()
})

test.each([
  [{ 'tags:json': '[' }, 'tags must be JSON'],
  [{ 'age:number': 'old' }, 'age must be a number'],
  [{ 'vip:boolean': 'ja' }, 'vip must be true or false'],
  [
    { address: 'London', 'address.zip': '1' },
    'address.zip has no place: another column holds address, which is not an object',
  ],
])('%j is a problem of its row', (cells, problem) => {
  expect(objectOf(cells)).toBe(problem)
})

test('a name with an empty part is refused', () => {
  expect(() => memberOf('a..b', {})).toThrow('a part between its dots is empty')
})
