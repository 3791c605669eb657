/** The operations of an expression on values: own properties, bounded text, a closed list of pure methods. */
import type { Budget } from '../budget.ts'
import { ownProperty } from '../json/json.ts'
import { positionOf } from '../text-search.ts'

/** The source is not in the subset. */
export class ExpressionInvalid extends Error {
  override readonly name = 'ExpressionInvalid'
}

/** The evaluation used up its bounds. */
export class ExpressionFailed extends Error {
  override readonly name = 'ExpressionFailed'
}

/** Records of names, the innermost first: the first that has a name gives its value. */
export type ExpressionScope = readonly Readonly<Record<string, unknown>>[]

export interface Machine extends Budget {
  readonly scope: ExpressionScope
}

/** The cost of `act` is taken from the budget, whether it succeeds or not. */
export function onMachine<Result>(
  scope: ExpressionScope,
  budget: Budget,
  act: (machine: Machine) => Result,
  stepsMax = budget.steps,
): Result {
  const steps = Math.min(stepsMax, budget.steps)
  const machine: Machine = { scope, steps, characters: budget.characters }
  try {
    return act(machine)
  } finally {
    budget.steps -= steps - machine.steps
    budget.characters = machine.characters
  }
}

/** The same as the output of a template: no useful text is longer. */
const TEXT_MAX = 1_000_000

/** Longer than any word or address that a person searches for. */
const NEEDLE_MAX = 10_000

/** A search in linear time costs at most this much more than reading the text. */
const SEARCH_COST_MAX = 4

/** Visiting an item of a list takes as long as reading this many characters. */
const ITEM_COST = 5
/** A large object is a hash table: listing and sorting its keys takes this long for each. */
const KEY_COST = 20

/** One operation, or several. */
export function step(machine: Budget, count = 1): void {
  machine.steps -= count
  if (machine.steps < 0) throw new ExpressionFailed('The expression takes too many steps')
}

/** Native work on a text or a list costs what it reads or writes, so that it cannot hide from the budget. */
export function read(machine: Budget, characters: number): void {
  machine.characters -= characters
  if (machine.characters < 0) throw new ExpressionFailed('The expression reads and writes too many characters')
}

/** The keys of an object. */
export function keysOf(machine: Budget, value: object): string[] {
  // Their number is known only afterwards.
  read(machine, 0)
  const keys = Object.keys(value)
  read(machine, KEY_COST * keys.length)
  return keys
}

/** The items of a list, which the caller visits. */
export function itemsOf(machine: Budget, list: readonly unknown[]): readonly unknown[] {
  read(machine, ITEM_COST * list.length)
  return list
}

function bounded(machine: Budget, length: number): void {
  read(machine, length)
  if (length > TEXT_MAX) throw new ExpressionFailed(`The expression makes a text of more than ${TEXT_MAX} characters`)
}

export function named(machine: Machine, name: string): unknown {
  for (const record of machine.scope) if (Object.hasOwn(record, name)) return record[name]
  return undefined
}

/** A property whose name was computed. */
export function property(machine: Budget, value: unknown, key: unknown): unknown {
  if (typeof key !== 'string' && typeof key !== 'number') return undefined
  if (typeof key === 'string') read(machine, key.length)
  return ownProperty(value, key)
}

/** Objects become JSON: their own `toString` and `valueOf` are data and never called. */
export function text(machine: Budget, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return String(value)
  readParts(machine, value)
  const json = JSON.stringify(value) ?? ''
  bounded(machine, json.length)
  return json
}

/** The work of writing a value as JSON, taken before it is done. */
function readParts(machine: Budget, value: unknown): void {
  if (typeof value === 'string') read(machine, value.length)
  else if (Array.isArray(value)) for (const item of itemsOf(machine, value)) readParts(machine, item)
  else if (typeof value === 'object' && value !== null)
    for (const key of keysOf(machine, value)) readParts(machine, (value as Record<string, unknown>)[key])
}

export function concat(machine: Budget, left: string, right: string): string {
  bounded(machine, left.length + right.length)
  return left + right
}

export function number(machine: Budget, value: unknown): number {
  if (typeof value === 'string') read(machine, value.length)
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value)
}

/** The characters read by comparing two texts: none where their lengths differ. */
export function readToCompare(machine: Machine, left: unknown, right: unknown): void {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) read(machine, left.length)
}

type Method = (machine: Machine, on: string | unknown[], args: readonly unknown[]) => unknown

const onText =
  (act: (on: string, argument: string) => unknown): Method =>
  (machine, on, [argument]) =>
    typeof on === 'string' ? act(on, text(machine, argument)) : undefined

const integer = (machine: Machine, value: unknown) => (value === undefined ? undefined : number(machine, value))

/** The position of the first one, -1 where there is none. */
function search(machine: Machine, on: string | unknown[], item: unknown): number {
  if (typeof on !== 'string') {
    for (const element of on) readToCompare(machine, element, item)
    return Number.isNaN(item) ? on.findIndex(Number.isNaN) : on.indexOf(item)
  }
  return positionIn(machine, on, text(machine, item))
}

/** The position of a text in another, -1 where it is not in it. */
export function positionIn(machine: Budget, on: string, needle: string): number {
  if (needle.length > NEEDLE_MAX)
    throw new ExpressionFailed(`The expression searches for a text of more than ${NEEDLE_MAX} characters`)
  read(machine, on.length * Math.min(needle.length, SEARCH_COST_MAX))
  return positionOf(on, needle)
}

/** Whole of what can be called; on any other value a call is `undefined`. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['includes', (machine, on, [item]) => search(machine, on, item) >= 0],
  ['indexOf', (machine, on, [item]) => (Number.isNaN(item) && typeof on !== 'string' ? -1 : search(machine, on, item))],
  ['startsWith', onText((on, argument) => on.startsWith(argument))],
  ['endsWith', onText((on, argument) => on.endsWith(argument))],
  ['toLowerCase', onText((on) => on.toLowerCase())],
  ['toUpperCase', onText((on) => on.toUpperCase())],
  ['trim', onText((on) => on.trim())],
  ['slice', (machine, on, [from, to]) => on.slice(integer(machine, from), integer(machine, to))],
  ['join', join],
])

function join(machine: Machine, on: string | unknown[], [argument]: readonly unknown[]): unknown {
  if (typeof on === 'string') return undefined
  const separator = argument === undefined ? ',' : text(machine, argument)
  const parts = on.map((item) => (item === null || item === undefined ? '' : text(machine, item)))
  let length = separator.length * parts.length
  for (const part of parts) length += part.length
  bounded(machine, length)
  return parts.join(separator)
}

export function call(machine: Machine, on: unknown, method: Method, args: readonly unknown[]): unknown {
  if (typeof on !== 'string' && !Array.isArray(on)) return undefined
  read(machine, on.length)
  return method(machine, on, args)
}
