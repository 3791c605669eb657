/** What a digest keeps of its events: which categories one belongs to, how it ranks there, and what is shown in the end. */
import { type DigestCategory, digestKeepMax } from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { parseMoment } from '../base/time/timestamp.ts'

/** How a digest is released, as it was when its last event came. */
export interface Terms {
  template: string
  categories: readonly DigestCategory[]
}

export const allEvents: DigestCategory = { category_key: 'digest', retain: 'FIRST', limit: 10 }

/** The categories whose key stands at the top of the data; an event that has none of them belongs to the first one. */
export function categoriesOf({ categories }: Terms, data: JsonObject): DigestCategory[] {
  const named = categories.filter(({ category_key }) => Object.hasOwn(data, category_key))
  return named.length > 0 ? named : categories.slice(0, 1)
}

export const keptOf = ({ retain, limit }: DigestCategory): number => (retain === 'NONE' ? digestKeepMax : limit)

/** The highest are kept; null: the event says nothing to go by, and comes behind those that do. */
export function rankOf({ retain, sort_key = '' }: DigestCategory, data: JsonObject): number | null {
  if (retain !== 'HIGHEST' && retain !== 'LOWEST') return null
  const value = valueAt(data, sort_key.split('.'))
  return value === undefined ? null : retain === 'HIGHEST' ? value : -value
}

function valueAt(data: JsonObject, path: readonly string[]): number | undefined {
  let found: unknown = data
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  const value = typeof found === 'string' ? numberIn(found) : found
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const numberIn = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : parseMoment(text))

export interface Kept {
  category: string
  position: number
  rank: number | null
  /** JSON text. */
  data: string
}

/** What the template is given: for each category how many events there were, and those that are kept, in their order. */
export function digestData(
  { categories }: Terms,
  counts: Readonly<Record<string, number>>,
  kept: readonly Kept[],
): Record<string, { count: number; items: JsonObject[] }> {
  // A category that has gone since is shown as it was.
  const gone = Object.keys(counts).filter((key) => !categories.some(({ category_key }) => category_key === key))
  const all = [...categories, ...gone.map((key) => ({ ...allEvents, category_key: key, limit: digestKeepMax }))]
  return Object.fromEntries(
    all.map((category) => {
      const { category_key: key, retain } = category
      const ofCategory = kept.filter((one) => one.category === key)
      const best = bestOf(ofCategory, keptOf(category))
      const shown = retain === 'HIGHEST' || retain === 'LOWEST' ? best : best.sort((a, b) => a.position - b.position)
      return [key, { count: counts[key] ?? 0, items: shown.map(({ data }) => JSON.parse(data) as JsonObject) }]
    }),
  )
}

/** The highest first, and of equals what came first. */
export const bestOf = <One extends Pick<Kept, 'rank' | 'position'>>(kept: readonly One[], keep: number): One[] =>
  kept.toSorted(byRank).slice(0, keep)

const byRank = (a: Pick<Kept, 'rank' | 'position'>, b: Pick<Kept, 'rank' | 'position'>) =>
  (b.rank ?? Number.NEGATIVE_INFINITY) - (a.rank ?? Number.NEGATIVE_INFINITY) || a.position - b.position
