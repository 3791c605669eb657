/** A listing goes on from page to page, wherever a page says how. */
import { expect, test } from 'vitest'
import { listing } from './listing.ts'

interface Page {
  items: string[]
  has_more: boolean
  cursor: string | null
}

test('a page with its cursor in the envelope leads to the next', async () => {
  const pages: Page[] = [
    { items: ['a', 'b'], has_more: true, cursor: 'c1' },
    { items: ['c'], has_more: false, cursor: null },
  ]
  const asked: unknown[] = []
  const ask = async (cursor?: { cursor: string }) => {
    asked.push(cursor?.cursor)
    return pages[asked.length - 1] as Page
  }
  const seen: string[] = []
  for await (const item of listing(ask, ({ items }) => items)) seen.push(item)
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(asked).toEqual([undefined, 'c1'])
})
