/** A page of rows as replies show it: as a `paging` object, or as an envelope around the rows. */
import type { Page } from '../database/cursor.ts'

export const paging = ({ cursor }: Page<unknown>): { more: boolean; cursor?: string } =>
  cursor === undefined ? { more: false } : { cursor, more: true }

type Query = Record<string, string | number | undefined>

/** `path` is the list, `query` the query of the page. */
export function listPage<Row, Item>(path: string, query: Query, page: Page<Row>, item: (row: Row) => Item) {
  const { cursor } = page
  const again = Object.entries({ ...query, starting_after: undefined, cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  )
  return {
    type: 'list' as const,
    items: page.rows.map(item),
    has_more: cursor !== undefined,
    url: path,
    next_url: cursor === undefined ? null : `${path}?${again.join('&')}`,
    cursor: cursor ?? null,
  }
}
