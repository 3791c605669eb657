/** Typed queries as data: Kysely writes the SQL, the engine runs it. */

import type { Selectable } from 'kysely'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Engine, Reader, Result, Slice, Statement } from './engine.ts'
import { columnTypes, type Schema } from './schema.generated.ts'

export const query = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

export function statement(compilable: Compilable): Statement {
  const { sql, parameters } = compilable.compile()
  return { text: sql, values: parameters }
}

/** A prepared statement whose text has `:name` for parameters: numbered once, filled for each call. */
export function named<Parameter extends string = string>(
  name: string,
  text: string,
): (values: Readonly<Record<Parameter, unknown>>) => Statement {
  const parameters: Parameter[] = []
  // Neither a cast, nor a text such as 'user:matched'.
  const numbered = text.replaceAll(/(?<![:\w]):([a-z]\w*)/gi, (_match, parameter: Parameter) => {
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  return (values) => ({
    text: numbered,
    values: parameters.map((parameter) => {
      if (!(parameter in values)) throw new Error(`The statement ${name} has no value for ${parameter}`)
      return values[parameter]
    }),
    name,
  })
}

export async function rows<Row>(engine: Reader, select: Compilable<Row>): Promise<Row[]> {
  return (await engine.run<Row>(statement(select))).rows
}

export async function firstRow<Row>(engine: Reader, select: Compilable<Row>): Promise<Row | undefined> {
  return (await rows(engine, select))[0]
}

/** The rows of one statement of a batch; the caller states their type. */
export const rowsOf = <Row>(result: Result | undefined): Row[] => (result?.rows ?? []) as Row[]

/** The number of rows that a write affected: 0 for a compare-and-set that conflicts. */
export async function countAffected(engine: Engine, write: Compilable): Promise<number> {
  return (await engine.run(statement(write))).affected
}

/** A compare-and-set, or an insert with `on conflict do nothing`: when it affects no row, its batch is rolled back. */
export const expectRows = (write: Statement): Statement => ({ ...write, expectRows: true })

/** These columns of a table, as a select gives them. */
export type Row<Table extends keyof Schema, Column extends keyof Schema[Table]> = Pick<
  Selectable<Schema[Table]>,
  Column & keyof Selectable<Schema[Table]>
>

/** The rows of the select that a function builds. */
export type RowOf<Build extends (...args: never[]) => Compilable<unknown>> =
  ReturnType<Build> extends Compilable<infer Selected> ? Selected : never

/** The columns with their types: fields of a `recordset`. */
export function typesOf<Table extends keyof Schema, Column extends keyof Schema[Table] & string>(
  table: Table,
  columns: readonly Column[],
): Readonly<Record<string, string>> {
  const types: Readonly<Record<string, string>> = columnTypes[table]
  return Object.fromEntries(columns.map((column) => [column, types[column] ?? '']))
}

/** The same under names of the statement's own: `typesAs('profiles', { w: 'workspace_id', id: 'id' })`. */
export const typesAs = <Table extends keyof Schema>(
  table: Table,
  columns: Readonly<Record<string, keyof Schema[Table] & string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, typesOf(table, [column])[column] ?? '']))

/** JSON records as rows with these fields, each with its type: `json_to_recordset($1::json) as r(id text)`. */
export const recordset = (json: string, name: string, fields: Readonly<Record<string, string>>): string =>
  `json_to_recordset(${json}::json) as ${name}(${Object.entries(fields)
    .map(([field, type]) => `${field} ${type}`)
    .join(', ')})`

/** For a select, with the name of the rows where it is needed. */
export const columnList = (columns: readonly string[], of?: string): string =>
  columns.map((column) => (of === undefined ? column : `${of}.${column}`)).join(', ')

/** Repeats the deletion until it is not full. */
export async function drain(engine: Engine, { statement, rows }: Slice): Promise<void> {
  let affected = rows
  while (affected === rows) affected = (await engine.run(statement)).affected
}

/**
 * Rows of a table that rows of a batch name: an equality that serves a look-up, and nothing else. By `=` the planner may
 * also read the table in order of its key, and does so where a VACUUM or an ANALYZE met few rows: in a queue, in every
 * quiet minute. The plan stays when the rows come, and each batch reads all of them, the dead ones included (ADR 46).
 */
export const byKey = (column: string, value: string): string => `${column} = any(array[${value}])`

/**
 * Before every statement that joins a batch, or that locks or changes rows it finds by a join. They apply to the one
 * transaction only, so that poolers keep working.
 *
 * Where the planner expects few rows, or has no statistics, it joins a batch by reading the whole table, to hash it or to
 * keep it in memory, and a prepared statement keeps that plan. And where a statement selects partitions while it runs,
 * PostgreSQL 18 (18.4 at least) crashes when it meets a row that another transaction has changed since. Rows that a
 * condition excludes by itself, such as the ended messages by `due_at is not null`, stay excluded; but of a table with one
 * partition left, PostgreSQL 18 forgets that reading it as a whole is off.
 */
export const guardPlan: Statement = {
  text: ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material', 'enable_partition_pruning']
    .map((setting) => `set local ${setting} = off`)
    .join('; '),
}

/**
 * Rows are locked in the order of the batch; one order for all statements, so that a renewal and a record that meet
 * wait for each other instead of deadlocking.
 */
export function inLockOrder<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}
