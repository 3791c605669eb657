/** References in the fields of steps, filled in from a scope: `$ref`, `refs.…`, `${…}`. What was filled in is data and never looked at again. */
import { bodyBytesMax, bodyDepthMax } from '@postrider/contract'
import { compileExpression, type Expression, evaluate } from '../base/expression.ts'
import { isObject, type JsonObject } from '../base/merge.ts'

/** A value refers to something in a way that cannot be read; the text is the end of a sentence. */
export class ReferenceInvalid extends Error {
  override readonly name = 'ReferenceInvalid'
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

/** The texts that refer to something, wherever they are in the value; throws when one of them cannot be read. */
export function referencesIn(value: unknown, depth = 0): string[] {
  if (depth > bodyDepthMax) throw new ReferenceInvalid('is nested too deeply')
  if (typeof value === 'string') {
    if (REFS.test(value)) return [value]
    const found = [...value.matchAll(TEMPLATE)].filter(([, slash]) => !slash).map(([, , source = '']) => source)
    for (const source of found) expressionOf(source)
    return found
  }
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, depth + 1))
  if (!isObject(value)) return []
  if (Object.hasOwn(value, VALUE)) return ['']
  if (Object.hasOwn(value, '$ref')) return [pathOf(value)]
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

const partsOf = (path: string) => path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')

/** Own properties only; undefined where the path leads nowhere. */
export function valueAt(scope: unknown, path: string): unknown {
  let value = scope
  for (const part of partsOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as JsonObject)[part]
  }
  return value
}

/** The value with everything it refers to; a text made of a template is a text. Keys that lead nowhere are left out; a hole in a text is `empty`, or `refused` where it would be another name. Throws `ValuesTooLarge`. */
export function resolve(value: unknown, scope: Scope, missing: 'empty' | 'refused' = 'empty'): unknown {
  let characters = 0
  const sizes = new Map<string, number>()
  const filled = fill(value)
  if (characters > 0) count(sizeOf(filled) - characters)
  return filled

  /** What is taken many times takes no memory until it is written, and then too much: the sum is known before. */
  function count(more: number): void {
    characters += more
    if (characters > bodyBytesMax) throw tooLarge()
  }

  function fill(part: unknown): unknown {
    if (typeof part === 'string') return REFS.test(part) ? taken(part) : words(part)
    if (Array.isArray(part)) return part.map((item) => fill(item) ?? null)
    if (!isObject(part)) return part
    if (Object.hasOwn(part, VALUE)) return part[VALUE]
    if (Object.hasOwn(part, '$ref')) return taken(pathOf(part))
    const entries = Object.entries(part).map(([key, item]) => [key, fill(item)] as const)
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }

  function taken(path: string): unknown {
    const found = valueAt(scope, path)
    const size = sizes.get(path) ?? sizeOf(found)
    sizes.set(path, size)
    count(size + 1)
    return found
  }

  function words(text: string): string {
    if (!text.includes('${')) return text
    return text.replaceAll(TEMPLATE, (whole: string, slash: string, source: string) => {
      if (slash) return whole.slice(1)
      const found = evaluate(expressionOf(source), scope)
      if (missing === 'refused' && (found === undefined || found === null || found === ''))
        throw new ReferenceInvalid(`holds \`\${${source}}\`, which is missing`)
      const made = typeof found === 'object' && found !== null ? written(found) : String(found ?? '')
      count(made.length + 1)
      return made
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
