/** The options of commands that read a file of recipients, and the opened file. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../terminal.ts'
import { type ColumnRules, memberOf, refuseUnknownColumns, withColumnOptions } from './columns.ts'
import { type Failures, openFailures } from './failures.ts'
import { idColumnMissing, idColumnOf } from './id-column.ts'
import { type RowFormat, type Rows, readRows } from './read.ts'
import { openSource, type Source } from './source.ts'

export interface RowOptions extends ColumnRules {
  id?: string
  format?: RowFormat
  delimiter?: string
  errors?: string
  fromLine: number
}

export const withRowOptions = (command: Command): Command =>
  withFileOptions(
    withColumnOptions(
      command.option('--id <column>', 'column with the id of the recipient (default: id, user_id or recipient)'),
    ),
  )

/** For files whose rows are not about people by their ids. */
export const withFileOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'format of the file (default: detected from the first line)').choices([
        'csv',
        'jsonl',
      ]),
    )
    .option('--delimiter <character>', 'delimiter of cells (default: detected from the header row)', delimiter)
    .option(
      '--errors <file>',
      'write failed rows with their reasons to this file, which can be corrected and used as input',
    )
    .addOption(new Option('--from-line <line>', 'skip the rows before this line').default(1).argParser(line))

function delimiter(text: string): string {
  if (text === '\\t' || text === 'tab') return '\t'
  if (text.length === 1 && !/["\r\n]/.test(text)) return text
  throw new InvalidArgumentError('It must be one character, or tab.')
}

function line(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('It must be a line number, 1 or greater.')
}

export interface OpenRows extends Rows {
  source: Source
  idColumn: string | undefined
  failures: Failures
}

/** Names of columns are checked before anything is written. Throws a `Failure`. */
export async function openRows(
  terminal: Terminal,
  file: string,
  options: RowOptions,
  { needsId }: { needsId: boolean },
): Promise<OpenRows> {
  const source = openSource(file)
  const rows = await readRows(source, options)
  if (rows.columns) {
    refuseUnknownColumns(rows.columns, options)
    for (const column of rows.columns) memberOf(column, options)
  }
  const idColumn = rows.columns ? idColumnOf(rows.columns, options.id, options) : options.id
  if (needsId && rows.columns && idColumn === undefined) throw idColumnMissing(rows.columns)
  const continues = options.fromLine > 1
  const failures = openFailures({ terminal, rows, input: file, output: options.errors, continues })
  return { ...rows, source, idColumn, failures }
}
