/** The column with the id of the recipient a row is about. */
import { exitCodes, Failure } from '../failure.ts'
import type { ColumnRules } from './columns.ts'
import type { Row } from './read.ts'

/** As exports of other systems and the API itself write it. */
const usual = ['id', 'user_id', 'userid', 'recipient', 'recipient_id', 'recipientid']

const ID_CHARACTERS_MAX = 512

const isUsual = (column: string) => usual.includes(column.trim().toLowerCase())

/** The name given, else the first usual one. Undefined when a header has neither. */
export function idColumnOf(
  columns: readonly string[],
  named: string | undefined,
  rules: ColumnRules,
): string | undefined {
  if (named === undefined) return columns.find((column) => isUsual(column) && !rules.ignore?.includes(column))
  if (columns.includes(named)) return named
  throw new Failure(`Unknown column \`${named}\``, {
    hint: `Give the column with the id of the recipient with --id. The columns are ${columns.filter(Boolean).join(', ')}.`,
    exitCode: exitCodes.wrong,
  })
}

export const idColumnMissing = (columns: readonly string[]) =>
  new Failure('No column with the id of the recipient', {
    hint: `Give the column with --id. The columns are ${columns.filter(Boolean).join(', ')}.`,
    exitCode: exitCodes.wrong,
  })

export interface Identified {
  column: string
  /** Empty where the cell is. */
  id: string
}

/** Rows of JSON lines have no header: each brings its own names. */
export function idOf(row: Row, column: string | undefined): Identified | undefined {
  const member =
    column === undefined ? row.values.find(([name]) => isUsual(name)) : row.values.find(([name]) => name === column)
  if (!member) return undefined
  const [name, value] = member
  const isId = typeof value === 'string' || Number.isSafeInteger(value)
  return { column: name, id: isId ? String(value).trim() : '' }
}

/** A sentence for an id that the API would not take. */
export function idProblem(id: string): string | undefined {
  if (id === '') return 'The id is empty'
  if (id.length > ID_CHARACTERS_MAX) return `The id must have at most ${ID_CHARACTERS_MAX} characters`
  return id === '.' || id === '..' ? 'The id must not be `.` or `..`' : undefined
}
