/** Columns of a file as fields of the users of a bulk job: guessed by their names, changed by hand, applied to each row. */
import type { BulkUser } from '@postrider/client'
import type { CsvRow } from '../parts/csv.ts'

export const fieldKinds = ['recipient', 'email', 'phone_number', 'locale', 'profile', 'data', 'ignored'] as const
export type FieldKind = (typeof fieldKinds)[number]
export const cellTypes = ['text', 'number', 'boolean', 'json'] as const
export type CellType = (typeof cellTypes)[number]

export interface Column {
  header: string
  kind: FieldKind
  /** The name of the field, for `profile` and `data`; dots lead into objects. */
  name: string
  type: CellType
}

export type ProblemCode = 'unreachable' | 'email' | 'type' | 'cells' | 'id' | 'path' | 'duplicate' | 'refused'

export interface Problem {
  code: ProblemCode
  /** The column, the other line, or the sentence of the server. */
  detail: string
}

/** As long as the API takes an id. */
const ID_CHARACTERS_MAX = 256

const names: readonly (readonly [FieldKind, RegExp])[] = [
  ['recipient', /^(?:recipient|user|customer|kunden?)?[ _-]?(?:id|nr|nummer)$|^(?:recipient|user)$/i],
  ['email', /^(?:e-?mail|mail)(?:[ _-]?(?:address|adresse))?$/i],
  ['phone_number', /^(?:(?:tele)?phone|mobile|tel|telefon|handy|sms)(?:[ _-]?(?:number|nr|nummer))?$/i],
  ['locale', /^(?:locale|lang|language|sprache)$/i],
]

/** A field has one column: the second `id` of a file is a value of the template. */
export function guessColumns(header: readonly string[]): Column[] {
  const used = new Set<FieldKind>()
  return header.map((title) => {
    const [path = '', suffix] = title.split(':', 2)
    const type = cellTypes.find((option) => option === suffix) ?? 'text'
    const [, root, name] = /^(profile|data)\.(.+)$/.exec(path) ?? []
    const plain = root === 'profile' && name !== undefined ? name : path
    const kind = names.find(([, pattern]) => pattern.test(plain.trim()))?.[0]
    if (kind && root !== 'data' && !(root === 'profile' && kind === 'recipient') && !used.has(kind)) {
      used.add(kind)
      return { header: title, kind, name: nameOf(plain), type: 'text' }
    }
    if (path.trim() === '') return { header: title, kind: 'ignored', name: '', type }
    return { header: title, kind: root === 'profile' ? 'profile' : 'data', name: nameOf(name ?? path), type }
  })
}

/** A name that a template can read: `First name` is `First_name`. */
const nameOf = (title: string) =>
  title
    .trim()
    .replaceAll(/[^\p{L}\p{N}_.]+/gu, '_')
    .replaceAll(/^[_.]+|[_.]+$/g, '')

/** The reason why columns cannot be used: each name is needed, and each field has one column. */
export function columnError(columns: readonly Column[]): 'nameless' | 'twice' | 'unreachable' | undefined {
  const paths = columns.filter(({ kind }) => kind !== 'ignored').map(pathOf)
  if (paths.some((path) => path.split('.').some((part) => part === ''))) return 'nameless'
  if (new Set(paths).size < paths.length) return 'twice'
  return columns.some(({ kind }) => ['recipient', 'email', 'phone_number', 'profile'].includes(kind))
    ? undefined
    : 'unreachable'
}

export const pathOf = ({ kind, name }: Column): string =>
  kind === 'profile' || kind === 'data' ? `${kind}.${name}` : kind === 'recipient' ? kind : `profile.${kind}`

export type JobUser = BulkUser & { recipient: string }
export type ReadRow = { user: JobUser } | { problem: Problem }

/** `idOfLine`: the id of a user without one, the same whenever the row is added to the job. */
export function readRow(
  { line, cells }: CsvRow,
  columns: readonly Column[],
  idOfLine: (line: number) => string,
): ReadRow {
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return { problem: { code: 'cells', detail: String(cells.length) } }
  const user: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '' || column.kind === 'ignored') continue
    const value = cellValue(cell, column.type)
    if (value === undefined) return { problem: { code: 'type', detail: column.header } }
    if (column.kind === 'email' && !/^[^\s@]+@[^\s@]+$/.test(cell)) return { problem: { code: 'email', detail: cell } }
    if (!setAt(user, pathOf(column).split('.'), value)) return { problem: { code: 'path', detail: column.header } }
  }
  const { recipient = user.profile === undefined ? undefined : idOfLine(line) } = user
  if (recipient === undefined) return { problem: { code: 'unreachable', detail: '' } }
  const id = String(recipient)
  if (id.length > ID_CHARACTERS_MAX) return { problem: { code: 'id', detail: String(ID_CHARACTERS_MAX) } }
  return { user: { ...user, recipient: id } }
}

function cellValue(cell: string, type: CellType): unknown {
  if (type === 'text') return cell
  if (type === 'boolean')
    return /^(?:true|yes|ja|1)$/i.test(cell) ? true : /^(?:false|no|nein|0)$/i.test(cell) ? false : undefined
  if (type === 'number') return Number.isFinite(Number(cell)) ? Number(cell) : undefined
  try {
    return JSON.parse(cell) as unknown
  } catch {
    return undefined
  }
}

/** False where another column has put a value that is no object. */
function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  const [first = '', ...rest] = path
  if (first === '__proto__') return false
  if (rest.length === 0) {
    if (Object.hasOwn(target, first)) return false
    target[first] = value
    return true
  }
  const inner = Object.hasOwn(target, first) ? target[first] : (target[first] = {})
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    ? setAt(inner as Record<string, unknown>, rest, value)
    : false
}
