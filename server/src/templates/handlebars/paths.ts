/** Names in tags: `order.total`, `this.name`, `../title`, `@index`, `items.[0]`, and the variables of this service's own. */
import type { Variable } from '../variables.ts'

/** The characters of a part of a name. */
export const SEGMENT = '[^\\s!"#%&\'()*+,./;<=>@[\\\\\\]^`{|}~]+'

export interface Path {
  source: string
  /** `this`: the value of the block. `data`: `@index` and its like. `message`: `$.…` and `@.…`, as everywhere. */
  from: 'name' | 'this' | 'data' | 'message'
  /** How many blocks further out: each `../`. */
  up: number
  parts: readonly string[]
}

const PATH = new RegExp(
  `@?(?:\\.\\./)*(?:\\.\\.|\\.(?![\\w[])|${SEGMENT}|\\[[^\\]]*\\])?(?:[./](?:${SEGMENT}|\\[[^\\]]*\\])|\\[[^\\]]*\\])*`,
  'y',
)
const PART = new RegExp(`\\.\\.|${SEGMENT}|\\[([^\\]]*)\\]|\\.`, 'g')

/** Nothing stands before the first point or slash. */
const BEFORE_NAME = /^\/|^\.(?![./]|$)/

/** Moves the cursor on; undefined where no name stands. */
export function readPath(cursor: { text: string; at: number }): Path | undefined {
  PATH.lastIndex = cursor.at
  const source = PATH.exec(cursor.text)?.[0] ?? ''
  if (source === '' || BEFORE_NAME.test(source)) return undefined
  cursor.at += source.length
  return pathOf(source)
}

/** Most names, which need no pattern to be cut. */
const PLAIN = /^(?!this\b)[A-Za-z_]\w*(?:\.(?!this\b)[A-Za-z_]\w*)*$/

/** The path of a source that is a whole name. */
export function pathOf(source: string): Path {
  if (PLAIN.test(source)) return { source, from: 'name', up: 0, parts: source.split('.') }
  const isData = source.startsWith('@')
  const found = [...source.slice(isData ? 1 : 0).matchAll(PART)]
  const segments = found.map((part) => part[1]?.replace(/^["']|["']$/g, '') ?? part[0]).filter((part) => part !== '.')
  const up = segments.filter((part) => part === '..').length
  const parts = segments.slice(up)
  if (isData)
    return /^@[A-Za-z.]/.test(source) && parts.length > 0 ? dataPath(source, up, parts) : message(source, parts)
  if (parts[0] === '$') return message(source, parts)
  if (parts[0] === 'this') return { source, from: 'this', up, parts: parts.slice(1) }
  return { source, from: parts.length === 0 ? 'this' : 'name', up, parts }
}

const message = (source: string, parts: readonly string[]): Path => ({ source, from: 'message', up: 0, parts })

/** `@.name` is the item of the loop that the element stands in. */
const dataPath = (source: string, up: number, parts: readonly string[]): Path =>
  source.startsWith('@.') && !source.startsWith('@..') ? message(source, parts) : { source, from: 'data', up, parts }

export const variableOf = ({ source, parts }: Path): Variable =>
  source.startsWith('@') ? { source, from: 'item', path: parts } : { source, from: 'root', path: parts.slice(1) }
