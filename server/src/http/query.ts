/** Reads a query string as old and new clients write it, into the shape the contract declares. */
import type { TProperties } from 'typebox'
import { invalidRequest } from '../base/errors.ts'
import { isStorable } from '../base/json-bounds.ts'

type Kind = 'text' | 'list' | 'boolean' | 'integer'
export type QueryReader = (raw: string) => Record<string, unknown>

// 3 filters of 50 values each and room: nobody asks for more in one line.
const PARAMETERS_MAX = 200

/** Absent, empty, `undefined` and `null` are the same. Throws a 400 for a value under a name that is not known here. */
export function queryReader(fields: TProperties): QueryReader {
  const kinds = new Map(Object.entries(fields).map(([name, field]) => [name, kindOf(field)]))
  return (raw) => {
    const query: Record<string, unknown> = {}
    const parts = raw.split('&', PARAMETERS_MAX + 1)
    if (parts.length > PARAMETERS_MAX) throw invalidRequest(`The query has more than ${PARAMETERS_MAX} parameters`)
    for (const part of parts) {
      const at = part.indexOf('=')
      const name = decode(at < 0 ? part : part.slice(0, at)).replace(/\[\d*\]$/, '')
      const value = at < 0 ? '' : decode(part.slice(at + 1))
      if (name === '') continue
      if (value === '' || value === 'undefined' || value === 'null') continue
      const kind = kinds.get(name)
      if (!kind) throw invalidRequest(`The query parameter ${name.slice(0, 64)} is unknown here`)
      if (kind === 'list') query[name] = [...((query[name] as string[] | undefined) ?? []), ...items(value)]
      else query[name] = convert(kind, value)
    }
    return query
  }
}

function kindOf(field: unknown): Kind {
  const { type } = field as { type?: string }
  return type === 'array' ? 'list' : type === 'boolean' || type === 'integer' ? type : 'text'
}

const items = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** What does not convert stays a text, which the schema then refuses by name. */
function convert(kind: Kind, value: string): unknown {
  if (kind === 'boolean')
    return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value
  if (kind === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return value
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
