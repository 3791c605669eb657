/** Whole of what a tag can call: pure functions of their arguments, on the machine and the budget of expressions. */

import { binary } from '../../base/expression/build.ts'
import { concat, type Machine, read, text } from '../../base/expression/machine.ts'
import { mustBeOneOf, quoted } from '../../base/quote.ts'
import { positionOf } from '../../base/text-search.ts'
import { dateText, epochOf } from './dates.ts'
import { formatted } from './format.ts'

/** A helper cannot do with its arguments what it is for. */
export class HelperFailed extends Error {
  override readonly name = 'HelperFailed'
}

/** The values of the message that a helper can use. */
export interface Surroundings extends Machine {
  /** The value of a name that is written as a text: `"profile.email"`. */
  valueOf(path: string): unknown
  set(name: string, value: unknown): void
}

export type Helper = (at: Surroundings, args: readonly unknown[], named: Readonly<Record<string, unknown>>) => unknown

/** A block of one of them shows one of its branches; they are helpers with a result as well. */
export const booleanHelpers: ReadonlySet<string> = new Set(['and', 'or', 'not', 'condition', 'conditional', 'filter'])
export const blockHelpers: ReadonlySet<string> = new Set(['if', 'unless', 'each', 'with'])

/** Truthy for `if`: an empty list is not. */
export const isTruthy = (value: unknown): boolean => Boolean(value) && !(Array.isArray(value) && value.length === 0)

const say = (value: unknown) => (typeof value === 'string' ? quoted(value) : typeof value)

function numberOf(name: string, value: unknown): number {
  const isGiven = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && value.length < 400)
  const number = isGiven ? Number(value) : Number.NaN
  if (Number.isNaN(number)) throw new HelperFailed(`${name}: ${say(value)} is not a number`)
  return number
}

const arithmetic =
  (name: string, compute: (left: number, right: number) => number): Helper =>
  (_at, [left, right]) => {
    const result = compute(numberOf(name, left), numberOf(name, right))
    if (Number.isFinite(result)) return result
    throw new HelperFailed(`${name}: ${say(right)} cannot be used here`)
  }

const ofNumber =
  (name: string, compute: (value: number) => number): Helper =>
  (_at, [value]) =>
    compute(numberOf(name, value))

/** Nothing is an empty text. */
const words = (at: Surroundings, value: unknown) => (value === undefined || value === null ? '' : text(at, value))

/** The longest value that one text may hold many times. */
function copied(at: Surroundings, value: unknown): string {
  const copy = words(at, value)
  read(at, copy.length)
  return copy
}

const ofText =
  (change: (value: string) => string): Helper =>
  (at, [value]) => {
    const given = words(at, value)
    read(at, given.length)
    return change(given)
  }

const operators: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])

const condition: Helper = (at, [left, operator, right]) => {
  const compare = typeof operator === 'string' && operators.has(operator) ? binary.get(operator) : undefined
  if (!compare) throw new HelperFailed(`condition: the operator ${mustBeOneOf(operators)}; it is ${say(operator)}`)
  // In a tag a boolean is often compared with its name.
  const named = (value: unknown, other: unknown) =>
    typeof value === 'boolean' && typeof other === 'string' ? String(value) : value
  return compare(named(left, right), named(right, left), at)
}

type Test = (at: Surroundings, actual: unknown, wanted: unknown) => boolean
const compared =
  (operator: string): Test =>
  (at, actual, wanted) =>
    Boolean(condition(at, [actual, operator, wanted], {}))

const contains: Test = (at, actual, wanted) => {
  if (Array.isArray(actual)) return actual.some((item) => compared('==')(at, item, wanted))
  if (typeof actual !== 'string') return false
  const needle = words(at, wanted)
  read(at, actual.length * Math.min(needle.length, 4))
  return positionOf(actual, needle) >= 0
}

const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : (value ?? '') === ''

const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['EQUALS', compared('==')],
  ['NOT_EQUALS', compared('!=')],
  ['GREATER_THAN', compared('>')],
  ['GREATER_THAN_OR_EQUALS', compared('>=')],
  ['LESS_THAN', compared('<')],
  ['LESS_THAN_OR_EQUALS', compared('<=')],
  ['CONTAINS', contains],
  ['NOT_CONTAINS', (at, actual, wanted) => !contains(at, actual, wanted)],
  ['IS_EMPTY', (_at, actual) => isEmpty(actual)],
  ['IS_NOT_EMPTY', (_at, actual) => !isEmpty(actual)],
])

/** `filter "data" "customer.name" "EQUALS" "josh"`; the property may begin with the source as well. */
const filter: Helper = (at, [source, property, operator, wanted]) => {
  const test = tests.get(String(operator))
  if (!test) throw new HelperFailed(`filter: the operator ${mustBeOneOf(tests.keys())}; it is ${say(operator)}`)
  const path = String(property).startsWith(`${source}.`) ? String(property) : `${source}.${property}`
  return test(at, at.valueOf(path), wanted)
}

const named = (name: string, path: unknown): string => {
  if (typeof path === 'string') return path
  throw new HelperFailed(`${name}: the name of a variable must be a string, such as "profile.name"`)
}

const RESERVED: ReadonlySet<string> = new Set(['brand', 'data', 'event', 'profile', 'recipient', 'urls'])

const set: Helper = (at, [given, value]) => {
  const name = named('set', given)
  if (!/^[A-Za-z_]\w{0,99}$/.test(name) || RESERVED.has(name))
    throw new HelperFailed(`set: ${say(name)} cannot be the name of a variable`)
  at.set(name, value)
  return undefined
}

const truncate: Helper = (at, [value, length, suffix]) => {
  const whole = words(at, value)
  const most = numberOf('truncate', length)
  read(at, whole.length)
  if (whole.length <= most) return whole
  // Not through the middle of a character.
  return whole.slice(0, Math.max(0, most)).replace(/[\ud800-\udbff]$/, '') + words(at, suffix)
}

const lookup: Helper = (_at, [value, key]) => {
  const isKey = typeof key === 'string' || typeof key === 'number'
  if (typeof value !== 'object' || value === null || !isKey || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string | number, unknown>)[key]
}

const joined: Helper = (at, args, { separator }) => {
  const between = words(at, separator)
  return args.reduce<string>(
    (all, value, index) => concat(at, index > 0 ? concat(at, all, between) : all, words(at, value)),
    '',
  )
}

const subtract = (name: string) => arithmetic(name, (left, right) => left - right)
const date = (name: string): Helper => {
  return (_at, [moment, format, zone]) => {
    const made = typeof format === 'string' ? dateText(moment, format, zone) : undefined
    if (made === undefined)
      throw new HelperFailed(`${name}: takes a date, a format such as "%Y-%m-%d" and, where you want, a time zone`)
    return made
  }
}

const epoch =
  (name: string, milliseconds: (value: unknown) => number | undefined): Helper =>
  (_at, [value]) => {
    const moment = milliseconds(value)
    if (moment === undefined) throw new HelperFailed(`${name}: ${say(value)} is not a date`)
    return moment
  }

export const valueHelpers: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ['and', (_at, args) => args.every(isTruthy)],
  ['or', (_at, args) => args.some(isTruthy)],
  ['not', (_at, [value]) => !isTruthy(value)],
  ['condition', condition],
  ['conditional', (_at, args, { operator }) => (operator === 'or' ? args.some(isTruthy) : args.every(isTruthy))],
  ['filter', filter],
  ['default', (_at, [value, otherwise]) => value ?? otherwise],
  ['path', (at, [path]) => at.valueOf(named('path', path))],
  ['var', (at, [path]) => at.valueOf(named('var', path)) ?? `{${path}}`],
  ['set', set],
  ['lookup', lookup],
  ['capitalize', ofText((value) => value.slice(0, 1).toUpperCase() + value.slice(1))],
  ['concat', joined],
  ['format', (at, [format, ...values]) => formatted(words(at, format), values.flat(), (value) => copied(at, value))],
  ['datetime-format', date('datetime-format')],
  ['trim', ofText((value) => value.trim())],
  ['trim-left', ofText((value) => value.trimStart())],
  ['trim-right', ofText((value) => value.trimEnd())],
  ['trim-one-char-right', ofText((value) => value.slice(0, -1))],
  ['truncate', truncate],
  ['abs', ofNumber('abs', Math.abs)],
  ['ceil', ofNumber('ceil', Math.ceil)],
  ['floor', ofNumber('floor', Math.floor)],
  // Halves go away from zero, in both directions.
  ['round', ofNumber('round', (value) => Math.sign(value) * Math.round(Math.abs(value)))],
  ['inc', ofNumber('inc', (value) => value + 1)],
  ['add', arithmetic('add', (left, right) => left + right)],
  ['subtract', subtract('subtract')],
  ['sub', subtract('sub')],
  ['multiply', arithmetic('multiply', (left, right) => left * right)],
  ['divide', arithmetic('divide', (left, right) => left / right)],
  ['mod', arithmetic('mod', (left, right) => left % right)],
  ['swu_datetimeformat', date('swu_datetimeformat')],
  [
    'swu_iso8601_to_time',
    epoch('swu_iso8601_to_time', (value) => (typeof value === 'string' ? epochOf(value) : undefined)),
  ],
  [
    'swu_timestamp_to_time',
    epoch('swu_timestamp_to_time', (value) => (Number.isInteger(value) ? Number(value) * 1_000 : undefined)),
  ],
])
