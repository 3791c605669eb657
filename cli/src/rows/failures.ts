/** Rows that failed: the first ones are named on the terminal, all are written to a file that can be corrected and tried again. */
import { closeSync, existsSync, openSync, realpathSync, statSync, writeSync } from 'node:fs'
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import type { Terminal } from '../terminal.ts'
import { ERROR_COLUMNS, type Row, type Rows } from './read.ts'

interface RowFailure {
  line: number
  error: string
}

export interface Failures {
  add(row: Row, error: string): void
  /** Counts it and writes it to the file: the caller names it. */
  record(row: Row, error: string): void
  count(): number
  /** The first ones. */
  first: readonly RowFailure[]
  close(): void
}

/** As many as one screen shows. */
const SHOWN_MAX = 20

export interface FailuresOptions {
  terminal: Terminal
  rows: Pick<Rows, 'format' | 'delimiter' | 'columns'>
  /** The file that is read, which must not be overwritten. */
  input: string
  output: string | undefined
  /** Adds to what an interrupted run wrote. */
  continues: boolean
}

export function openFailures({ terminal, rows, input, output, continues }: FailuresOptions): Failures {
  const first: RowFailure[] = []
  let count = 0
  const file = output === undefined ? undefined : openFile(input, output, continues)
  const write = (text: string) => void (file === undefined || writeSync(file, text))
  if (file !== undefined && rows.columns && statSync(output ?? '').size === 0)
    write(csvLine([...ERROR_COLUMNS, ...withoutErrors(rows.columns, rows.columns)], rows.delimiter))
  const record = (row: Row, error: string) => {
    count += 1
    write(failedText(row, error, rows))
  }
  return {
    first,
    count: () => count,
    record,
    add(row, error) {
      record(row, error)
      if (first.length >= SHOWN_MAX) return
      first.push({ line: row.line, error })
      terminal.progress.end()
      terminal.note(`line ${row.line}: ${plain(error)}`)
      if (first.length === SHOWN_MAX && output === undefined)
        terminal.note('More failed rows are only counted. To write all of them to a file, use --errors <file>.')
    },
    close: () => void (file === undefined || closeSync(file)),
  }
}

function openFile(input: string, output: string, continues: boolean): number {
  if (input !== '-' && existsSync(output) && realpathSync(output) === realpathSync(input))
    throw new Failure(`--errors must not be the input file: ${plain(output)}`, { exitCode: exitCodes.wrong })
  try {
    // It holds what is known about people: only the owner may read it.
    return openSync(output, continues ? 'a' : 'w', 0o600)
  } catch (cause) {
    throw new Failure(`${plain(output)} cannot be written`, { exitCode: exitCodes.wrong, cause })
  }
}

function failedText(
  { line, original }: Row,
  error: string,
  { columns = [], delimiter }: FailuresOptions['rows'],
): string {
  if (typeof original !== 'string')
    return csvLine([String(line), error, ...withoutErrors(columns, original)], delimiter)
  const note = { '#line': line, '#error': error }
  try {
    return `${JSON.stringify({ ...(JSON.parse(original) as object), ...note })}\n`
  } catch {
    return `${JSON.stringify({ ...note, '#text': original })}\n`
  }
}

/** The file that is read may be one of failed rows already. */
const withoutErrors = (columns: readonly string[], cells: readonly string[]) =>
  cells.filter((_cell, at) => !ERROR_COLUMNS.some((name) => name === columns[at]))

const csvLine = (cells: readonly string[], delimiter: string) =>
  `${cells.map((cell) => (/["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}\n`
