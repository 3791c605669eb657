/** Reading a draft after overrides were merged onto it: what cannot be sent becomes a refusal, never an exception. */
import { isObject, type JsonObject } from '../base/json/json.ts'
import { rejected } from './outcome.ts'
import { DraftInvalid, type Outcome } from './provider.ts'

type Rejected = Extract<Outcome, { kind: 'rejected' }>

/** Runs a part of `deliver` that reads the draft; a `DraftInvalid` in it is the content's fault. */
export function read<T>(build: () => T): { value: T } | { refusal: Rejected } {
  try {
    return { value: build() }
  } catch (error) {
    if (error instanceof DraftInvalid) return { refusal: rejected('content', error.message) }
    throw error
  }
}

export function objectAt(draft: JsonObject, key: string): JsonObject {
  const value = draft[key]
  if (!isObject(value)) throw new DraftInvalid(`${key} must be an object`)
  return value
}

/** Absent, null and the empty text are all "not given". */
export const given = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** A text, or undefined when it is not given. */
export function textAt(value: unknown, field: string): string | undefined {
  if (!given(value)) return undefined
  if (typeof value !== 'string') throw new DraftInvalid(`${field} must be a string`)
  return value
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A text for a header line or an address: CR, LF, NUL and their kin are refused. */
export function lineAt(value: unknown, field: string): string | undefined {
  const text = textAt(value, field)
  if (text !== undefined && CONTROL.test(text)) throw new DraftInvalid(`${field} must not contain line breaks`)
  return text
}

const HEADER_NAME = /^[A-Za-z0-9-]{1,76}$/
const HEADERS_MAX = 50

/** Custom headers: plain names, one line each, and none that is ours to write. */
export function headersAt(
  value: unknown,
  field: string,
  isReserved: (name: string) => boolean,
): Record<string, string> {
  if (!given(value)) return {}
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
