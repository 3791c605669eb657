/** Addresses of the screens of automations. */
import { expect, test } from 'vitest'
import { automationSearch, automationsSearch } from './search.ts'

test('the address of an automation keeps its parts and drops what is malformed', () => {
  const search = { tab: 'simulation', recipient: 1001, start: '2026-03-02T09:00', at: 3 }
  expect(automationSearch(search)).toEqual({ ...search, recipient: '1001' })
  expect(automationSearch({ tab: 'other', step: -1, at: 1.5, status: 'GONE', version: 'x' })).toEqual({})
  expect(automationsSearch({ tab: 'runs', status: 'ERROR', since: 'day', panel: 'old' })).toEqual({
    ...{ tab: 'runs', status: 'ERROR', since: 'day' },
  })
})
