/** Reads a table as JSON texts in the order of its key, in bounded pages. */
import type { Engine } from '../engine.ts'
import { rowsOf } from '../query.ts'
import { type Column, quotedIdentifier, type Table } from './catalog.ts'

export interface Page {
  /** One JSON object a row, produced by PostgreSQL and not parsed here, so that numbers keep all digits. */
  rows: string[]
  /** The key of the last row, as texts. */
  last: string[]
}

/** Reading a row's size has a cost, so a page of wide rows must not read many more sizes than it returns. */
const ROWS_FIRST = 500
const ROWS_LEAST = 16
const ROWS_MAX = 10_000

// Without statistics the planner would read and sort the whole table for every page. Floats keep all digits,
// independent of the server's default.
const guard = {
  text: `set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
    set local extra_float_digits = 1`,
}

/** Rows after the key `after`. A page ends with the row that exceeds `bytesMax`. */
export async function* pagesOf(
  engine: Engine,
  table: Table,
  { after, bytesMax }: { after?: readonly string[] | undefined; bytesMax: number },
): AsyncGenerator<Page> {
  let last: readonly string[] | undefined = after
  let limit = ROWS_FIRST
  for (;;) {
    const statement = { text: pageText(table, last !== undefined), values: [limit, bytesMax, ...(last ?? [])] }
    const [, result] = await engine.batch([guard, statement])
    const found = rowsOf<Record<string, string>>(result)
    const end = found.at(-1)
    if (!end) return
    const key = table.key.map((_, index) => end[`key${index}`] ?? '')
    // One row per line: JSON escapes line breaks in strings; between values they equal spaces.
    yield { rows: found.map(({ row = '' }) => row.replaceAll('\n', ' ')), last: key }
    last = key
    limit = found.length < limit ? Math.max(ROWS_LEAST, found.length * 2) : Math.min(limit * 2, ROWS_MAX)
  }
}

/** Sizes are summed over columns, not over JSON: `octet_length` does not read TOASTed text, so skipped rows are cheap. */
function pageText({ name, columns, key }: Table, continued: boolean): string {
  const keys = key.map((column) => quotedIdentifier(column.name))
  const names = columns.map((column) => quotedIdentifier(column.name))
  const behind = key.map(({ type }, index) => `$${index + 3}::text::${type}`)
  // The first condition lets the planner prune partitions.
  const where = continued ? `where ${keys[0]} >= ${behind[0]} and (${keys.join()}) > (${behind.join()})` : ''
  const order = keys.join(', ')
  return `
    select ${keys.map((column, index) => `s.${column}::text as key${index}`).join()},
      (select row_to_json(r) from (select ${names.map((column) => `s.${column}`).join()}) r)::text as row
    from (
      select p.*, sum(p."~bytes") over (order by ${order} rows unbounded preceding) - p."~bytes" as "~before" from (
        select ${names.join()}, ${columns.map(sizeText).join(' + ')} as "~bytes" from ${quotedIdentifier(name)} ${where}
        order by ${order} limit $1
      ) p
    ) s
    where s."~before" < $2 order by ${order}`
}

function sizeText({ name, type, length }: Column): string {
  const overhead = name.length + 6
  if (length > 0) return String(overhead + 20)
  const text = ['text', 'character varying', 'bytea'].includes(type)
    ? quotedIdentifier(name)
    : `${quotedIdentifier(name)}::text`
  return `coalesce(octet_length(${text}), 0) + ${overhead}`
}
