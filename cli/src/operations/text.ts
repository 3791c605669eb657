/** Records of the API as text: chosen columns of a list, and every field of one record. */
import { plain, plainJson, plainLine, utcTime } from '../plain.ts'
import { statusStyle } from '../status.ts'
import { sheet, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Names of fields, in order; a dot leads into an object. */
export type Columns = readonly string[]

// Ids are never cut: the next command needs them whole.
const CELL_CHARACTERS_MAX = 60

export const rowsText = (terminal: Terminal, columns: Columns, rows: readonly unknown[]): string =>
  table(
    columns.map((column) => ({
      title: titleOf(column),
      charactersMax: /(^|_)id$/.test(column) ? Number.POSITIVE_INFINITY : CELL_CHARACTERS_MAX,
      ...(column === 'status' && { style: (text: string) => statusStyle(terminal, text) }),
    })),
    rows.map((row) => columns.map((column) => cellText(memberAt(row, column)))),
  )

/** Words in capitals: `NOT BEFORE` of `notBefore`, `RUN ID` of `run_id`. */
const titleOf = (column: string) =>
  column
    .replaceAll(/[_.]/g, ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase()

const memberAt = (row: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), row)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Milliseconds from 2001 to 2286: no other number of the API is as large. */
const isTimestamp = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1e12 && value < 1e13

function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (isTimestamp(value)) return utcTime(value)
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ')
  return typeof value === 'object' ? plainJson(value) : plain(value)
}

/** Short values below each other, objects and lists as JSON behind them. */
export function recordText(record: unknown): string {
  if (typeof record === 'string') return record.split('\n').map(plainLine).join('\n')
  if (!isObject(record)) return record === undefined ? '' : plainJson(record, 2)
  const isShort = (value: unknown) => typeof value !== 'object' || value === null || isEmpty(value)
  const entries = Object.entries(record)
  const short = entries.filter(([, value]) => isShort(value) && !isEmpty(value))
  const long = entries.filter(([, value]) => !isShort(value))
  return [
    sheet(short.map(([name, value]) => [plain(name), cellText(value)])),
    ...long.map(([name, value]) => `${plain(name)}: ${plainJson(value, 2)}`),
  ]
    .filter(Boolean)
    .join('\n')
}

const isEmpty = (value: unknown) =>
  value === null || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
