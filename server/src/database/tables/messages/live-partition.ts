/** `messages_live`: how its rows are found by id, and how they leave it for their week of `messages_final`. */
import { byKey, columnList } from '../../query.ts'
import { columnTypes, type Schema } from '../../schema.generated.ts'

/**
 * Rows of `messages_live` by id: `messages_live_by_id` alone serves these operators. By `=` the planner may take any index
 * that has the id, also behind other columns: after a VACUUM that met hardly a row all cost the same to it (ADR 46).
 */
export const byLiveId = (column: string, value: string): string => `${column} ~>=~ ${value} and ${column} ~<=~ ${value}`

/** A subquery: columns of the message with this id, live or final, of which there is one at most. */
export const messageById = (columns: string, id: string, condition = 'true'): string =>
  `select ${columns} from messages_live m where ${byLiveId('m.id', id)} and ${condition}
    union all select ${columns} from messages_final m where ${byKey('m.id', id)} and ${condition} limit 1`

type Column = keyof Schema['messages']

const columns = Object.keys(columnTypes.messages)

/** Expressions for columns, of the row `m` and of the batch. */
export type Changes = Partial<Record<Column, string>>

/** For an update. */
export const assignments = (changes: Changes): string =>
  Object.entries(changes)
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ')

interface Ending {
  /** The rows that `using` names. */
  batch: string
  /** Finds the rows: of the row as `m`. */
  where: string
  changes: Changes
  /** Further columns, of the batch. */
  also: string
}

/** Common table expressions: `name` has the rows as they are then. By an update of `messages` they could not be found by `byLiveId`. */
export const endedRows = (name: string, { batch, where, changes, also }: Ending): string => `${name} as (
    delete from messages_live m using ${batch} where ${where}
    returning ${columns.map((column) => `${changes[column as Column] ?? `m.${column}`} as ${column}`).join(', ')}, ${also}
  ),
  ${name}_in_week as (
    insert into messages_final (${columnList(columns)}) select ${columnList(columns)} from ${name}
  )`
