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
  const cursors: unknown[] = []
  const requestPage = async (cursor?: { cursor: string }) => {
    cursors.push(cursor?.cursor)
    return pages[cursors.length - 1] as Page
  }
  const seen: string[] = []
  for await (const item of listing(requestPage, ({ items }) => items)) seen.push(item)
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(cursors).toEqual([undefined, 'c1'])
})

test('a page that only has the cursor of the next leads to it', async () => {
  const runs = [{ runs: ['a'], next_cursor: 'c1' }, { runs: ['b'] }]
  const templates = [{ templates: ['c'], cursor: 'c2' }, { templates: ['d'] }]
  const seen: unknown[] = []
  for await (const item of listing(
    async () => runs.shift() as { runs: string[] },
    ({ runs }) => runs,
  ))
    seen.push(item)
  for await (const item of listing(
    async () => templates.shift() as { templates: string[] },
    ({ templates }) => templates,
  ))
    seen.push(item)
  expect(seen).toEqual(['a', 'b', 'c', 'd'])
})
