/** Fields of records have the types that the schema has for their columns. */
import { expect, test } from 'vitest'
import { columnList, recordset, typesOf } from './query.ts'

test('records are read in the types of their columns', () => {
  const fields = { ...typesOf('messages', ['id', 'due_at', 'tags']), n: 'integer' }
  expect(recordset('$1', 'r', fields)).toBe(
    'json_to_recordset($1::json) as r(id text, due_at bigint, tags text[], n integer)',
  )
})

test('columns are listed with and without the name of their rows', () => {
  expect([columnList(['id', 'lane']), columnList(['id', 'lane'], 'r')]).toEqual(['id, lane', 'r.id, r.lane'])
})
