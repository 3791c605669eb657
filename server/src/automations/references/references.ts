/** Finds and parses references in the fields of steps: `$ref`, `refs.…`, `${…}`. */

import { bodyDepthMax } from '@postrider/contract'
import { compileExpression, type Expression } from '../../base/expression/expression.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { memo } from '../../base/perf/cache.ts'
import { quotedList } from '../../base/quote.ts'

/** A reference is invalid, or has no value where one is required. */
export class ReferenceInvalid extends Error {
  override readonly name = 'ReferenceInvalid'
  /** The end of a sentence about the field. */
  readonly reason: string
  /** Its path in the step, once it is known. */
  readonly field: string

  constructor(reason: string, field = '') {
    super(field === '' ? reason : `${field} ${reason}`)
    this.reason = reason
    this.field = field
  }
}

export type ReferenceScope = Record<string, unknown>

const ROOTS = new Set(['data', 'profile', 'recipient', 'template', 'brand', 'refs'])
const PATH = /^[A-Za-z_$][\w$-]*(?:\.[\w$-]+|\[\d{1,6}\])*$/
const REFS = /^refs(?:\.[\w$-]+|\[\d{1,6}\])+$/
/** Names that would reach the prototype of a JavaScript object. */
const BENEATH = /(?:\.\s*|\[\s*['"`])(?:__proto__|prototype|constructor)\b|\b__proto__\b/

/** The key of an object that wraps a literal value: nothing in it is a reference. */
const VALUE = '$value'
export const literal = (value: unknown): JsonObject => ({ [VALUE]: value })
export const isLiteral = (value: JsonObject): boolean => Object.hasOwn(value, VALUE)
/** The literal value of the wrapper. */
export const literalIn = (value: JsonObject): unknown => value[VALUE]

/** Replaces wrappers by their literal values. */
export function withoutLiterals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLiterals)
  if (!isObject(value)) return value
  if (isLiteral(value)) return literalIn(value)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutLiterals(item)]))
}

const COMPILED_MAX = 2_000

/** Throws `ExpressionInvalid` and `ReferenceInvalid`. */
export const expressionOf = memo(COMPILED_MAX, (source): Expression => {
  if (BENEATH.test(source)) throw new ReferenceInvalid('reaches beneath the data: no prototype or constructor is there')
  return compileExpression(source)
})

/** Replaces each `${…}`; `before` is the text in front of it. */
export function withReferences(text: string, make: (source: string, before: string) => string): string {
  const parts: string[] = []
  let from = 0
  for (const { start, end, source, isEscaped } of templatesIn(text)) {
    const put = isEscaped ? text.slice(start, end) : make(source, text.slice(0, start))
    parts.push(text.slice(from, isEscaped ? start - 1 : start), put)
    from = end
  }
  return from === 0 ? text : parts.join('') + text.slice(from)
}

/** Each `${…}` in order; a backslash before one escapes it. A single pass, so that unclosed ones cost no more. */
function* templatesIn(text: string) {
  for (let from = 0; ; ) {
    const start = text.indexOf('${', from)
    const close = start < 0 ? -1 : text.indexOf('}', start)
    if (close < 0) return
    const end = close + 1
    yield { start, end, source: text.slice(start + 2, close), isEscaped: start > from && text[start - 1] === '\\' }
    from = end
  }
}

const UNCLOSED = /(?<!\\)\$\{/

export interface Reference {
  /** `literal`: a wrapped value, which is not searched for references. */
  kind: 'path' | 'expression' | 'literal'
  source: string
}

/** All references in the value, at any depth. Throws `ReferenceInvalid` and `ExpressionInvalid`. */
export function referencesIn(value: unknown, depth = 0): Reference[] {
  if (depth > bodyDepthMax) throw new ReferenceInvalid('is nested too deeply')
  if (typeof value === 'string') {
    if (REFS.test(value)) return [{ kind: 'path', source: value }]
    const occurrences = [...templatesIn(value)]
    const sources = occurrences.filter(({ isEscaped }) => !isEscaped).map(({ source }) => source)
    for (const source of sources) expressionOf(source)
    if (UNCLOSED.test(value.slice(occurrences.at(-1)?.end ?? 0)))
      throw new ReferenceInvalid('has a `${` that is not closed')
    return sources.map((source) => ({ kind: 'expression', source }))
  }
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, depth + 1))
  if (!isObject(value)) return []
  if (isLiteral(value)) return [{ kind: 'literal', source: '' }]
  if (Object.hasOwn(value, '$ref')) return [{ kind: 'path', source: pathOf(value) }]
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === '__proto__') throw new ReferenceInvalid('has a key `__proto__`')
    return referencesIn(item, depth + 1)
  })
}

/** The path of a reference that is the whole value; undefined for any other value. */
export function wholeReference(value: unknown): string | undefined {
  if (typeof value === 'string') return REFS.test(value) ? value : undefined
  return isObject(value) && Object.hasOwn(value, '$ref') && !isLiteral(value) ? pathOf(value) : undefined
}

/** The path of a `{$ref: path}`. */
function pathOf(value: JsonObject): string {
  const path = value.$ref
  if (Object.keys(value).length > 1) throw new ReferenceInvalid('has keys beside `$ref`')
  if (typeof path !== 'string' || path.length > 512 || !PATH.test(path))
    throw new ReferenceInvalid('has a `$ref` that is not a path such as `data.order.id`')
  const parts = pathParts(path)
  if (parts.length > bodyDepthMax) throw new ReferenceInvalid('has a `$ref` of too many parts')
  if (BENEATH.test(path)) throw new ReferenceInvalid('has a `$ref` that reaches beneath the data')
  if (!ROOTS.has(parts[0] ?? ''))
    throw new ReferenceInvalid(`has a \`$ref\` that does not begin with one of ${quotedList(ROOTS)}`)
  return path
}

export const pathParts = (path: string) => path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
