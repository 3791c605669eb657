/** A list call: awaited it gives one page, iterated it gives every item of every page. */

type Paged =
  | { paging: { cursor?: string | undefined; more: boolean } }
  | { has_more: boolean; cursor: string | null }
  | { runs: unknown[]; next_cursor?: string | undefined }
  | { templates: unknown[]; cursor?: string | undefined }

/** Undefined after the last page. */
function next(page: Paged): string | undefined {
  if ('paging' in page) return page.paging.more ? page.paging.cursor : undefined
  if ('has_more' in page) return page.has_more ? (page.cursor ?? undefined) : undefined
  return 'runs' in page ? page.next_cursor : page.cursor
}

export type Listing<Page, Item> = Promise<Page> & AsyncIterable<Item> & { pages(): AsyncIterable<Page> }

/** The first page is requested at once, the others as they are needed. */
export function listing<Page extends Paged, Item>(
  requestPage: (cursor?: { cursor: string }) => Promise<Page>,
  items: (page: Page) => Item[],
): Listing<Page, Item> {
  const first = requestPage()
  async function* pages() {
    let page = await first
    yield page
    for (let cursor = next(page); cursor !== undefined; cursor = next(page)) {
      page = await requestPage({ cursor })
      yield page
    }
  }
  async function* all() {
    for await (const page of pages()) yield* items(page)
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: all })
}
