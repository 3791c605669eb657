/** Requests of operations, and the operation of a path. */
import { expect, test } from 'vitest'
import { operations } from './generated.ts'
import { operationAt, requestOf } from './operation.ts'

test('parameters are escaped, and steps up or empty ids are refused', () => {
  expect(requestOf(operations['tenants.get'], { params: { tenant_id: 'a/b c' } }).path).toBe('/tenants/a%2Fb%20c')
  for (const tenant_id of ['', '.', '..'])
    expect(() => requestOf(operations['tenants.get'], { params: { tenant_id } })).toThrow(/tenant_id cannot be/)
})

test('a path leads to its operation, the literal one before one with parameters', () => {
  expect(operationAt(operations, 'GET', '/preferences/sections')).toBe(operations['sections.list'])
  expect(operationAt(operations, 'GET', '/preferences/ada')).toBe(operations['preferences.get'])
  expect(operationAt(operations, 'GET', '/nowhere')).toBeUndefined()
})
