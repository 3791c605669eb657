/** Reads a value as callers of the public API write it: `[]` where an object belongs, an empty string for an unused field. */
import type { TSchema } from 'typebox'
import { isObject, type JsonObject } from '../json/json.ts'
import { type Alternatives, alternativesOf } from './alternatives.ts'

/** For fewer items, to read each is cheaper than to compile a check of them. */
const LONG = 100

/**
 * The value, with what is empty read anew: an empty list is an empty object wherever only an object fits, and a field
 * that may be left out and does not take an empty string is left out when it holds one. Whatever else does not fit
 * stays as it is. The value itself is not changed.
 */
export const readLiberally = (schema: TSchema, value: unknown): unknown => read(alternativesOf(schema), value)

function read(alternatives: Alternatives, value: unknown): unknown {
  if (Array.isArray(value)) return readList(alternatives, value)
  return isObject(value) && alternatives.isObject ? readObject(alternatives, value) : value
}

function readList({ isList, isObject, items, itemsMax = Number.POSITIVE_INFINITY }: Alternatives, list: unknown[]) {
  if (list.length === 0) return !isList && isObject ? {} : list
  // A list that is too long is an error, whatever its items are.
  if (!items || list.length > itemsMax) return list
  let copy: unknown[] | undefined
  for (const [index, item] of list.entries()) {
    const own = list.length > LONG && items.fits(item) ? item : read(items, item)
    if (own !== item) (copy ??= [...list])[index] = own
  }
  return copy ?? list
}

function readObject(alternatives: Alternatives, object: JsonObject): JsonObject {
  const names = Object.keys(object)
  const fields = names.map((name) => readField(alternatives, name, object[name]))
  if (fields.every((field, index) => field === object[names[index] ?? ''])) return object
  const copy: JsonObject = {}
  for (const [index, name] of names.entries()) {
    const value = fields[index]
    // Assigned, a key `__proto__` would become the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { ...PLAIN, value })
    else if (value !== undefined) copy[name] = value
  }
  return copy
}

const PLAIN = { enumerable: true, configurable: true, writable: true }

/** Undefined for one that is left out. */
function readField(alternatives: Alternatives, name: string, value: unknown): unknown {
  const own = alternatives.field(name)
  if (!own) return value
  if (value === '' && !own.takesEmptyString && !alternatives.requires(name)) return undefined
  return read(own, value)
}
