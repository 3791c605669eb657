/** Columns become the fields that their names mean, and rows the users of a job. */
import { expect, test } from 'vitest'
import { columnError, guessColumns, readRow } from './columns.ts'

const idOfLine = (line: number) => `row-${line}`
const read = (header: string[], cells: string[]) => readRow({ line: 7, cells }, guessColumns(header), idOfLine)

test.each([
  ['Kundennummer', 'recipient', 'Kundennummer'],
  ['user_id', 'recipient', 'user_id'],
  ['E-Mail', 'email', 'E_Mail'],
  ['profile.email', 'email', 'email'],
  ['Mobile number', 'phone_number', 'Mobile_number'],
  ['Sprache', 'locale', 'Sprache'],
  ['profile.plan', 'profile', 'plan'],
  ['profile.id', 'profile', 'id'],
  ['First name', 'data', 'First_name'],
  ['data.email', 'data', 'email'],
  ['', 'ignored', ''],
])('%j is %s', (header, kind, name) => {
  expect(guessColumns([header])).toMatchObject([{ header, kind, name }])
})

test('a field has one column', () => {
  expect(guessColumns(['id', 'email', 'mail']).map(({ kind }) => kind)).toEqual(['recipient', 'email', 'data'])
})

test('a row is a user with nested values of their types', () => {
  expect(
    read(
      ['id', 'email', 'data.order.total:number', 'data.items:json', 'data.gift:boolean'],
      ['ada', 'a@b.c', '7.5', '[1]', 'ja'],
    ),
  ).toEqual({
    user: { recipient: 'ada', profile: { email: 'a@b.c' }, data: { order: { total: 7.5 }, items: [1], gift: true } },
  })
})

test('a row with an address and no id has the id of its line', () => {
  expect(read(['id', 'email'], ['', 'a@b.c'])).toEqual({ user: { recipient: 'row-7', profile: { email: 'a@b.c' } } })
})

test.each([
  [['id', 'name'], ['', 'Ada'], 'unreachable'],
  [['email'], ['not an address'], 'email'],
  [['id', 'data.n:number'], ['a', 'seven'], 'type'],
  [['id', 'data.n:json'], ['a', '{'], 'type'],
  [['id'], ['a', 'b'], 'cells'],
  [['id', 'data.a', 'data.a.b'], ['a', '1', '2'], 'path'],
  [['id'], ['x'.repeat(300)], 'id'],
])('%j with %j is refused as %s', (header, cells, code) => {
  expect(read(header, cells)).toMatchObject({ problem: { code } })
})

test('a name that was typed leads to no prototype', () => {
  const columns = [...guessColumns(['id']), { header: 'b', kind: 'data', name: '__proto__.b', type: 'text' } as const]
  expect(readRow({ line: 2, cells: ['a', '1'] }, columns, idOfLine)).toMatchObject({ problem: { code: 'path' } })
})

test('columns cannot be used without a way to the recipient, without a name, or twice', () => {
  expect(columnError(guessColumns(['name']))).toBe('unreachable')
  expect(columnError([{ header: 'x', kind: 'data', name: '', type: 'text' }])).toBe('nameless')
  expect(columnError(guessColumns(['id', 'a b', 'a-b']))).toBe('twice')
  expect(columnError(guessColumns(['email', 'name']))).toBeUndefined()
})
