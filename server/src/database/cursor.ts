/** Cursors: the sort key of the last row of a page, opaque to callers and valid without limit. */
import { invalidRequest } from '../base/errors.ts'
import { timedIdPattern } from '../base/ids.ts'
import { isStorable } from '../base/json/json.ts'

export interface Page<Row> {
  rows: Row[]
  /** Absent on the last page. */
  cursor?: string
}

/** Base64url without padding: some clients encode query values twice. */
export function encodeCursor(...key: (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** `timedId`: the id of a message, run or request, whose order is that of time. */
type Kind = 'string' | 'timedId' | 'number'
type ValueOf<Of extends Kind> = Of extends 'number' ? number : string

const timedIds = new RegExp(timedIdPattern)

/** Throws a 400 unless the cursor holds exactly these kinds of values. */
export function decodeCursor<const Kinds extends readonly Kind[]>(
  cursor: string,
  kinds: Kinds,
): { -readonly [I in keyof Kinds]: ValueOf<Kinds[I]> } {
  const key = parse(cursor)
  if (!Array.isArray(key) || key.length !== kinds.length || !kinds.every((kind, index) => fits(kind, key[index])))
    throw invalidRequest('The cursor is malformed', { code: 'invalid_cursor' })
  return key as { -readonly [I in keyof Kinds]: ValueOf<Kinds[I]> }
}

function fits(kind: Kind, value: unknown): boolean {
  if (kind === 'number') return Number.isSafeInteger(value)
  if (typeof value !== 'string' || value === '') return false
  return kind === 'timedId' ? timedIds.test(value) : isStorable(value)
}

function parse(cursor: string): unknown {
  try {
    return /^[\w-]+$/.test(cursor) ? JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) : undefined
  } catch {
    return undefined
  }
}

/** Turns `limit + 1` rows into a page of `limit`. */
export function pageOf<Row>(fetchedRows: Row[], limit: number, keyOf: (row: Row) => (string | number)[]): Page<Row> {
  const rows = fetchedRows.slice(0, limit)
  const last = rows.at(-1)
  return fetchedRows.length > limit && last ? { rows, cursor: encodeCursor(...keyOf(last)) } : { rows }
}
