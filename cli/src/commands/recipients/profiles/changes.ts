/** The fields of a stored profile that a write would change. */
import { isDeepStrictEqual } from 'node:util'
import { plain, plainJson, shorten } from '../../../plain.ts'
import type { JsonObject } from '../../../rows/columns.ts'

export interface Change {
  field: string
  /** Undefined for a field that is new. */
  from?: unknown
  /** Undefined for a field that is removed. */
  to?: unknown
}

/** As the API merges: objects key by key, everything else replaced. */
export function changesBetween(before: object, row: object, replaces: boolean, under = ''): Change[] {
  const old = new Map<string, unknown>(Object.entries(before))
  const changes = Object.entries(row).flatMap(([key, to]): Change[] => {
    const field = under + key
    if (!old.has(key)) return [{ field, to }]
    const from = old.get(key)
    if (isPlainObject(from) && isPlainObject(to)) return changesBetween(from, to, replaces, `${field}.`)
    return isDeepStrictEqual(from, to) ? [] : [{ field, from, to }]
  })
  if (!replaces) return changes
  const removed = [...old].filter(([key]) => !Object.hasOwn(row, key))
  return [...changes, ...removed.map(([key, from]) => ({ field: under + key, from }))]
}

/** Objects key by key, everything else replaced. */
export function merged(before: JsonObject, row: JsonObject): JsonObject {
  const entries = Object.entries(row).map(([key, value]): [string, unknown] => {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    return [key, isPlainObject(old) && isPlainObject(value) ? merged(old, value) : value]
  })
  // By entries: a key like __proto__ stays a plain key.
  return Object.fromEntries([...Object.entries(before), ...entries])
}

const isPlainObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const VALUE_CHARACTERS_MAX = 40

const valueText = (value: unknown) =>
  value === undefined
    ? 'nothing'
    : shorten(typeof value === 'string' ? plain(value) : plainJson(value), VALUE_CHARACTERS_MAX)

export const changeText = ({ field, from, to }: Change): string =>
  from === undefined ? `${plain(field)} = ${valueText(to)}` : `${plain(field)} ${valueText(from)} → ${valueText(to)}`
