/** A value that a helper works with. It is reached through methods alone, each of which takes its cost from the budget. */
import { binary } from '../../base/expression/build.ts'
import { itemsOf, keysOf, type Machine, positionIn, property, read, text } from '../../base/expression/machine.ts'
import { quoted } from '../../base/quote.ts'

/** An argument comes out of a helper as the value that it is. */
export type HelperResult = Argument | string | number | boolean | undefined

/** No number has more digits that count. */
const DIGITS_MAX = 400

/** Truthy for `if`: an empty list is not. */
export const isTruthy = (value: unknown): boolean => Boolean(value) && !(Array.isArray(value) && value.length === 0)

export class Argument {
  readonly #machine: Machine
  readonly #value: unknown

  constructor(machine: Machine, value: unknown) {
    this.#machine = machine
    this.#value = value
  }

  /** The value of a result, for the evaluator: a helper has no use for it. */
  static unwrap(result: HelperResult): unknown {
    return result instanceof Argument ? result.#value : result
  }

  get isNothing(): boolean {
    return this.#value === undefined || this.#value === null
  }

  get isTruthy(): boolean {
    return isTruthy(this.#value)
  }

  /** Nothing, an empty text, or a list or object without content. */
  isEmpty(): boolean {
    const value = this.#value
    if (Array.isArray(value)) return value.length === 0
    if (typeof value !== 'object' || value === null) return (value ?? '') === ''
    return keysOf(this.#machine, value).length === 0
  }

  /** In errors. */
  describe(): string {
    return typeof this.#value === 'string' ? quoted(this.#value) : typeof this.#value
  }

  /** As it is shown: nothing is an empty text, a list or an object is JSON. */
  text(): string {
    if (this.isNothing) return ''
    const shown = text(this.#machine, this.#value)
    read(this.#machine, shown.length)
    return shown
  }

  /** Undefined for anything but a string. */
  string(): string | undefined {
    return typeof this.#value === 'string' ? this.text() : undefined
  }

  /** The value of a number or its digits; NaN for anything else. */
  number(): number {
    const value = this.#value
    if (typeof value === 'number') return value
    if (typeof value !== 'string' || value.length >= DIGITS_MAX || value.trim() === '') return Number.NaN
    read(this.#machine, value.length)
    return Number(value)
  }

  /** A date is a number or a string. */
  dateSource(): number | string | undefined {
    return typeof this.#value === 'number' ? this.#value : this.string()
  }

  /** Undefined for anything but a list. */
  items(): Argument[] | undefined {
    if (!Array.isArray(this.#value)) return undefined
    return itemsOf(this.#machine, this.#value).map((item) => new Argument(this.#machine, item))
  }

  /** An own property. */
  property(name: Argument): Argument {
    return new Argument(this.#machine, property(this.#machine, this.#value, name.#value))
  }

  /** Undefined: there is no such operator. In a tag a boolean is often compared with its name. */
  compare(operator: string, other: Argument): boolean | undefined {
    const operate = comparisonOperators.has(operator) ? binary.get(operator) : undefined
    if (!operate) return undefined
    const [left, right] = [this.#value, other.#value]
    return Boolean(operate(named(left, right), named(right, left), this.#machine))
  }

  /** A list has an equal item, or a text this part. */
  contains(other: Argument): boolean {
    if (typeof this.#value === 'string') return positionIn(this.#machine, this.#value, other.text()) >= 0
    return this.items()?.some((item) => item.compare('==', other)) ?? false
  }
}

export const comparisonOperators: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])

const named = (value: unknown, other: unknown) =>
  typeof value === 'boolean' && typeof other === 'string' ? String(value) : value
