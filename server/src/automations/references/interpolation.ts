/** Interpolates references into the fields of a step and into content. An interpolated value is data, never read for references or markup. */
import { bodyBytesMax } from '@postrider/contract'
import { type Budget, budgetOf } from '../../base/budget.ts'
import { evaluate } from '../../base/expression/expression.ts'
import { isObject, type JsonObject, valueAt } from '../../base/json/json.ts'
import {
  expressionOf,
  isLiteral,
  literalIn,
  pathParts,
  type Reference,
  ReferenceInvalid,
  type ReferenceScope,
  referencesIn,
  wholeReference,
  withReferences,
} from './references.ts'

/** The kinds of the fields of a step, as paths of keys with dots between; positions in lists do not count. */
export interface FieldKinds {
  /** Identifiers: a value must not be missing. Fields below one are identifiers too, except free text. */
  names?: readonly string[]
  /** URLs: a value in the path or query is percent-encoded. */
  addresses?: readonly string[]
  /** Content with text of its own: values are passed as template variables. */
  content?: string
}

/** `around`: an object that can contain the content. */
type FieldKind = 'text' | 'name' | 'address' | 'content' | 'around'

/** Free text below an identifier. */
const FREE = /\.(?:data|profile|preferences|properties)(?:\.|$)/

export function fieldKindOf(at: string, { names = [], addresses = [], content }: FieldKinds): FieldKind {
  if (addresses.includes(at)) return 'address'
  if (content !== undefined && at === content) return 'content'
  if (content !== undefined && at !== '' && content.startsWith(`${at}.`)) return 'around'
  const isName = names.some((name) => at === name || (at.startsWith(`${name}.`) && !FREE.test(at.slice(name.length))))
  return isName ? 'name' : 'text'
}

/** The interpolated values exceed the maximum size of a body. */
export class ValuesTooLarge extends Error {
  override readonly name = 'ValuesTooLarge'
}

/** Fields, at any depth, that are a reference without a value. */
export function missingIn(value: JsonObject, scope: ReferenceScope, at = ''): { field: string; path: string }[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const field = `${at}${key}`
    const path = wholeReference(item)
    if (path !== undefined) return valueAt(scope, pathParts(path)) === undefined ? [{ field, path }] : []
    return isObject(item) && !isLiteral(item) ? missingIn(item, scope, `${field}.`) : []
  })
}

/** Interpolates all references in the value. Fields whose reference has no value are omitted. Throws `ValuesTooLarge` and `ReferenceInvalid`. */
export function resolve(value: unknown, scope: ReferenceScope, fieldKinds: FieldKinds = {}): unknown {
  let characters = 0
  const budget = budgetOf()
  const sizes = new Map<string, number>()
  const filled = fill(value, '')
  if (characters > 0) count(sizeOf(filled) - characters)
  return filled

  /** A value that is used many times takes memory only when it is serialized: the sum is checked before. */
  function count(more: number): void {
    characters += more
    if (characters > bodyBytesMax) throw tooLarge()
  }

  /** `at`: the path of keys to this value, without positions in lists. */
  function fill(part: unknown, at: string): unknown {
    const place = fieldKindOf(at, fieldKinds)
    if (place === 'content') return contentWithValues(part, scope, budget, count)
    const path = wholeReference(part)
    if (path !== undefined) return place === 'around' ? withoutContent(taken(path)) : taken(path)
    if (typeof part === 'string') return words(part, place)
    if (Array.isArray(part)) return part.map((item) => fill(item, at) ?? null)
    if (!isObject(part)) return part
    if (isLiteral(part)) return literalIn(part)
    const entries = Object.entries(part).map(([key, item]) => [key, inside(key, item, at)] as const)
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }

  function inside(key: string, item: unknown, at: string): unknown {
    try {
      return fill(item, at === '' ? key : `${at}.${key}`)
    } catch (error) {
      if (!(error instanceof ReferenceInvalid)) throw error
      const field = [key, error.message.slice(0, -error.reason.length).trim()].filter(Boolean).join('.')
      throw new ReferenceInvalid(error.reason, field)
    }
  }

  function taken(path: string): unknown {
    const value = valueAt(scope, pathParts(path))
    const size = sizes.get(path) ?? sizeOf(value)
    sizes.set(path, size)
    count(size + 1)
    return value
  }

  function words(text: string, place: ReturnType<typeof fieldKindOf>): string {
    if (!text.includes('${')) return text
    return withReferences(text, (source, before) => {
      const made = textOf(evaluate(expressionOf(source), [scope], budget), place, source)
      count(made.length + 1)
      if (place !== 'address') return made
      const put = interpolateUrl(
        withReferences(before, () => MISSING_VALUE),
        made,
      )
      if (put !== undefined) return put
      throw new ReferenceInvalid(`holds \`\${${source}}\`, which is \`${made}\` and would lead to another path`)
    })
  }
}

/** A message from a reference is data: it must not bring content, which would be parsed as a template. */
function withoutContent(message: unknown): unknown {
  if (isObject(message) && message.content !== undefined && message.content !== null)
    throw new ReferenceInvalid(
      'takes its content from a reference: only the words and addresses in one can be filled in',
    )
  return message
}

function contentWithValues(
  rawContent: unknown,
  scope: ReferenceScope,
  budget: Budget,
  count: (characters: number) => void,
): unknown {
  const values: string[] = []
  const content = interpolateContent(rawContent, ({ kind, source }) => {
    const value = kind === 'path' ? valueAt(scope, pathParts(source)) : evaluate(expressionOf(source), [scope], budget)
    if (kind === 'path' && value === undefined) return undefined
    const made = textOf(value)
    count(made.length + 1)
    return values.push(made) - 1
  })
  return values.length > 0 && isObject(content) ? { ...content, [INTERPOLATED]: values } : content
}

/** An identifier with a missing value could be that of another user. */
function textOf(value: unknown, place = 'text', source = ''): string {
  const isName = place === 'name' || place === 'address'
  if (isName && (value === undefined || value === null))
    throw new ReferenceInvalid(`holds \`${source}\`, which leads to no value`)
  if (isName && value === '') throw new ReferenceInvalid(`holds \`${source}\`, which is empty`)
  return typeof value === 'object' && value !== null ? written(value) : String(value ?? '')
}

const sizeOf = (value: unknown) => (value === undefined ? 0 : written(value).length)

function written(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // A string longer than JavaScript allows.
    if (error instanceof RangeError) throw tooLarge(error)
    throw error
  }
}

const tooLarge = (cause?: unknown) =>
  new ValuesTooLarge(`The values of the step are larger than ${bodyBytesMax / 1_048_576} MB`, { cause })

/** Takes the place of a value that is not known yet. */
export const MISSING_VALUE = '\0'

const ORIGIN = /^(?:[^:/?#]*:\/\/)?[^/?#]*[/?#]/

/** The value as it is appended to this start of a URL; undefined if it would lead to another path. */
function interpolateUrl(before: string, value: string): string | undefined {
  // Values that form the origin, or the whole URL, are used unchanged.
  if (!ORIGIN.test(before)) return value
  // However they are encoded, servers resolve them to another path.
  if (/^\.\.?$/.test(value) && !/[?#]/.test(before)) return undefined
  return encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}

/** The key of the content with the values, passed as template variables: always escaped, never parsed as markup. */
const INTERPOLATED = 'filled_in'

/** Returns the index of the value; undefined: the field is omitted. */
type AddValue = (reference: Reference) => number | undefined

/** Fields with text, URLs or colors. Other fields define what an element is. */
const FIELDS = new Set([
  ...['title', 'preheader', 'body', 'content', 'alt_text', 'href', 'src'],
  ...['color', 'background_color', 'border_color'],
])

const variable = (place: number) => `{$.${INTERPOLATED}.${place}}`

/** Throws `ReferenceInvalid`, with the place in the content, where values are not allowed. */
export function interpolateContent(content: unknown, addValue: AddValue): unknown {
  return part(content, [], addValue)
}

function part(value: unknown, at: readonly (string | number)[], addValue: AddValue): unknown {
  const path = wholeReference(value)
  if (path !== undefined || typeof value === 'string') {
    if (path === undefined && !referencesIn(value).length) return unescaped(value)
    if (!isFree(at))
      throw new ReferenceInvalid('cannot be filled in: only words, addresses and colors can', at.join('.'))
    if (path === undefined)
      return withReferences(String(value), (source) => stand({ kind: 'expression', source }) ?? '')
    return stand({ kind: 'path', source: path })
  }
  if (Array.isArray(value)) return value.map((item, index) => part(item, [...at, index], addValue))
  if (!isObject(value)) return value
  if (isLiteral(value)) return literalIn(value)
  return fields(value, at, addValue)

  function stand(reference: Reference): string | undefined {
    const place = addValue(reference)
    return place === undefined ? undefined : variable(place)
  }
}

function fields(value: JsonObject, at: readonly (string | number)[], addValue: AddValue): JsonObject {
  const entries = Object.entries(value).map(([key, item]) => [key, part(item, [...at, key], addValue)] as const)
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

/** `raw` is text for one channel, under names of its own. */
const isFree = (at: readonly (string | number)[]) => FIELDS.has(String(at.at(-1))) || at.includes('raw')

const unescaped = (text: unknown) => withReferences(String(text), () => '')
