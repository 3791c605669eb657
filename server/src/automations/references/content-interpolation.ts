/** Interpolates references into content. Values are passed as template variables, so they are always escaped and never parsed as markup. */
import { isObject, type JsonObject } from '../../base/json/json.ts'
import {
  isLiteral,
  literalIn,
  type Reference,
  ReferenceInvalid,
  referencesIn,
  wholeReference,
  withReferences,
} from './references.ts'

/** The key of the content that holds the values, and the root of their variables. */
export const INTERPOLATED = 'filled_in'

/** Returns the index of the value; undefined: the field is omitted. */
type AddValue = (reference: Reference) => number | undefined

/** Fields with text, URLs or colors. Other fields define what an element is. */
const FIELDS = new Set([
  ...['title', 'body', 'content', 'alt_text', 'href', 'src'],
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
      throw new ReferenceInvalid('cannot be filled in: only words, addresses and colours can', at.join('.'))
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
