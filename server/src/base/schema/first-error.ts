/** Cuts a value that does not fit a schema down to its first error: finding all of them takes a second for a long list. */
import type { TSchema } from 'typebox'
import { isObject, type JsonObject } from '../json/json.ts'
import { type Alternatives, alternativesOf } from './alternatives.ts'

/** Up to this many items or fields all errors are found within milliseconds. */
const LONG = 200

export interface Cut {
  /** Its long lists and maps hold one item that does not fit, where there is one. */
  value: unknown
  /** The first list with more items than any alternative takes, by its path in the original. */
  tooLong?: { path: string; itemsMax: number }
  /** The path in the original, as in `/users/4711/recipient`. */
  originalPath(path: string): string
}

export function cutToFirstError(schema: TSchema, value: unknown): Cut {
  /** The item of the original that a cut list has kept, by the path of the list. */
  const kept = new Map<string, number>()
  const cut: Cut = { value, originalPath: (path) => originalPath(path, kept) }

  const shorten = (alternatives: Alternatives, value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return shortenList(alternatives, value, path)
    if (!isObject(value) || !alternatives.isObject) return value
    const names = Object.keys(value)
    const entries = (names.length > LONG ? worthKeeping(alternatives, value, names) : names).map((name) => {
      const own = alternatives.field(name)
      return [name, own ? shorten(own, value[name], `${path}/${name}`) : value[name]] as const
    })
    return Object.fromEntries(entries)
  }
  const shortenList = ({ items, itemsMax }: Alternatives, list: unknown[], path: string): unknown[] => {
    if (itemsMax !== undefined && list.length > itemsMax) cut.tooLong ??= { path: cut.originalPath(path), itemsMax }
    if (!items || cut.tooLong) return list
    if (list.length <= LONG) return list.map((item, index) => shorten(items, item, `${path}/${index}`))
    const first = Math.max(
      0,
      list.findIndex((item) => !items.fits(item)),
    )
    kept.set(path, first)
    return [shorten(items, list[first], `${path}/0`)]
  }

  cut.value = shorten(alternativesOf(schema), value, '')
  return cut
}

/** What the schema names, and of the other fields the first that does not fit. */
function worthKeeping(alternatives: Alternatives, object: JsonObject, names: string[]): string[] {
  const others = names.filter((name) => !alternatives.names.has(name))
  const unfitting = others.find((name) => alternatives.field(name)?.fits(object[name]) !== true)
  return [...names.filter((name) => alternatives.names.has(name)), ...(unfitting === undefined ? [] : [unfitting])]
}

function originalPath(path: string, kept: ReadonlyMap<string, number>): string {
  const [, ...keys] = path.split('/')
  let cutPath = ''
  let original = ''
  for (const key of keys) {
    original += `/${kept.get(cutPath) ?? key}`
    cutPath += `/${key}`
  }
  return original
}
