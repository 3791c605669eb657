/** What an expression may do to values: own properties, bounded text, a closed list of pure methods. */

/** The source is not in the subset. */
export class ExpressionInvalid extends Error {
  override readonly name = 'ExpressionInvalid'
}

/** The evaluation used up its bounds. */
export class ExpressionFailed extends Error {
  override readonly name = 'ExpressionFailed'
}

export interface Machine {
  readonly scope: Record<string, unknown>
  /** What is left of the budget. */
  steps: number
}

/** The same as the output of a template: no useful text is longer. */
const TEXT_MAX = 1_000_000

/** Native work on a text or a list costs a step per this many items, so that it cannot hide from the budget. */
const ITEMS_PER_STEP = 1_024

export function spend(machine: Machine, items = 0): void {
  machine.steps -= 1 + Math.floor(items / ITEMS_PER_STEP)
  if (machine.steps < 0) throw new ExpressionFailed('The expression takes too many steps')
}

function bounded(machine: Machine, length: number): void {
  if (length > TEXT_MAX) throw new ExpressionFailed(`The expression makes a text of more than ${TEXT_MAX} characters`)
  spend(machine, length)
}

/** Never the prototype's: only what the value itself holds, and characters of a text. */
export function property(value: unknown, key: unknown): unknown {
  if (typeof key !== 'string' && typeof key !== 'number') return undefined
  if (typeof value === 'string')
    return key === 'length' || Object.hasOwn(Object(value), key) ? value[key as 'length'] : undefined
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string | number, unknown>)[key]
}

/** Objects become JSON: their own `toString` and `valueOf` are data and never asked. */
export function text(machine: Machine, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return String(value)
  const json = JSON.stringify(value) ?? ''
  bounded(machine, json.length)
  return json
}

export function concat(machine: Machine, left: string, right: string): string {
  bounded(machine, left.length + right.length)
  return left + right
}

export function number(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value)
}

type Method = (machine: Machine, on: string | unknown[], args: readonly unknown[]) => unknown

const onText =
  (act: (on: string, argument: string) => unknown): Method =>
  (machine, on, [argument]) =>
    typeof on === 'string' ? act(on, text(machine, argument)) : undefined

const integer = (value: unknown) => (value === undefined ? undefined : number(value))

/** Whole of what can be called; on any other value a call is `undefined`. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'includes',
    (machine, on, [item]) => (typeof on === 'string' ? on.includes(text(machine, item)) : on.includes(item)),
  ],
  ['indexOf', (machine, on, [item]) => (typeof on === 'string' ? on.indexOf(text(machine, item)) : on.indexOf(item))],
  ['startsWith', onText((on, argument) => on.startsWith(argument))],
  ['endsWith', onText((on, argument) => on.endsWith(argument))],
  ['toLowerCase', onText((on) => on.toLowerCase())],
  ['toUpperCase', onText((on) => on.toUpperCase())],
  ['trim', onText((on) => on.trim())],
  ['slice', (_machine, on, [from, to]) => on.slice(integer(from), integer(to))],
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
  spend(machine, on.length)
  return method(machine, on, args)
}
