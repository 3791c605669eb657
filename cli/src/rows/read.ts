/** Rows of a CSV file or of JSON lines, one at a time, each with the line it begins on. */
import { CsvError, parse } from 'csv-parse'
import { exitCodes, Failure } from '../failure.ts'
import type { Source } from './source.ts'

export interface Row {
  line: number
  /** Strings of a CSV file, any JSON of JSON lines. */
  values: readonly (readonly [column: string, value: unknown])[]
  /** Why the row cannot be used. */
  problem?: string
  /** As it stands in the file: its cells, or its line of JSON. */
  original: readonly string[] | string
}

export type RowFormat = 'csv' | 'jsonl'

export interface Rows {
  format: RowFormat
  delimiter: string
  /** The header row; undefined for JSON lines. */
  columns: readonly string[] | undefined
  rows: AsyncIterable<Row>
}

export interface ReadOptions {
  format?: RowFormat | undefined
  delimiter?: string | undefined
}

/** Columns that a file of failed rows adds; they are ignored when that file is read. */
export const ERROR_COLUMNS = ['#line', '#error'] as const

/** A stored profile has at most 256 kB as JSON: a longer row is a quote that is not closed. */
const ROW_BYTES_MAX = 1_048_576
const HEADER_CHARACTERS_MAX = 65_536

/** Reads up to the header. Throws a `Failure`; so do the rows where their quoting or the file is broken. */
export async function readRows(source: Source, { format, delimiter }: ReadOptions = {}): Promise<Rows> {
  const chunks = withoutEndMark(source.text)
  const { start, separator, lines } = withoutSeparatorLine(await firstLine(chunks))
  if (start.trim() === '' && separator === undefined)
    throw new Failure(`${source.name} is empty`, { exitCode: exitCodes.wrong })
  if (format === undefined && /^\s*\[\s*[{\]]/.test(start))
    throw new Failure(`${source.name} is a JSON array`, {
      hint: `Convert it to one object per line: jq -c '.[]' users.json > users.jsonl`,
      exitCode: exitCodes.wrong,
    })
  const text = rejoined(start, chunks)
  if ((format ?? (/^\s*\{/.test(start) ? 'jsonl' : 'csv')) === 'jsonl')
    return { format: 'jsonl', delimiter: '', columns: undefined, rows: jsonRows(text) }
  const mark = delimiter ?? separator ?? delimiterOf(start)
  const records = csvRecords(text, mark, source.name, lines)
  const header = await records.next()
  if (header.done) throw new Failure(`${source.name} is empty`, { exitCode: exitCodes.wrong })
  const columns = header.value.cells.map((title) => title.trim())
  refuseDoubles(columns, source.name)
  return { format: 'csv', delimiter: mark, columns, rows: csvRows(records, columns) }
}

/** DOS ends a text with this character, and CP/M fills the last 128 bytes with it. */
const END_MARK = '\x1a'
const END_CHARACTERS_MAX = 128

async function* withoutEndMark(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + chunk
    const end = endOf(text)
    rest = text.slice(end)
    yield text.slice(0, end)
  }
}

/** Where the marks at the end begin, line breaks among them. */
function endOf(text: string): number {
  const isEnd = (character = '') => character === END_MARK || character === '\r' || character === '\n'
  let start = text.length
  while (start > 0 && text.length - start < END_CHARACTERS_MAX && isEnd(text[start - 1])) start -= 1
  const mark = text.indexOf(END_MARK, start)
  return mark === -1 ? text.length : mark
}

async function firstLine(chunks: AsyncIterator<string>): Promise<string> {
  let text = ''
  while (text.length < HEADER_CHARACTERS_MAX && !/\S[^\n]*\n/.test(text)) {
    const next = await chunks.next()
    if (next.done) break
    text += next.value
  }
  return text
}

async function* rejoined(start: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield start
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** Excel names the delimiter on a line before the header, and other programs close that line like a row of the file. */
const SEPARATOR_LINE = /^(?:[ \t]*(?:\r\n|\n|\r))*["']?sep=["']?(\\t|[,;\t|:^~])["']?[,;\t]*(?:\r\n|\n|\r|$)/i

function withoutSeparatorLine(start: string): { start: string; separator: string | undefined; lines: number } {
  const [line = '', separator] = SEPARATOR_LINE.exec(start) ?? []
  const lines = line.match(/\r\n|\n|\r/g)?.length ?? 0
  return { start: start.slice(line.length), separator: separator === '\\t' ? '\t' : separator, lines }
}

/** Spreadsheets of many countries write semicolons. */
function delimiterOf(start: string): string {
  const header = (/^\s*(.*)/.exec(start)?.[1] ?? '').replace(/"(?:[^"]|"")*"/g, '')
  const counted = [',', ';', '\t'].map((mark) => ({ mark, times: header.split(mark).length }))
  return counted.reduce((most, candidate) => (candidate.times > most.times ? candidate : most)).mark
}

interface CsvRecord {
  line: number
  cells: string[]
}

async function* csvRecords(
  text: AsyncIterable<string>,
  delimiter: string,
  name: string,
  linesBefore: number,
): AsyncGenerator<CsvRecord, undefined> {
  // The parser counts each CRLF inside a quoted cell as two lines.
  let countedTwice = 0
  const lineOf = new WeakMap<string[], number>()
  const parser = parse({
    delimiter,
    // Files that several programs wrote change between them.
    record_delimiter: ['\r\n', '\n', '\r'],
    // While it is parsed: an error in a later row discards rows that are not read yet.
    on_record(cells, { lines }) {
      countedTwice += matchesIn(cells, /\r\n/g)
      lineOf.set(cells, linesBefore + lines - countedTwice - matchesIn(cells, /\r\n|\n|\r/g))
      return cells
    },
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: ROW_BYTES_MAX,
  })
  const feeding = feed(text, parser)
  // Awaited below; until then a failure must not count as unhandled.
  feeding.catch(() => undefined)
  try {
    for await (const cells of parser as AsyncIterable<string[]>) yield { line: lineOf.get(cells) ?? 0, cells }
    await feeding
  } catch (cause) {
    if (cause instanceof CsvError)
      throw new Failure(quotingError(cause, name, countedTwice - linesBefore), {
        hint: QUOTING,
        exitCode: exitCodes.wrong,
        cause,
      })
    throw cause
  } finally {
    parser.destroy()
  }
  return undefined
}

const matchesIn = (cells: readonly string[], pattern: RegExp) =>
  cells.reduce((count, cell) => count + (/[\r\n]/.test(cell) ? (cell.match(pattern)?.length ?? 0) : 0), 0)

async function feed(text: AsyncIterable<string>, parser: ReturnType<typeof parse>): Promise<void> {
  try {
    for await (const chunk of text) {
      if (parser.destroyed) return
      if (!parser.write(chunk)) await new Promise<void>((resolve) => onceAny(parser, ['drain', 'close'], resolve))
    }
    parser.end()
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
}

function onceAny(parser: ReturnType<typeof parse>, events: readonly string[], done: () => void): void {
  const first = () => {
    for (const event of events) parser.off(event, first)
    done()
  }
  for (const event of events) parser.on(event, first)
}

const QUOTING = 'Put a cell with quotes, delimiters or line breaks in double quotes, and double each quote in it.'

/** The next row cannot be found after a broken quote, so that reading ends there. */
function quotingError(error: CsvError, name: string, countedTwice: number): string {
  const line = 'lines' in error && typeof error.lines === 'number' ? ` line ${error.lines - countedTwice}` : ''
  if (error.code === 'CSV_MAX_RECORD_SIZE' || error.code === 'CSV_QUOTE_NOT_CLOSED')
    return `${name}${line}: a quote is not closed`
  return `${name}${line}: the quotes of a cell do not match`
}

/** Cells that a spreadsheet leaves out at the end of a row are empty. */
async function* csvRows(records: AsyncIterable<CsvRecord>, columns: readonly string[]): AsyncGenerator<Row> {
  for await (const { line, cells } of records) {
    // Spreadsheets write delimiters alone for rows that were emptied.
    if (cells.every((cell) => cell.trim() === '')) continue
    const hasSurplus = cells.slice(columns.length).some((cell) => cell !== '')
    yield {
      line,
      original: cells,
      values: columns.map((column, at) => [column, cells[at] ?? ''] as const),
      ...(hasSurplus && { problem: `${cells.length} cells, but the header has ${columns.length}` }),
    }
  }
}

function refuseDoubles(columns: readonly string[], name: string): void {
  const double = columns.find((column, at) => column !== '' && columns.indexOf(column) < at)
  if (double !== undefined)
    throw new Failure(`${name} has the column \`${double}\` twice`, {
      hint: 'Rename one of them in the header row.',
      exitCode: exitCodes.wrong,
    })
}

async function* jsonRows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0
  let rest = ''
  for await (const chunk of text) {
    rest += chunk
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      line += 1
      if (text.trim() !== '') yield jsonRow(line, text)
    }
    if (rest.length > ROW_BYTES_MAX)
      throw new Failure(`Line ${line + 1} is longer than ${ROW_BYTES_MAX} characters`, {
        hint: 'JSON lines have one object per line.',
        exitCode: exitCodes.wrong,
      })
  }
  if (rest.trim() !== '') yield jsonRow(line + 1, rest)
}

function jsonRow(line: number, original: string): Row {
  try {
    const value: unknown = JSON.parse(original)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { line, original, values: Object.entries(value) }
  } catch {
    return { line, original, values: [], problem: 'The line is not JSON' }
  }
  return { line, original, values: [], problem: 'The line is not a JSON object' }
}
