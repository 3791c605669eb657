/** The filters of the audit log in the address. */
import { operations } from '@postrider/contract'
import { expect, test } from 'vitest'
import { apiFilters, auditSearch, targetKinds } from './search.ts'

test('malformed filters are dropped, and digits are text', () => {
  expect(auditSearch({ kind: 'nothing', source: ['api'], from: 'yesterday', target: 42, key: '' })).toEqual({
    target: '42',
  })
})

test('the API gets them by its names', () => {
  const search = auditSearch({ kind: 'key', key: 'K', type: 'key:created', source: 'cli', from: '2026-11-01' })
  expect(apiFilters(search)).toEqual({
    ...{ target_kind: 'key', key_id: 'K', type: ['key:created'], source: 'cli', from: '2026-11-01T00:00:00.000Z' },
  })
})

test('every kind of record that an operation changes can be chosen', () => {
  const kinds = operations.flatMap(({ audit }) => audit?.split(':')[0] ?? [])
  expect(targetKinds).toEqual(expect.arrayContaining(kinds))
})
