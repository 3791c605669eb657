/** The items of a list, page by page, whatever its pages call their items and their cursor. */
import type { Postrider } from '@postrider/client'
import type { Request } from './operation.ts'

/** As many as one command lists. */
export const LISTED_MAX = 10_000
const PAGE_ITEMS = 100

export interface Page {
  paging?: { cursor?: string; more: boolean }
  has_more?: boolean
  next_cursor?: string
  cursor?: string | null
}

const ITEM_KEYS = ['items', 'results', 'runs', 'templates', 'versions', 'tokens', 'steps'] as const

/** The items of a page of any list; `results` is a name of `items` for older clients. */
export function itemsOf(page: unknown): readonly unknown[] {
  const members = page as Partial<Record<(typeof ITEM_KEYS)[number], unknown>>
  return ITEM_KEYS.map((key) => members[key]).find((value) => Array.isArray(value)) ?? []
}

/** Undefined after the last page. */
export function nextCursor(page: Page): string | undefined {
  if (page.paging) return page.paging.more ? page.paging.cursor : undefined
  if (page.has_more === false) return undefined
  return page.next_cursor ?? page.cursor ?? undefined
}

export async function readPages(
  client: Postrider,
  request: Request,
  limit: number,
): Promise<{ results: unknown[]; more: boolean }> {
  const results: unknown[] = []
  let cursor: string | undefined
  for (;;) {
    const query = { ...request.query, limit: Math.min(PAGE_ITEMS, limit), ...(cursor !== undefined && { cursor }) }
    const page = await client.call<Page>({ ...request, query })
    results.push(...itemsOf(page))
    cursor = nextCursor(page)
    if (results.length > limit || (results.length === limit && cursor !== undefined))
      return { results: results.slice(0, limit), more: true }
    if (cursor === undefined) return { results, more: false }
  }
}
