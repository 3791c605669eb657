/** Reads a whole table as JSON texts in the order of its key, a bounded page at a time. */
import type { Engine } from '../engine.ts'
import { rowsOf } from '../query.ts'
import { type Column, quotedIdentifier, type Table } from './catalog.ts'

export interface Page {
  /** One JSON object a row, made by PostgreSQL and never parsed here: numbers keep all their digits. */
  rows: string[]
  /** The key of the last row, as texts. */
  last: string[]
}

/** Every row costs a look at its size, so a page of wide rows must not look at many more than it returns. */
const ROWS_FIRST = 500
const ROWS_LEAST = 16
const ROWS_MAX = 10_000

// Without statistics the planner would read and sort the whole table for every page. And floats keep all their digits,
// whatever the server's default is.
const guard = {
  text: `set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
    set local extra_float_digits = 1`,
}

/** Rows behind the key `after`. A page ends with the row that exceeds `bytesMax`; the last one has fewer rows than asked for. */
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
    // A line holds a row; outside its texts, which escape it, JSON may hold a line break as a space.
    yield { rows: found.map(({ row = '' }) => row.replaceAll('\n', ' ')), last: key }
    last = key
    limit = found.length < limit ? Math.max(ROWS_LEAST, found.length * 2) : Math.min(limit * 2, ROWS_MAX)
  }
}

/**
 * The sizes are summed over columns, not over rows made into JSON: `octet_length` of a text that is stored apart does
 * not read it, so rows beyond the page cost next to nothing however wide they are.
 */
function pageText({ name, columns, key }: Table, continued: boolean): string {
  const keys = key.map((column) => quotedIdentifier(column.name))
  const names = columns.map((column) => quotedIdentifier(column.name))
  const behind = key.map(({ type }, index) => `$${index + 3}::text::${type}`)
  // The first condition alone lets the planner leave out partitions.
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
