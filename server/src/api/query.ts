/** Reads a query string as old and new clients write it, into the shape the contract declares. */
import type { TProperties } from 'typebox'
import { invalidRequest } from '../base/errors.ts'
import { isStorable } from '../base/json/json-bounds.ts'
import { nearestName } from '../base/nearest-name.ts'
import { didYouMean, quoted } from '../base/quote.ts'

interface Parameter {
  kind: 'text' | 'list' | 'boolean' | 'integer'
  /** The values of an enumeration by their names in lower case. */
  values: ReadonlyMap<string, string>
  minimum: number
  maximum: number
}
export type QueryReader = (raw: string) => Record<string, unknown>

// 3 filters of 50 values each, and some more.
const PARAMETERS_MAX = 200

/**
 * Absent, empty, `undefined` and `null` are the same; a boolean by its name alone is true. `liberal`: unknown parameters
 * and numbers that cannot be read are ignored, and numbers out of bounds are read as the nearest one within them;
 * otherwise each is a 400.
 */
export function queryReader(fields: TProperties, { liberal }: { liberal: boolean }): QueryReader {
  const parameters = new Map(Object.entries(fields).map(([name, field]) => [name, parameterOf(field)]))
  return (raw) => {
    const query: Record<string, unknown> = {}
    const parts = raw.split('&', PARAMETERS_MAX + 1)
    if (parts.length > PARAMETERS_MAX) throw invalidRequest(`The query has more than ${PARAMETERS_MAX} parameters`)
    for (const part of parts) {
      const at = part.indexOf('=')
      const name = nameOf(at < 0 ? part : part.slice(0, at))
      const parameter = parameters.get(name)
      if (!parameter && liberal) continue
      const value = at >= 0 ? decode(part.slice(at + 1)) : parameter?.kind === 'boolean' ? 'true' : ''
      if (name === '' || value === '' || value === 'undefined' || value === 'null') continue
      if (!parameter) throw invalidRequest(unknownParameter(name, [...parameters.keys()]))
      const { kind } = parameter
      if (kind === 'list') query[name] = [...((query[name] as string[] | undefined) ?? []), ...items(value, parameter)]
      else if (kind === 'integer') {
        const number = integer(value, parameter, liberal)
        if (number !== undefined) query[name] = number
      } else query[name] = kind === 'boolean' ? flag(value) : canonical(value, parameter)
    }
    return query
  }
}

interface QuerySchema {
  type?: string
  enum?: readonly string[]
  items?: QuerySchema
  minimum?: number
  maximum?: number
}

function parameterOf(field: unknown): Parameter {
  const { type, items, enum: ofItself, minimum = -Infinity, maximum = Infinity } = field as QuerySchema
  const values = ofItself ?? items?.enum ?? []
  return {
    kind: type === 'array' ? 'list' : type === 'boolean' || type === 'integer' ? type : 'text',
    values: new Map(values.map((value) => [value.toLowerCase(), value])),
    minimum,
    maximum,
  }
}

const unknownParameter = (name: string, known: readonly string[]) =>
  `Unknown query parameter ${quoted(name)}.${didYouMean(nearestName(name, known))}`

const items = (value: string, parameter: Parameter) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => canonical(item, parameter))

/** Values of an enumeration are read in any case. */
const canonical = (value: string, { values }: Parameter) => values.get(value.toLowerCase()) ?? value

/** A value that does not convert stays a text, which the schema then refuses by name. */
function flag(value: string): unknown {
  const lower = value.toLowerCase()
  return lower === 'true' || lower === '1' ? true : lower === 'false' || lower === '0' ? false : value
}

function integer(value: string, { minimum, maximum }: Parameter, liberal: boolean): unknown {
  const number = Number(value)
  if (!liberal) return /^-?\d{1,15}$/.test(value) ? number : value
  return Number.isFinite(number) ? Math.min(Math.max(Math.trunc(number), minimum), maximum) : undefined
}

/** A name that cannot be decoded names nothing. */
function nameOf(part: string): string {
  const encoded = part.replaceAll('+', ' ')
  return decodeOnce(decodeOnce(encoded, encoded), encoded).replace(/\[\d*\]$/, '')
}

/** Twice where the client encoded twice. */
function decode(part: string): string {
  const once = decodeOnce(part.replaceAll('+', ' '))
  const text = /%[0-9A-F]{2}/i.test(once) ? decodeOnce(once, once) : once
  if (!isStorable(text)) throw invalidRequest('The query holds U+0000 or half a surrogate pair')
  return text
}

function decodeOnce(text: string, otherwise?: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    if (otherwise !== undefined) return otherwise
    throw invalidRequest('The query is not valid percent-encoding', cause)
  }
}
