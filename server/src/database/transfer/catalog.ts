/** The tables of an export, read from PostgreSQL's catalog, with columns, keys and references. */
import type { Engine } from '../engine.ts'

export interface Column {
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

/** The schema version and the record of the move belong to the database, not to the installation. */
const NOT_COPIED = new Set(['migrations', 'moves'])

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
