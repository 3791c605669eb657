/** The tables of an export, read from PostgreSQL's catalog with columns, keys and references, and their rows in bounded pages. */
import type { Engine } from '../engine.ts'
import { rowsOf } from '../query.ts'

interface Column {
  name: string
  /** As SQL writes it. */
  type: string
  /** Bytes of a value of fixed size, negative for other types. */
  length: number
  generated: boolean
  identity: boolean
}

interface Reference {
  table: string
  columns: string[]
}

export interface Table {
  name: string
  columns: Column[]
  /** The columns of the primary key, in order. */
  key: Column[]
  references: Reference[]
  /** Whether it has triggers of this service. */
  triggers: boolean
  /** The planner's estimate; 0 without one. */
  rowsEstimated: number
}

/** The schema version, the record of the move and the processes belong to the database, not to the installation. */
const NOT_COPIED = new Set(['migrations', 'moves', 'nodes'])

const hasKey = (table: string) => `exists (select from pg_index i where i.indrelid = ${table} and i.indisprimary)`

/** Partitions are part of their table, unless only they have a key. Tables of extensions are excluded. */
const TABLES = `
  select c.relname::text as name,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
        'length', t.typlen, 'generated', a.attgenerated <> '', 'identity', a.attidentity <> '') order by a.attnum)
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select json_agg(a.attname order by array_position(i.indkey::int2[], a.attnum))
      from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey::int2[])
      where i.indrelid = c.oid and i.indisprimary) as key,
    (select json_agg(json_build_object('table', f.relname, 'columns',
        (select json_agg(a.attname) from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey))))
      from pg_constraint k join pg_class f on f.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0) as references,
    exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers,
    coalesce((select sum(greatest(leaf.reltuples, 0)) from pg_partition_tree(c.oid) p join pg_class leaf on leaf.oid = p.relid
      where p.isleaf), greatest(c.reltuples, 0))::float8 as "rowsEstimated"
  from pg_class c
  where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and (c.relkind = 'r' or (c.relkind = 'p' and ${hasKey('c.oid')}))
    and (not c.relispartition
      or exists (select from pg_inherits h where h.inhrelid = c.oid and not ${hasKey('h.inhparent')}))
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by c.relname collate "C"`

interface CatalogRow {
  name: string
  columns: Column[] | null
  key: string[] | null
  references: Reference[] | null
  triggers: boolean
  rowsEstimated: number
}

/** Every table whose rows belong to the installation; a table comes after those that it references. */
export async function readTables(engine: Engine): Promise<Table[]> {
  const { rows } = await engine.run<CatalogRow>({ text: TABLES, values: [] })
  const tables = rows.filter(({ name }) => !NOT_COPIED.has(name)).map(tableOf)
  return inOrderOfReference(tables)
}

function tableOf({ name, columns, key, references, ...rest }: CatalogRow): Table {
  const all = columns ?? []
  const keyColumns = (key ?? []).flatMap((part) => all.filter(({ name }) => name === part))
  if (keyColumns.length === 0) throw new Error(`The table ${name} has no primary key: its rows cannot be read in pages`)
  return {
    ...rest,
    name,
    columns: all.filter(({ generated }) => !generated),
    key: keyColumns,
    references: references ?? [],
  }
}

export function inOrderOfReference(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  let left = [...tables]
  while (left.length > 0) {
    const blocked = ({ name, references }: Table) =>
      references.some(({ table }) => table !== name && left.some((other) => other.name === table))
    const free = left.filter((table) => !blocked(table))
    if (free.length === 0) throw new Error(`Tables reference each other in a cycle: ${left.map(({ name }) => name)}`)
    ordered.push(...free)
    left = left.filter(blocked)
  }
  return ordered
}

/** Columns outside the key that reference rows of the same table: set after all of its rows are inserted. */
export function selfReferences({ name, key, references }: Table): string[] {
  const columns = references.filter(({ table }) => table === name).flatMap((reference) => reference.columns)
  return columns.filter((column) => !key.some((part) => part.name === column))
}

export interface Sequence {
  table: string
  column: string
  /** A bigint as text. */
  last: string
  called: boolean
}

/** The current values of identity columns. */
export async function readSequences(engine: Engine, tables: readonly Table[]): Promise<Sequence[]> {
  const sequences: Sequence[] = []
  for (const { name: table, columns } of tables)
    for (const { name: column } of columns.filter(({ identity }) => identity)) {
      const { rows } = await engine.run<{ name: string }>({
        text: 'select pg_get_serial_sequence(quote_ident($1), $2) as name',
        values: [table, column],
      })
      const text = `select last_value::text as last, is_called as called from ${rows[0]?.name}`
      const [state] = (await engine.run<{ last: string; called: boolean }>({ text, values: [] })).rows
      if (state) sequences.push({ table, column, ...state })
    }
  return sequences
}

export async function writeSequence(engine: Engine, { table, column, last, called }: Sequence): Promise<void> {
  await engine.run({
    text: 'select setval(pg_get_serial_sequence(quote_ident($1), $2), $3::text::bigint, $4)',
    values: [table, column, last, called],
  })
}

/** Quotes a name from the catalog. */
export const quotedIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`

export interface RowPage {
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
): AsyncGenerator<RowPage> {
  let last: readonly string[] | undefined = after
  let limit = ROWS_FIRST
  for (;;) {
    const statement = { text: pageText(table, last !== undefined), values: [limit, bytesMax, ...(last ?? [])] }
    const [, result] = await engine.batch([guard, statement])
    const rows = rowsOf<Record<string, string>>(result)
    const end = rows.at(-1)
    if (!end) return
    const key = table.key.map((_, index) => end[`key${index}`] ?? '')
    // One row per line: JSON escapes line breaks in strings; between values they equal spaces.
    yield { rows: rows.map(({ row = '' }) => row.replaceAll('\n', ' ')), last: key }
    last = key
    limit = rows.length < limit ? Math.max(ROWS_LEAST, rows.length * 2) : Math.min(limit * 2, ROWS_MAX)
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
