/** Plain JSON values: their type, merges that change neither side, and bounds: what can be stored and walked. */
import type { MergeStrategy } from '@postrider/contract'

export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function merge(base: JsonObject, over: JsonObject | undefined): JsonObject {
  if (!over) return base
  const merged: JsonObject = { ...base }
  for (const [key, value] of Object.entries(over)) {
    // An own `__proto__` would otherwise set the prototype of the copy.
    if (key === '__proto__') continue
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return merged
}

/** Never the prototype's: only what the value itself holds, and characters of a text. */
export function ownProperty(value: unknown, key: string | number): unknown {
  if (typeof value === 'string')
    return key === 'length' || Object.hasOwn(Object(value), key) ? value[key as 'length'] : undefined
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string | number, unknown>)[key]
}

/**
 * The value at a path of own keys, of objects and of lists, which have a `length`; undefined if there is none. A value
 * that is not `entered` has nothing in it.
 */
export function valueAt(
  start: unknown,
  path: readonly string[],
  entered: (value: object, key: string) => boolean = () => true,
): unknown {
  let value = start
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key) || !entered(value, key))
      return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/** The bytes of a value as it is stored and sent, which bounds are about; none for undefined. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** JSON text that is the same for two values that say the same: the keys of objects are in order. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`).join(',')}}`
}

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')

/** Either an escaped backslash, so that what follows it is not taken for an escape, or an escape that is not storable. */
const UNSTORABLE = /\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** JSON text, as `JSON.stringify` writes it, with U+FFFD for whatever cannot be stored. */
export function storableJson(json: string): string {
  if (!json.includes('\\u')) return json
  return json.replace(UNSTORABLE, (sequence) => (sequence === '\\\\' ? sequence : '\\ufffd'))
}

/** JSON texts as one list, in one piece: with brackets put around afterwards, all of it would be copied once more. */
export function jsonList(texts: readonly string[]): string {
  if (texts.length === 0) return '[]'
  const parts = [...texts]
  parts[0] = `[${parts[0]}`
  parts[parts.length - 1] += ']'
  return parts.join(',')
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The error in JSON before it is parsed, as the end of a sentence. A parser takes ten times as long for a byte
 * that opens a list as for any other, and finds out about the depth last.
 */
export function jsonTextError(json: Uint8Array, { depthMax, valuesMax, membersMax }: TextBounds): string | undefined {
  let depth = 0
  let values = 1
  let members = 0
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COMMA) values += 1
    else if (byte === COLON) members += 1
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1
      values += 1
      if (depth > depthMax) return 'is nested too deeply'
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1
  }
  if (values > valuesMax) return `holds more than ${valuesMax} values`
  return members > membersMax ? `holds more than ${membersMax} members of objects` : undefined
}

interface TextBounds {
  depthMax: number
  valuesMax: number
  membersMax: number
}

/** The same of what was parsed from this text. Only an escape can hide what cannot be stored in text that was UTF-8. */
export function parsedJsonError(value: unknown, json: string, depthMax: number): string | undefined {
  return jsonError(value, depthMax, json.includes('\\u') || json.includes('__proto__'))
}

/**
 * The error in a value, as the end of a sentence. One visit to each value; without `checkTexts` strings and keys are
 * known to be storable.
 */
export function jsonError(value: unknown, depthMax: number, checkTexts = true): string | undefined {
  if (typeof value === 'string')
    return !checkTexts || isStorable(value) ? undefined : 'holds U+0000 or half a surrogate pair'
  // `1e999` is read as infinity, and would be written as null.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number that is too large'
  if (typeof value !== 'object' || value === null) return undefined
  if (depthMax === 0) return 'is nested too deeply'
  if (Array.isArray(value)) {
    for (const item of value) {
      const error = jsonError(item, depthMax - 1, checkTexts)
      if (error) return error
    }
    return undefined
  }
  // Plain JSON inherits nothing that could be counted; this is three times faster than a list of entries.
  for (const key in value) {
    if (checkTexts && key === '__proto__') return 'has a key `__proto__`'
    if (checkTexts && !isStorable(key)) return 'has a key with U+0000 or half a surrogate pair'
    const error = jsonError((value as Record<string, unknown>)[key], depthMax - 1, checkTexts)
    if (error) return error
  }
  return undefined
}

/** The four strategies to merge new data into existing data; nested objects too. */
export function combine(existing: JsonObject, incoming: JsonObject, strategy: MergeStrategy): JsonObject {
  switch (strategy) {
    case 'replace':
      return incoming
    case 'overwrite':
      return merge(existing, incoming)
    case 'soft-merge':
      return merge(incoming, existing)
    case 'none':
      return Object.keys(existing).length === 0 ? incoming : existing
  }
}
