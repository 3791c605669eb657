/** The operators of conditions, evaluated on a value of a profile. Pure; false for values of other types. */
import { type Budget, isSpent } from '../base/budget.ts'
import { positionOf } from '../base/text-search.ts'
import { parseMoment } from '../base/time/timestamp.ts'

export type Value = string | number | boolean
/** `actual` is any JSON value; undefined where the path does not exist. Throws `ComparisonTooCostly`. */
export type Comparison = (actual: unknown, wanted: Value, work: Budget) => boolean

/** The filter exceeds its budget on this profile. */
export class ComparisonTooCostly extends Error {
  override readonly name = 'ComparisonTooCostly'
}

/** A search in linear time costs at most this much more than reading the text. */
const SEARCH_COST_MAX = 4

function read(work: Budget, characters: number): void {
  work.steps -= 1
  work.characters -= characters
  if (isSpent(work)) throw new ComparisonTooCostly()
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

const equals: Comparison = (actual, wanted, work) => {
  const [left, right] = [text(actual), String(wanted)]
  read(work, left?.length === right.length ? right.length : 0)
  return left === right
}

const contains: Comparison = (actual, wanted, work) => {
  if (Array.isArray(actual)) return actual.some((item) => equals(item, wanted, work))
  const [whole, part] = [text(actual), String(wanted)]
  if (whole === undefined) return false
  read(work, whole.length * Math.min(part.length, SEARCH_COST_MAX))
  return positionOf(whole, part) >= 0
}

/** Compares numeric strings as numbers, all other values as strings. */
function ordered(holds: (order: number) => boolean): Comparison {
  return (actual, wanted, work) => {
    const [left, right] = [text(actual), String(wanted)]
    if (left === undefined) return false
    read(work, left.length + right.length)
    const [a, b] = [numberIn(left), numberIn(right)]
    if (a !== undefined && b !== undefined) return holds(a - b)
    return holds(left < right ? -1 : left > right ? 1 : 0)
  }
}

function numberIn(digits: string): number | undefined {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : undefined
}

function atOneEnd(holds: (actual: string, wanted: string) => boolean): Comparison {
  return (actual, wanted, work) => {
    const [whole, part] = [text(actual), String(wanted)]
    read(work, part.length)
    return whole !== undefined && holds(whole, part)
  }
}

function dated(holds: (difference: number) => boolean): Comparison {
  return (actual, wanted, work) => {
    read(work, typeof actual === 'string' ? actual.length : 0)
    const [a, b] = [timestampOf(actual), timestampOf(wanted)]
    return a !== undefined && b !== undefined && holds(a - b)
  }
}

/** Milliseconds, also as text, or ISO 8601; UTC without a zone. */
export function timestampOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  if (/^-?\d{5,16}$/.test(value)) return Number(value)
  const isMoment = /^\d{4}-\d\d(?:-\d\d(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?)?$/.test(value)
  if (!isMoment) return undefined
  const moment = parseMoment(value)
  return Number.isNaN(moment) ? undefined : moment
}

export const comparisons: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['EQ', equals],
  ['NEQ', equals],
  ['GT', ordered((order) => order > 0)],
  ['GTE', ordered((order) => order >= 0)],
  ['LT', ordered((order) => order < 0)],
  ['LTE', ordered((order) => order <= 0)],
  ['INCLUDES', contains],
  ['OMIT', contains],
  ['STARTS_WITH', atOneEnd((actual, wanted) => actual.startsWith(wanted))],
  ['ENDS_WITH', atOneEnd((actual, wanted) => actual.endsWith(wanted))],
  ['IS_BEFORE', dated((difference) => difference < 0)],
  ['IS_AFTER', dated((difference) => difference > 0)],
])

/** These hold when the comparison holds for none of the values, also without a value in the profile. */
export const negated: ReadonlySet<string> = new Set(['NEQ', 'OMIT'])
export const timestampOperators: ReadonlySet<string> = new Set(['IS_BEFORE', 'IS_AFTER'])
