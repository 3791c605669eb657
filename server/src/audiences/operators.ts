/** The operators of conditions, evaluated on a value of a profile. Pure; false for values of other types. */
import { type Budget, isSpent } from '../base/budget.ts'
import { positionOf } from '../base/text-search.ts'
import { parseTimestamp } from '../base/time/clock.ts'

export type Value = string | number | boolean
/** `actual` is any JSON value; undefined where the path does not exist. Throws `ComparisonTooCostly`. */
export type Comparison = (actual: unknown, expected: Value, work: Budget) => boolean

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

const equals: Comparison = (actual, expected, work) => {
  const [left, right] = [text(actual), String(expected)]
  read(work, left?.length === right.length ? right.length : 0)
  return left === right
}

const contains: Comparison = (actual, expected, work) => {
  if (Array.isArray(actual)) return actual.some((item) => equals(item, expected, work))
  const [whole, part] = [text(actual), String(expected)]
  if (whole === undefined) return false
  read(work, whole.length * Math.min(part.length, SEARCH_COST_MAX))
  return positionOf(whole, part) >= 0
}

/** Compares numeric strings as numbers, all other values as strings. */
function ordered(holds: (order: number) => boolean): Comparison {
  return (actual, expected, work) => {
    const [left, right] = [text(actual), String(expected)]
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

function atOneEnd(holds: (actual: string, expected: string) => boolean): Comparison {
  return (actual, expected, work) => {
    const [whole, part] = [text(actual), String(expected)]
    read(work, part.length)
    return whole !== undefined && holds(whole, part)
  }
}

function dated(holds: (difference: number) => boolean): Comparison {
  return (actual, expected, work) => {
    read(work, typeof actual === 'string' ? actual.length : 0)
    const [a, b] = [timestampOf(actual), timestampOf(expected)]
    return a !== undefined && b !== undefined && holds(a - b)
  }
}

/** Milliseconds, also as text, or ISO 8601; UTC without a zone. */
export function timestampOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  if (/^-?\d{5,16}$/.test(value)) return Number(value)
  const isTimestamp = /^\d{4}-\d\d(?:-\d\d(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?)?$/.test(
    value,
  )
  if (!isTimestamp) return undefined
  const time = parseTimestamp(value)
  return Number.isNaN(time) ? undefined : time
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
  ['STARTS_WITH', atOneEnd((actual, expected) => actual.startsWith(expected))],
  ['ENDS_WITH', atOneEnd((actual, expected) => actual.endsWith(expected))],
  ['IS_BEFORE', dated((difference) => difference < 0)],
  ['IS_AFTER', dated((difference) => difference > 0)],
])

/** These hold when the comparison holds for none of the values, also without a value in the profile. */
export const negated: ReadonlySet<string> = new Set(['NEQ', 'OMIT'])
export const timestampOperators: ReadonlySet<string> = new Set(['IS_BEFORE', 'IS_AFTER'])
