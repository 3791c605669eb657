/** Readers of a draft after overrides were merged onto it: each throws `DraftInvalid` for a value that cannot be sent. */
import { isObject, type JsonObject } from '../base/json/json.ts'
import { DraftInvalid } from './provider.ts'

export function objectAt(draft: JsonObject, key: string): JsonObject {
  const value = draft[key]
  if (!isObject(value)) throw new DraftInvalid(`${key} must be an object`)
  return value
}

/** Absent, null and the empty string all mean absent. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** A string, or undefined when it is absent. */
export function textAt(value: unknown, field: string): string | undefined {
  if (!isPresent(value)) return undefined
  if (typeof value !== 'string') throw new DraftInvalid(`${field} must be a string`)
  return value
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A string for a header line or an address: control characters and line separators are refused. */
export function lineAt(value: unknown, field: string): string | undefined {
  const text = textAt(value, field)
  if (text !== undefined && CONTROL.test(text)) throw new DraftInvalid(`${field} must not contain line breaks`)
  return text
}

const HEADER_NAME = /^[A-Za-z0-9-]{1,76}$/
const HEADERS_MAX = 50

/** Custom headers: plain names, one line each, none that the adapter or the transport writes. */
export function headersAt(
  value: unknown,
  field: string,
  isReserved: (name: string) => boolean,
): Record<string, string> {
  if (!isPresent(value)) return {}
  if (!isObject(value)) throw new DraftInvalid(`${field} must be an object`)
  const names = Object.keys(value)
  if (names.length > HEADERS_MAX) throw new DraftInvalid(`${field} has more than ${HEADERS_MAX} headers`)
  const headers: Record<string, string> = {}
  for (const name of names) {
    if (!HEADER_NAME.test(name)) throw new DraftInvalid(`${field} has a name that is not a header name`)
    if (isReserved(name)) throw new DraftInvalid(`${field}.${name} cannot be set`)
    const item = value[name]
    const text = lineAt(typeof item === 'number' ? String(item) : item, `${field}.${name}`)
    if (text !== undefined) headers[name] = text
  }
  return headers
}
