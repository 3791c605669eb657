/** Which items of a batch are handed on, read in pages however many there are. */
import type { JsonObject } from '../../base/json/json.ts'
import { valueAt } from '../references/references.ts'

export interface Retain {
  type: 'first' | 'last' | 'highest' | 'lowest'
  count: number
  sortKey?: string
}

/** Items of at most 60 kB: some megabytes at a time. */
const PAGE = 100

type Read = (from: number, limit: number) => Promise<readonly JsonObject[]>

/** `first` and `last` in the order they came, `highest` and `lowest` by their key, equal ones in the order they came. */
export async function retained(
  { type, count, sortKey = '' }: Retain,
  total: number,
  read: Read,
): Promise<JsonObject[]> {
  if (type === 'first') return [...(await read(1, Math.min(count, total)))]
  if (type === 'last') return [...(await read(Math.max(1, total - count + 1), Math.min(count, total)))]
  const sign = type === 'highest' ? -1 : 1
  let best: JsonObject[] = []
  for (let from = 1; from <= total; from += PAGE) {
    const page = await read(from, PAGE)
    best = [...best, ...page].sort((a, b) => compare(valueAt(a, sortKey), valueAt(b, sortKey), sign)).slice(0, count)
  }
  return best
}

/** Numbers before texts; what has neither comes last, whichever way. */
function compare(a: unknown, b: unknown, sign: number): number {
  const [ranked, other] = [rank(a), rank(b)]
  if (ranked !== other) return ranked - other
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  if (typeof a === 'string' && typeof b === 'string') return sign * (a < b ? -1 : a > b ? 1 : 0)
  return 0
}

const rank = (value: unknown) => (typeof value === 'number' ? 0 : typeof value === 'string' ? 1 : 2)
