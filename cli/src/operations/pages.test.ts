/** Lists are read page by page, each kind of page by its own cursor. */
import { Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { readPages } from './pages.ts'

const limits: (string | null)[] = []

function clientOf(pages: Record<string, unknown>) {
  return new Postrider({
    apiKey: 'key',
    fetch: async (input) => {
      const { searchParams } = new URL(String(input))
      limits.push(searchParams.get('limit'))
      return Response.json(pages[searchParams.get('cursor') ?? 'first'])
    },
  })
}

const request = { method: 'GET', path: '/x', options: undefined } as const

test.each([
  ['paging', { items: [1, 2], paging: { more: true, cursor: 'c' } }, { items: [3], paging: { more: false } }],
  ['has_more', { items: [1, 2], has_more: true, cursor: 'c' }, { items: [3], has_more: false, cursor: null }],
  ['next_cursor', { runs: [1, 2], next_cursor: 'c' }, { runs: [3] }],
  ['cursor', { templates: [1, 2], cursor: 'c' }, { templates: [3] }],
])('pages with %s are read to the last one, or to the limit', async (_kind, first, second) => {
  const client = clientOf({ first, c: second })
  expect(await readPages(client, request, 10)).toEqual({ results: [1, 2, 3], more: false })
  expect(await readPages(client, request, 2)).toEqual({ results: [1, 2], more: true })
  expect(await readPages(client, request, 3)).toEqual({ results: [1, 2, 3], more: false })
  expect(limits.at(-1)).toBe('3')
})
