/** Reads a CSV file in slices: the page stays responsive, whatever the size, and each row knows its line. */
import type { parse as parseCsv } from 'csv-parse/browser/esm/sync'

export interface CsvRow {
  /** Where the row begins in the file, from 1. */
  line: number
  cells: readonly string[]
}

export interface CsvPart {
  rows: readonly CsvRow[]
  bytesRead: number
}

export interface CsvFile {
  header: readonly string[]
  /** The rows after the header, from the beginning at every call. */
  parts(): AsyncGenerator<CsvPart>
}

/** Some ten milliseconds of work. */
const SLICE_BYTES = 128_000
/** A quote that is never closed would make one row of all lines after it. */
const ROW_CHARACTERS_MAX = 1_000_000

export class CsvError extends Error {
  readonly line: number
  constructor(line: number) {
    super(`CSV: a quote in line ${line} is not closed`)
    this.line = line
  }
}

export async function openCsv(file: Blob, sliceBytes = SLICE_BYTES): Promise<CsvFile> {
  const { parse } = await import('csv-parse/browser/esm/sync')
  const encoding = await encodingOf(file, sliceBytes)
  const first = (await linesOf(file, encoding, sliceBytes).next()).value as Block | undefined
  const separator = separatorIn(first?.text ?? '')
  const delimiter = separator ?? delimiterOf(first?.text ?? '')
  const linesBeforeHeader = separator === undefined ? 0 : 1
  async function* partsAfter(skipped: number): AsyncGenerator<CsvPart> {
    let left = skipped
    for await (const block of linesOf(file, encoding, sliceBytes)) {
      const rows = rowsOf(parse, block, delimiter)
      yield { rows: rows.slice(left), bytesRead: block.bytesRead }
      left = Math.max(0, left - rows.length)
    }
  }
  return {
    header: await firstCells(partsAfter(linesBeforeHeader)),
    parts: () => partsAfter(linesBeforeHeader + 1),
  }
}

async function firstCells(parts: AsyncGenerator<CsvPart>): Promise<readonly string[]> {
  for await (const { rows } of parts) if (rows[0]) return rows[0].cells
  return []
}

/** Excel names the delimiter on a line before the header: `sep=;`. */
function separatorIn(text: string): string | undefined {
  const [, sign] = /^\ufeff?[ \t\n]*["']?sep=["']?(\\t|[,;\t|:^~])["']?[,;\t]*(?:\n|$)/i.exec(text) ?? []
  return sign === '\\t' ? '\t' : sign
}

interface Block {
  /** Whole rows. */
  text: string
  /** Where the first row begins, from 1. */
  line: number
  bytesRead: number
}

async function* linesOf(file: Blob, encoding: string, sliceBytes: number): AsyncGenerator<Block> {
  const decoder = new TextDecoder(encoding)
  let rest = ''
  let line = 1
  for (let at = 0; at < file.size; at += sliceBytes) {
    const isLast = at + sliceBytes >= file.size
    const bytes = await file.slice(at, at + sliceBytes).arrayBuffer()
    // A break of two characters may be cut in two.
    rest = withLineFeeds(rest + decoder.decode(bytes, { stream: !isLast }), isLast)
    if (isLast) rest = withoutEndMark(rest)
    const end = isLast ? rest.length : lastRowEnd(rest)
    if (end === 0 && rest.length > ROW_CHARACTERS_MAX) throw new CsvError(line)
    if (end === 0 && !isLast) continue
    const text = rest.slice(0, end)
    rest = rest.slice(end)
    yield { text, line, bytesRead: Math.min(file.size, at + sliceBytes) }
    line += breaksIn(text)
  }
}

const withLineFeeds = (text: string, isLast: boolean) =>
  text.includes('\r') ? text.replaceAll(isLast ? /\r\n?/g : /\r\n|\r(?=[^\n])/g, '\n') : text

/** DOS ends a text with this character, and CP/M fills the last 128 bytes with it. */
const END_MARK = '\x1a'

function withoutEndMark(text: string): string {
  const lines = text.trimEnd()
  let end = lines.length
  while (lines[end - 1] === END_MARK) end -= 1
  return end === lines.length ? text : lines.slice(0, end)
}

/** The end of the last line that is outside of quotes; 0 without one. */
function lastRowEnd(text: string): number {
  let isQuoted = false
  let end = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isQuoted = !isQuoted
    else if (code === LINE_FEED && !isQuoted) end = at + 1
  }
  return end
}
const QUOTE = 34
const LINE_FEED = 10

const breaksIn = (text: string) => text.split('\n').length - 1

function rowsOf(parse: typeof parseCsv, { text, line }: Block, delimiter: string): CsvRow[] {
  try {
    const records = parse(text, {
      ...{ bom: true, delimiter, trim: true, skip_empty_lines: true, relax_column_count: true, info: true },
      record_delimiter: '\n',
    }) as unknown as { info: { lines: number }; record: string[] }[]
    const rows = records.map(({ info, record }) => ({
      line: line + info.lines - 1 - record.reduce((breaks, cell) => breaks + breaksIn(cell), 0),
      cells: record,
    }))
    // Spreadsheets write delimiters alone for rows that were emptied.
    return rows.filter(({ cells }) => cells.some((cell) => cell !== ''))
  } catch (error) {
    const { lines } = error as { lines?: unknown }
    throw typeof lines === 'number' ? new CsvError(line + lines - 1) : error
  }
}

/** The sign that the header has most of. */
export function delimiterOf(text: string): string {
  const header = (text.split('\n', 1)[0] ?? '').replaceAll(/"[^"]*"/g, '')
  const counts = [',', ';', '\t'].map((sign) => ({ sign, count: header.split(sign).length }))
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).sign
}

/** Spreadsheets write UTF-8, UTF-16 with a mark, or the code page of Windows. */
async function encodingOf(file: Blob, sliceBytes: number): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let at = 0; at < file.size; at += sliceBytes)
      decoder.decode(await file.slice(at, at + sliceBytes).arrayBuffer(), { stream: at + sliceBytes < file.size })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** Cells as a line of a file that spreadsheets open; a leading sign of a formula is defused. */
export const csvLine = (cells: readonly (string | number)[]): string =>
  `${cells
    .map((cell) => {
      const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell)
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join(',')}\r\n`

/** Lines that become one piece: a browser keeps pieces outside the memory of the page. */
const LINES_A_PIECE = 5_000
const LINES_A_REPORT = 500

/** All rows as one file, however many; `progress` gets their number from time to time. */
export async function csvOf(
  head: readonly string[],
  rows: AsyncIterable<readonly string[]>,
  progress: (rows: number) => void = () => undefined,
): Promise<Blob> {
  const pieces: Blob[] = []
  let lines = [csvLine(head)]
  let count = 0
  for await (const row of rows) {
    lines.push(csvLine(row))
    count += 1
    if (count % LINES_A_REPORT === 0) progress(count)
    if (lines.length < LINES_A_PIECE) continue
    pieces.push(new Blob(lines))
    lines = []
  }
  return csvBlob([...pieces, ...lines])
}

const csvBlob = (parts: readonly (string | Blob)[]) =>
  new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' })

/** Offers lines as a file. */
export const saveFile = (name: string, lines: readonly string[]): void => saveBlob(name, csvBlob(lines))

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
