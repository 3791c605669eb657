/** The terms of a digest: the categories of an event, its rank there, and the data of the message. */
import { type DigestCategory, digestKeepMax } from '@postrider/contract'
import { isObject, type JsonObject, valueAt } from '../base/json/json.ts'
import { parseTimestamp } from '../base/time/clock.ts'

/** The template and categories of the topic at the time of the last event. */
export interface Terms {
  template: string
  categories: readonly DigestCategory[]
}

export const allEvents: DigestCategory = { category_key: 'digest', retain: 'FIRST', limit: 10 }

/** The categories whose key is at the top level of the data; else the first category. */
export function categoriesOf({ categories }: Terms, data: JsonObject): DigestCategory[] {
  const named = categories.filter(({ category_key }) => Object.hasOwn(data, category_key))
  return named.length > 0 ? named : categories.slice(0, 1)
}

export const keptOf = ({ retain, limit }: DigestCategory): number => (retain === 'NONE' ? digestKeepMax : limit)

/** Events with the highest rank are kept; null: the event has no value at the sort key and ranks last. */
export function rankOf({ retain, sort_key = '' }: DigestCategory, data: JsonObject): number | null {
  if (retain !== 'HIGHEST' && retain !== 'LOWEST') return null
  const value = sortValueAt(data, sort_key.split('.'))
  return value === undefined ? null : retain === 'HIGHEST' ? value : -value
}

function sortValueAt(data: JsonObject, path: readonly string[]): number | undefined {
  const rawValue = valueAt(data, path, isObject)
  const value = typeof rawValue === 'string' ? numberIn(rawValue) : rawValue
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const numberIn = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : parseTimestamp(text))

export interface Kept {
  category: string
  position: number
  rank: number | null
  /** JSON text. */
  data: string
}

/** The data of the template: for each category the number of events, and the kept events in order. */
export function digestData(
  { categories }: Terms,
  counts: Readonly<Record<string, number>>,
  kept: readonly Kept[],
): Record<string, { count: number; items: JsonObject[] }> {
  // A category that was removed since is still shown.
  const gone = Object.keys(counts).filter((key) => !categories.some(({ category_key }) => category_key === key))
  const all = [...categories, ...gone.map((key) => ({ ...allEvents, category_key: key, limit: digestKeepMax }))]
  return Object.fromEntries(
    all.map((category) => {
      const { category_key: key, retain } = category
      const ofCategory = kept.filter((event) => event.category === key)
      const best = bestOf(ofCategory, keptOf(category))
      const shown = retain === 'HIGHEST' || retain === 'LOWEST' ? best : best.sort((a, b) => a.position - b.position)
      return [key, { count: counts[key] ?? 0, items: shown.map(({ data }) => JSON.parse(data) as JsonObject) }]
    }),
  )
}

/** By rank, highest first, then by arrival. */
export const bestOf = <One extends Pick<Kept, 'rank' | 'position'>>(kept: readonly One[], keep: number): One[] =>
  kept.toSorted(byRank).slice(0, keep)

const byRank = (a: Pick<Kept, 'rank' | 'position'>, b: Pick<Kept, 'rank' | 'position'>) =>
  (b.rank ?? Number.NEGATIVE_INFINITY) - (a.rank ?? Number.NEGATIVE_INFINITY) || a.position - b.position
