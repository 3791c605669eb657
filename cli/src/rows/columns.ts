/** Columns of a row as members of an object: `address.city` nests, `tags:json` holds JSON, `--map` renames. */
import { type Command, InvalidArgumentError } from 'commander'
import { exitCodes, Failure } from '../failure.ts'
import { ERROR_COLUMNS } from './read.ts'

export interface ColumnRules {
  /** The name of a member by the name of its column. */
  map?: Readonly<Record<string, string>> | undefined
  ignore?: readonly string[] | undefined
}

export type JsonObject = { [key: string]: unknown }

const types = ['string', 'number', 'boolean', 'json'] as const
type CellType = (typeof types)[number]

export interface Member {
  path: readonly string[]
  type: CellType | undefined
}

export const withColumnOptions = (command: Command): Command =>
  command
    .option('--map <column=field>', 'map a column to a field; can be repeated', mapping)
    .option('--ignore <column...>', 'columns to ignore')

function mapping(text: string, before: Record<string, string> = {}): Record<string, string> {
  // From the right: the name of a column may hold the sign, the name of a field does not.
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('It must have the form column=field.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

/** Undefined for a column that is left out. Throws a `Failure` for a name that cannot be a field. */
export function memberOf(column: string, { map = {}, ignore = [] }: ColumnRules): Member | undefined {
  if (column === '' || ignore.includes(column) || ERROR_COLUMNS.some((name) => name === column)) return undefined
  const name = Object.hasOwn(map, column) ? (map[column] ?? '') : column
  const [, field = name, suffix] = /^(.+):([a-z]+)$/s.exec(name) ?? []
  const type = types.find((name) => name === suffix)
  // A backslash keeps the dot in a name.
  const path = (type ? field : name).split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.').trim())
  if (path.includes(''))
    throw new Failure(`The column \`${column}\` cannot be a field: a part between its dots is empty`, {
      hint: `Name the field with --map '${column}=…', or skip it with --ignore '${column}'.`,
      exitCode: exitCodes.wrong,
    })
  return { path, type }
}

/** Remembers what columns mean; JSON lines may bring any number of names. */
export function createColumns(rules: ColumnRules): (column: string) => Member | undefined {
  const members = new Map<string, Member | undefined>()
  return (column) => {
    if (members.has(column)) return members.get(column)
    const member = memberOf(column, rules)
    if (members.size >= KNOWN_MAX) members.clear()
    members.set(column, member)
    return member
  }
}

const KNOWN_MAX = 1_000

/** A `--map` or `--ignore` for a column that is not there is probably misspelled. Throws a `Failure`. */
export function refuseUnknownColumns(columns: readonly string[], { map = {}, ignore = [] }: ColumnRules): void {
  const unknown = [...Object.keys(map), ...ignore].find((name) => !columns.includes(name))
  if (unknown !== undefined)
    throw new Failure(`Unknown column \`${unknown}\``, {
      hint: `The columns are ${columns.filter(Boolean).join(', ')}.`,
      exitCode: exitCodes.wrong,
    })
}

/** Sets a member, making the objects on the way. A sentence when another column is in the way. */
export function setMember(target: JsonObject, path: readonly string[], value: unknown): string | undefined {
  let here = target
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(here, part)) define(here, part, {})
    const next = here[part]
    if (typeof next !== 'object' || next === null || Array.isArray(next))
      return `${path.join('.')} has no place: another column holds ${part}, which is not an object`
    here = next as JsonObject
  }
  const last = path.at(-1) ?? ''
  if (Object.hasOwn(here, last)) return `${path.join('.')} is given by two columns`
  define(here, last, value)
  return undefined
}

/** Assigning would change the prototype for a key like `__proto__`. */
const define = (target: JsonObject, key: string, value: unknown) =>
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })

export type Cell = { value: unknown } | { problem: string } | undefined

/** Undefined for an empty cell, which leaves a field as it is. */
export function cellOf(raw: unknown, { path, type }: Member): Cell {
  if (raw === undefined || raw === '') return undefined
  if (type === undefined || type === 'string' || typeof raw !== 'string') return { value: raw }
  const name = path.join('.')
  if (type === 'json')
    try {
      return { value: JSON.parse(raw) }
    } catch {
      return { problem: `${name} must be JSON` }
    }
  if (type === 'boolean') {
    const word = raw.trim().toLowerCase()
    if (word === 'true' || word === 'false') return { value: word === 'true' }
    return { problem: `${name} must be true or false` }
  }
  const number = Number(raw)
  return raw.trim() !== '' && Number.isFinite(number) ? { value: number } : { problem: `${name} must be a number` }
}
