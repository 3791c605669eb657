/** A page of the API is rows and the cursor of the next page. */
import { expect, test } from 'vitest'
import { tablePage } from './paging.ts'

test('a page leads to the next one while there is more', () => {
  expect(tablePage({ results: [1], paging: { more: true, cursor: 'b' } })).toEqual({ rows: [1], next: 'b' })
  expect(tablePage({ items: [2], paging: { more: false, cursor: 'b' } })).toEqual({ rows: [2], next: undefined })
  expect(tablePage({ items: [3], cursor: 'c' })).toEqual({ rows: [3], next: 'c' })
  expect(tablePage({ items: [], cursor: null })).toEqual({ rows: [], next: undefined })
})
