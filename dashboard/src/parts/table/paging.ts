/** Pages of the API as tables and endless lists read them. */
import type { Paging } from '@postrider/client'
import type { TablePage } from './table.tsx'

/** Most lists have `paging`; those of tenants have their cursor beside the rows. */
type PageCursor = { paging: Paging } | { cursor: string | null }

/** The cursor of the page after a reply; undefined on the last one. */
export function nextCursor(reply: PageCursor): string | undefined {
  if ('paging' in reply) return reply.paging.more ? reply.paging.cursor : undefined
  return reply.cursor ?? undefined
}

export const tablePage = <Row>(
  reply: PageCursor & ({ results: readonly Row[] } | { items: readonly Row[] }),
): TablePage<Row> => ({ rows: 'results' in reply ? reply.results : reply.items, next: nextCursor(reply) })
