/** References in the fields of steps, filled in from a scope: `$ref`, `refs.…`, `${…}`. What was filled in is data and never looked at again. */
import { bodyBytesMax, bodyDepthMax } from '@postrider/contract'
import { compileExpression, type Expression, evaluate } from '../base/expression.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import { HOLE, inAddress } from './addresses.ts'

/** A value refers to something in a way that cannot be read or filled in. */
export class ReferenceInvalid extends Error {
  override readonly name = 'ReferenceInvalid'
  /** The end of a sentence about the field. */
  readonly fault: string

  /** `field` is its path in the step, once it is known. */
  constructor(fault: string, field = '') {
    super(field === '' ? fault : `${field} ${fault}`)
    this.fault = fault
  }
}

/** What was filled in is larger than a body may be. */
export class ValuesTooLarge extends Error {
  override readonly name = 'ValuesTooLarge'
}

export type Scope = Record<string, unknown>

const ROOTS = new Set(['data', 'profile', 'recipient', 'template', 'brand', 'refs'])
const PATH = /^[A-Za-z_$][\w$-]*(?:\.[\w$-]+|\[\d{1,6}\])*$/
const REFS = /^refs(?:\.[\w$-]+|\[\d{1,6}\])+$/
/** A backslash before it keeps the words as they are. */
const TEMPLATE = /(\\?)\$\{([^}]*)\}/g
const UNCLOSED = /(?<!\\)\$\{/
/** Nothing of an object of this language can be reached; these names say that somebody tried. */
const BENEATH = /(?:\.\s*|\[\s*['"`])(?:__proto__|prototype|constructor)\b|\b__proto__\b/

/** Holds a literal value: nothing in it is a reference. */
const VALUE = '$value'
export const literal = (value: unknown): JsonObject => ({ [VALUE]: value })

/** With literal values in the place of what holds them. */
export function withoutLiterals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLiterals)
  if (!isObject(value)) return value
  if (Object.hasOwn(value, VALUE)) return value[VALUE]
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutLiterals(item)]))
}

const compiled = new Map<string, Expression>()
const COMPILED_MAX = 2_000

/** Throws `ExpressionInvalid` and `ReferenceInvalid`. */
export function expressionOf(source: string): Expression {
  const known = compiled.get(source)
  if (known) return known
  if (BENEATH.test(source)) throw new ReferenceInvalid('reaches beneath the data: no prototype or constructor is there')
  const expression = compileExpression(source)
  if (compiled.size >= COMPILED_MAX) compiled.clear()
  compiled.set(source, expression)
  return expression
}

/** With something else in the place of each `${…}`. */
export const withReferences = (text: string, made: string): string =>
  text.replaceAll(TEMPLATE, (whole: string, slash: string) => (slash ? whole.slice(1) : made))

export interface Reference {
  /** `literal`: a value that is not looked at for references. */
  kind: 'path' | 'expression' | 'literal'
  source: string
}

/** What refers to something, wherever it is in the value; throws when it cannot be read. */
export function referencesIn(value: unknown, depth = 0): Reference[] {
  if (depth > bodyDepthMax) throw new ReferenceInvalid('is nested too deeply')
  if (typeof value === 'string') {
    if (REFS.test(value)) return [{ kind: 'path', source: value }]
    const found = [...value.matchAll(TEMPLATE)].filter(([, slash]) => !slash).map(([, , source = '']) => source)
    for (const source of found) expressionOf(source)
    if (UNCLOSED.test(value.replaceAll(TEMPLATE, ''))) throw new ReferenceInvalid('has a `${` that is not closed')
    return found.map((source) => ({ kind: 'expression', source }))
  }
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, depth + 1))
  if (!isObject(value)) return []
  if (Object.hasOwn(value, VALUE)) return [{ kind: 'literal', source: '' }]
  if (Object.hasOwn(value, '$ref')) return [{ kind: 'path', source: pathOf(value) }]
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === '__proto__') throw new ReferenceInvalid('has a key `__proto__`')
    return referencesIn(item, depth + 1)
  })
}

/** Of a `{$ref: path}`. */
function pathOf(value: JsonObject): string {
  const path = value.$ref
  if (Object.keys(value).length > 1) throw new ReferenceInvalid('has keys beside `$ref`')
  if (typeof path !== 'string' || path.length > 512 || !PATH.test(path))
    throw new ReferenceInvalid('has a `$ref` that is no path such as `data.order.id`')
  const parts = partsOf(path)
  if (parts.length > bodyDepthMax) throw new ReferenceInvalid('has a `$ref` of too many parts')
  if (BENEATH.test(path)) throw new ReferenceInvalid('has a `$ref` that reaches beneath the data')
  if (!ROOTS.has(parts[0] ?? ''))
    throw new ReferenceInvalid(`has a \`$ref\` that begins with none of ${[...ROOTS].join(', ')}`)
  return path
}

export const partsOf = (path: string) => path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')

/** Own properties only; undefined where the path leads nowhere. */
export function valueAt(scope: unknown, path: string): unknown {
  let value = scope
  for (const part of partsOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as JsonObject)[part]
  }
  return value
}

/** The fields, at any depth of objects, whose whole value is to be taken from where there is none. */
export function missingIn(value: JsonObject, scope: Scope, at = ''): { field: string; path: string }[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const field = `${at}${key}`
    const isObjectOf = isObject(item) && !Object.hasOwn(item, VALUE)
    if (isObjectOf && !Object.hasOwn(item, '$ref')) return missingIn(item, scope, `${field}.`)
    const path = isObjectOf ? pathOf(item) : typeof item === 'string' && REFS.test(item) ? item : undefined
    return path !== undefined && valueAt(scope, path) === undefined ? [{ field, path }] : []
  })
}

export interface Filling {
  /** A hole in a text: refused where it would be another name; else it is empty. */
  missing?: 'empty' | 'refused'
  /** Where in the value an address is. */
  address?: readonly string[] | undefined
}

/** The value with everything it refers to; a text made of a template is a text. Keys that lead nowhere are left out. Throws `ValuesTooLarge` and `ReferenceInvalid`. */
export function resolve(value: unknown, scope: Scope, { missing = 'empty', address }: Filling = {}): unknown {
  let characters = 0
  const sizes = new Map<string, number>()
  const filled = fill(value, address)
  if (characters > 0) count(sizeOf(filled) - characters)
  return filled

  /** What is taken many times takes no memory until it is written, and then too much: the sum is known before. */
  function count(more: number): void {
    characters += more
    if (characters > bodyBytesMax) throw tooLarge()
  }

  function fill(part: unknown, at?: readonly string[]): unknown {
    if (typeof part === 'string') return REFS.test(part) ? taken(part) : words(part, at?.length === 0)
    if (Array.isArray(part)) return part.map((item) => fill(item) ?? null)
    if (!isObject(part)) return part
    if (Object.hasOwn(part, VALUE)) return part[VALUE]
    if (Object.hasOwn(part, '$ref')) return taken(pathOf(part))
    const entries = Object.entries(part).map(([key, item]) => [key, inside(key, item, at)] as const)
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }

  function inside(key: string, item: unknown, at: readonly string[] | undefined): unknown {
    try {
      return fill(item, at?.[0] === key ? at.slice(1) : undefined)
    } catch (error) {
      if (!(error instanceof ReferenceInvalid)) throw error
      const field = [key, error.message.slice(0, -error.fault.length).trim()].filter(Boolean).join('.')
      throw new ReferenceInvalid(error.fault, field)
    }
  }

  function taken(path: string): unknown {
    const found = valueAt(scope, path)
    const size = sizes.get(path) ?? sizeOf(found)
    sizes.set(path, size)
    count(size + 1)
    return found
  }

  function words(text: string, isAddress: boolean): string {
    if (!text.includes('${')) return text
    return text.replaceAll(TEMPLATE, (whole: string, slash: string, source: string, offset: number) => {
      if (slash) return whole.slice(1)
      const found = evaluate(expressionOf(source), scope)
      if (missing === 'refused' && (found === undefined || found === null || found === ''))
        throw new ReferenceInvalid(`holds \`\${${source}}\`, which is missing`)
      const made = typeof found === 'object' && found !== null ? written(found) : String(found ?? '')
      count(made.length + 1)
      if (!isAddress) return made
      const put = inAddress(withReferences(text.slice(0, offset), HOLE), made)
      if (put !== undefined) return put
      throw new ReferenceInvalid(`holds \`\${${source}}\`, which is \`${made}\` and would lead to another path`)
    })
  }
}

const sizeOf = (value: unknown) => (value === undefined ? 0 : written(value).length)

function written(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // A text longer than the engine can hold.
    if (error instanceof RangeError) throw tooLarge(error)
    throw error
  }
}

const tooLarge = (cause?: unknown) =>
  new ValuesTooLarge(`The values of the step are larger than ${bodyBytesMax / 1_048_576} MB`, { cause })
