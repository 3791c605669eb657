/** One field for each variable of a template, and the data that its texts make. */
import type { TemplateVariable } from '@postrider/client'
import { fieldText, isObject } from '../parts/code/json.ts'
import { hasValue, variableName } from '../parts/content/variables.ts'

const EACH = '[]'

export interface DataField {
  path: readonly string[]
  name: string
  /** `text`: as it is typed. `any`: JSON where it is, else text. `json`: a list or an object. */
  kind: 'text' | 'any' | 'json'
  isList: boolean
  required: boolean
  /** Names in each item of a list. */
  items: readonly string[]
}

/** Objects have a field for each key that is read, and one of their own only where no key is named. */
export function fieldsOf(variables: readonly TemplateVariable[]): DataField[] {
  const isBelow = (path: readonly string[], other: TemplateVariable) =>
    other.path.length > path.length && path.every((key, at) => other.path[at] === key)
  return variables
    .filter(({ path, kind }) => {
      const below = variables.filter((other) => isBelow(path, other))
      return !path.includes(EACH) && (kind !== 'object' || below.length === 0)
    })
    .map(({ path, kind, required }) => {
      const below = variables.filter((other) => isBelow([...path, EACH], other) && other.kind !== 'object')
      const isList = kind === 'list' || variables.some((other) => isBelow(path, other) && other.path.includes(EACH))
      return {
        ...{ path, name: variableName(path), required, isList },
        kind: isList || kind === 'object' ? 'json' : kind === 'any' ? 'any' : 'text',
        items: below.map((other) => variableName(other.path.slice(path.length + 1))),
      }
    })
}

export function valueAt(data: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return data
  if (Array.isArray(data)) return valueAt(data[Number(key)], rest)
  return isObject(data) && Object.hasOwn(data, key) ? valueAt(data[key], rest) : undefined
}

/** A copy with the value at the path; without one the key is removed, with the objects that become empty. */
export function withValue(
  data: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  return (placed(data, path, value) as Record<string, unknown> | undefined) ?? {}
}

function placed(data: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(data) && /^\d+$/u.test(key)) {
    const items = [...data]
    items[Number(key)] = placed(items[Number(key)], rest, value) ?? null
    return items
  }
  const { [key]: before, ...others } = isObject(data) ? data : {}
  const next = placed(isObject(data) && Object.hasOwn(data, key) ? before : undefined, rest, value)
  const entries = Object.entries(isObject(data) ? data : {})
  const at = entries.findIndex(([name]) => name === key)
  if (next === undefined) return Object.keys(others).length > 0 ? others : undefined
  if (at < 0) entries.push([key, next])
  else entries[at] = [key, next]
  return Object.fromEntries(entries)
}

/** Leaves out the keys that the former template reads and this one does not. */
export function withoutFields(
  data: Record<string, unknown>,
  former: readonly Pick<DataField, 'path'>[],
  fields: readonly Pick<DataField, 'path'>[],
): Record<string, unknown> {
  const read = new Set(fields.map(({ path }) => path[0]))
  const left = new Set(former.map(({ path }) => path[0]).filter((key) => !read.has(key)))
  return Object.fromEntries(Object.entries(data).filter(([key]) => !left.has(key)))
}

/** A number stays one while it is edited; `any` is the value that its text is in JSON. */
export function typedValue(text: string, kind: DataField['kind'], wasNumber = false): unknown {
  if (text === '') return undefined
  if (kind === 'any' || wasNumber) {
    const value = parsed(text)
    if (kind === 'any' || typeof value === 'number') return value
  }
  return text
}

/** A text that is no JSON is itself; so is a number that JSON would write in another way, such as `1.50`. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}

export const textAt = (data: unknown, { path }: Pick<DataField, 'path'>) => fieldText(valueAt(data, path))

/** It stands in the message as it is written. */
export const isMissing = (field: DataField, data: unknown) =>
  field.kind === 'text' && field.required && !hasValue(data, field.path)
