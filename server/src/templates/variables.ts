/** Variables in the author's text: `{name}`, `{{profile.email}}`, `{$.item.price}`, `{@}`. Read once, looked up by own keys. */
import { ownProperty } from '../base/json/json.ts'
import type { Translator } from './translations/catalog.ts'

export interface Variable {
  /** As the author wrote it: what stands in the text when there is no value. */
  source: string
  /**
   * `name`: data first, then the other roots. `root`: `$.`, the loop and the roots first. `item`: `@`. `value`: what
   * Handlebars put there.
   */
  from: 'name' | 'root' | 'item' | 'value'
  path: readonly string[]
}

/** The data that a variable can read at one point of a rendering. */
export interface VariableScope {
  readonly data: Record<string, unknown>
  readonly roots: Record<string, unknown>
  frame: Frame | undefined
  /** The values of the expanded text that is being read. */
  values?: readonly unknown[] | undefined
  /** Absent: every text is shown as it was written. */
  translator?: Translator | undefined
}

/** One turn of a loop. */
export interface Frame {
  item: unknown
  index: number
  /** The value of `$` in this turn, once it was used. */
  root?: Record<string, unknown>
}

/** Replaces the value of a tag that has none. */
export class MissingValue {
  /** The whole tag. */
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** Begins the name of a value; a private-use character that no author's text keeps. */
export const VALUE = '\uE002'
const VALUE_NAME = /^\uE002\d+$/

/** A longer run of characters between braces is prose or code. */
export const SOURCE_MAX = 200
export const PATH_SOURCE = `(?:@|\\$|[A-Za-z_]\\w*)(?:\\.\\w+|\\[(?:\\d+|"[^"\\]]*"|'[^'\\]]*')\\])*`
const PATH = new RegExp(`^${PATH_SOURCE}$`)
const STEP = /\.?([@$\w]+)|\[["']?([^\]"']*)["']?\]/g

/** Text and variables in turn. A brace after a backslash, and braces around anything but a path, are text. */
export function split(text: string): (string | Variable)[] {
  const parts: (string | Variable)[] = []
  let literal = ''
  let from = 0
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', from)) {
    if (text[open - 1] === '\\' && open > from) {
      literal += `${text.slice(from, open - 1)}{`
      from = open + 1
      continue
    }
    const braces = text[open + 1] === '{' ? (text[open + 2] === '{' ? 3 : 2) : 1
    const inside = text.slice(open + braces, open + braces + SOURCE_MAX)
    const length = inside.indexOf('}')
    const end = open + braces + length + braces
    const path =
      length > 0 && text.slice(end - braces, end) === '}'.repeat(braces) ? inside.slice(0, length).trim() : ''
    if (!PATH.test(path) && !VALUE_NAME.test(path)) {
      literal += text.slice(from, open + 1)
      from = open + 1
      continue
    }
    literal += text.slice(from, open)
    if (literal) parts.push(literal)
    parts.push(variable(path, text.slice(open, end)))
    literal = ''
    from = end
  }
  literal += text.slice(from)
  if (literal) parts.push(literal)
  return parts
}

function variable(text: string, source: string): Variable {
  if (text.startsWith(VALUE)) return { source, from: 'value', path: [text.slice(1)] }
  const path = text.includes('[') ? [...text.matchAll(STEP)].map((step) => step[1] ?? step[2] ?? '') : text.split('.')
  const [first = ''] = path
  if (first === '$') return { source, from: 'root', path: path.slice(1) }
  if (first === '@') return { source, from: 'item', path: path.slice(1) }
  return { source, from: 'name', path }
}

function follow(start: unknown, path: readonly string[]): unknown {
  let value = start
  for (const key of path) {
    if (value === undefined || value === null) return undefined
    value = ownProperty(value, key)
  }
  return value
}

/** `null` and `undefined` both mean that there is no value. */
export function lookUp(variable: Variable, scope: VariableScope): unknown {
  const { path } = variable
  const { frame, data, roots } = scope
  if (variable.from === 'value') return follow(scope.values, path)
  if (variable.from === 'item') return follow(frame?.item, path)
  if (variable.from === 'root') {
    if (frame && (path[0] === 'item' || path[0] === 'index')) return follow(frame, path)
    return follow(roots, path) ?? follow(data, path)
  }
  return (frame ? follow(frame.item, path) : undefined) ?? follow(data, path) ?? follow(roots, path)
}
