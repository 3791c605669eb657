/** Kinds of columns as the query builder sees them. */
import type { ColumnType, JSONColumnType } from 'kysely'

/** A jsonb column: written as JSON text, read as an object. */
export type Jsonb<T extends object> = JSONColumnType<T, string, string>
export type Defaulted<T> = ColumnType<T, T | undefined, T>
