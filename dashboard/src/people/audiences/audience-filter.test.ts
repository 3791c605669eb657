/** The filter builder: filters come back unchanged, values keep their type, unfinished conditions are not complete. */
import type { AudienceFilter } from '@postrider/client'
import { expect, test } from 'vitest'
import { filterOf, groupOf, isComplete, newGroup, valuesOf } from './audience-filter.ts'

test('a nested filter survives the builder', () => {
  const filter: AudienceFilter = {
    operator: 'OR',
    filters: [
      { operator: 'EQ', path: 'title', value: 'Engineer' },
      {
        operator: 'AND',
        filters: [
          { operator: 'GTE', path: 'age', value: 18 },
          { operator: 'EXISTS', path: 'address.city' },
          { operator: 'MEMBER_OF', path: 'tenant_id', value: ['acme', 'globex'] },
        ],
      },
    ],
  }
  expect(filterOf(groupOf(filter))).toEqual(filter)
})

test('values keep their type', () => {
  const values = ['a, b', '18', 'true', 'say "hi"', '  wide ', 18, -0.5, true, 'Wien']
  const filter: AudienceFilter = { operator: 'AND', filters: [{ operator: 'EQ', path: 'x', value: values }] }
  expect(filterOf(groupOf(filter))).toEqual(filter)
  expect(valuesOf('Wien, "Graz, Süd",3,, true')).toEqual(['Wien', 'Graz, Süd', 3, true])
})

test('a single condition becomes a group, and no condition matches no user', () => {
  const condition: AudienceFilter = { operator: 'EQ', path: 'plan', value: 'pro' }
  expect(filterOf(groupOf(condition))).toEqual({ operator: 'AND', filters: [condition] })
  expect(filterOf(groupOf(null))).toBeNull()
})

test('a condition without path or value is not complete', () => {
  expect(isComplete(newGroup('AND'))).toBe(false)
  expect(isComplete(groupOf({ operator: 'EXISTS', path: 'email' }))).toBe(true)
  expect(isComplete(groupOf({ operator: 'EQ', path: 'email', value: [] }))).toBe(false)
})
