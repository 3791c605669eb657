/** Whole of what a tag can call: pure functions of their arguments, on the machine and the budget of expressions. */
import { concat, type Machine, read, step } from '../../base/expression/machine.ts'
import { mustBeOneOf, quoted } from '../../base/quote.ts'
import { timeZoneAdvice } from '../../base/time/time-zone.ts'
import { type Argument, comparisonOperators, type HelperResult } from './argument.ts'
import { dateText, epochOf, isClockZone } from './dates.ts'

/** A helper cannot do with its arguments what it is for. */
export class HelperFailed extends Error {
  override readonly name = 'HelperFailed'
}

/** A helper never has a bare value: work on one is done by an `Argument`, which charges for it. */
export interface HelperCall {
  readonly args: readonly Argument[]
  /** Nothing where the tag has no such argument. */
  argument(index: number): Argument
  /** A named one: `separator=", "`. */
  option(name: string): Argument
  /** The value of a name that is written as a text: `"profile.email"`. */
  valueOf(path: string): Argument
  /** The text in the place of that value, where it has none. */
  withoutValue(name: string): string
  set(name: string, value: Argument): void
  /** The clock of a time zone. */
  prepareZone(zone: string): void
  /** The translation of a text, with the values of this tag in it. */
  translation(): string
  readonly machine: Machine
}

export type Helper = (call: HelperCall) => HelperResult

/** A block of one of them shows one of its branches; they are helpers with a result as well. */
export const booleanHelpers: ReadonlySet<string> = new Set(['and', 'or', 'not', 'condition', 'conditional', 'filter'])
export const blockHelpers: ReadonlySet<string> = new Set(['if', 'unless', 'each', 'with'])
/** `{{t "Hello {name}"}}`, and `{{#t}}Hello {name}{{/t}}`: what it shows is a text of the author, not a value. */
export const TRANSLATION = 't'

function numberOf(name: string, argument: Argument): number {
  const number = argument.number()
  if (Number.isNaN(number)) throw new HelperFailed(`${name}: ${argument.describe()} is not a number`)
  return number
}

const arithmetic =
  (name: string, compute: (left: number, right: number) => number): Helper =>
  (call) => {
    const [left, right] = [call.argument(0), call.argument(1)]
    const result = compute(numberOf(name, left), numberOf(name, right))
    if (Number.isFinite(result)) return result
    throw new HelperFailed(`${name}: ${right.describe()} cannot be used here`)
  }

const ofNumber =
  (name: string, compute: (value: number) => number): Helper =>
  (call) =>
    compute(numberOf(name, call.argument(0)))

const ofText =
  (change: (value: string) => string): Helper =>
  (call) =>
    change(call.argument(0).text())

const condition: Helper = (call) => {
  const operator = call.argument(1)
  const holds = call.argument(0).compare(operator.string() ?? '', call.argument(2))
  if (holds !== undefined) return holds
  throw new HelperFailed(`condition: the operator ${mustBeOneOf(comparisonOperators)}; it is ${operator.describe()}`)
}

type Test = (actual: Argument, expected: Argument) => boolean
const compared =
  (operator: string): Test =>
  (actual, expected) =>
    actual.compare(operator, expected) === true

export const filterTests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['EQUALS', compared('==')],
  ['NOT_EQUALS', compared('!=')],
  ['GREATER_THAN', compared('>')],
  ['GREATER_THAN_OR_EQUALS', compared('>=')],
  ['LESS_THAN', compared('<')],
  ['LESS_THAN_OR_EQUALS', compared('<=')],
  ['CONTAINS', (actual, expected) => actual.contains(expected)],
  ['NOT_CONTAINS', (actual, expected) => !actual.contains(expected)],
  ['IS_EMPTY', (actual) => actual.isEmpty()],
  ['IS_NOT_EMPTY', (actual) => !actual.isEmpty()],
])

/** `filter "data" "customer.name" "EQUALS" "josh"`; the property may begin with the source as well. */
const filter: Helper = (call) => {
  const operator = call.argument(2)
  const test = filterTests.get(operator.string() ?? '')
  if (!test)
    throw new HelperFailed(`filter: the operator ${mustBeOneOf(filterTests.keys())}; it is ${operator.describe()}`)
  const [source, property] = [nameIn('filter', call.argument(0)), nameIn('filter', call.argument(1))]
  const path = property.startsWith(`${source}.`) ? property : `${source}.${property}`
  return test(call.valueOf(path), call.argument(3))
}

/** Longer than any path to a value: reading one takes longer than reading another text. */
const NAME_CHARACTERS_MAX = 1_000

function nameIn(helper: string, argument: Argument): string {
  const name = argument.string()
  if (name === undefined)
    throw new HelperFailed(`${helper}: the name of a variable must be a string, such as "profile.name"`)
  if (name.length <= NAME_CHARACTERS_MAX) return name
  throw new HelperFailed(`${helper}: the name of a variable must have at most ${NAME_CHARACTERS_MAX} characters`)
}

const RESERVED: ReadonlySet<string> = new Set(['brand', 'data', 'event', 'profile', 'recipient', 'urls'])

const set: Helper = (call) => {
  const name = nameIn('set', call.argument(0))
  if (!/^[A-Za-z_]\w{0,99}$/.test(name) || RESERVED.has(name))
    throw new HelperFailed(`set: ${quoted(name)} cannot be the name of a variable`)
  call.set(name, call.argument(1))
  return undefined
}

const truncate: Helper = (call) => {
  const whole = call.argument(0).text()
  const most = numberOf('truncate', call.argument(1))
  if (whole.length <= most) return whole
  // Not through the middle of a character.
  const start = whole.slice(0, Math.max(0, most)).replace(/[\ud800-\udbff]$/, '')
  return concat(call.machine, start, call.argument(2).text())
}

const joined: Helper = (call) => {
  const { args, machine } = call
  const between = call.option('separator').text()
  return args.reduce(
    (all, argument, index) => concat(machine, index > 0 ? concat(machine, all, between) : all, argument.text()),
    '',
  )
}

const format: Helper = (call) => {
  const [first, ...values] = call.args
  const flat = values.flatMap((value) => value.items() ?? [value])
  return formatted(first?.text() ?? '', flat, (written) => {
    step(call.machine, FORMAT_CODE_STEPS)
    read(call.machine, written.length)
  })
}

/** A number of 300 digits is written in base 2 in that time. */
const FORMAT_CODE_STEPS = 20

const conditional: Helper = (call) => {
  const isTruthy = (argument: Argument) => argument.isTruthy
  return call.option('operator').string() === 'or' ? call.args.some(isTruthy) : call.args.every(isTruthy)
}

const subtract = (name: string) => arithmetic(name, (left, right) => left - right)

/** As long as reading a date, asking a clock and writing the parts of it. */
const DATE_STEPS = 50

const date =
  (name: string): Helper =>
  (call) => {
    step(call.machine, DATE_STEPS)
    const time = call.argument(0).dateSource()
    const pattern = call.argument(1).string()
    const zone = call.argument(2).string() || undefined
    if (zone !== undefined) call.prepareZone(zone)
    const made = pattern === undefined ? undefined : dateText(time, pattern, zone)
    if (made === undefined && zone !== undefined && !isClockZone(zone))
      throw new HelperFailed(`${name}: ${quoted(zone)} is not a time zone${timeZoneAdvice(zone)}`)
    if (made === undefined)
      throw new HelperFailed(`${name}: takes a date, a format such as "%Y-%m-%d" and, where you want, a time zone`)
    return made
  }

const epoch =
  (name: string, milliseconds: (value: Argument) => number | undefined): Helper =>
  (call) => {
    const time = milliseconds(call.argument(0))
    if (time === undefined) throw new HelperFailed(`${name}: ${call.argument(0).describe()} is not a date`)
    return time
  }

/** Their third argument is a time zone. */
export const zonedHelpers: ReadonlySet<string> = new Set(['datetime-format', 'swu_datetimeformat'])

export const valueHelpers: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ['and', ({ args }) => args.every(({ isTruthy }) => isTruthy)],
  ['or', ({ args }) => args.some(({ isTruthy }) => isTruthy)],
  ['not', (call) => !call.argument(0).isTruthy],
  ['condition', condition],
  ['conditional', conditional],
  ['filter', filter],
  [TRANSLATION, (call) => call.translation()],
  ['default', (call) => (call.argument(0).isNothing ? call.argument(1) : call.argument(0))],
  ['path', (call) => call.valueOf(nameIn('path', call.argument(0)))],
  [
    'var',
    (call) => {
      const name = nameIn('var', call.argument(0))
      const value = call.valueOf(name)
      return value.isNothing ? call.withoutValue(name) : value
    },
  ],
  ['set', set],
  ['lookup', (call) => call.argument(0).property(call.argument(1))],
  ['capitalize', ofText((value) => value.slice(0, 1).toUpperCase() + value.slice(1))],
  ['concat', joined],
  ['format', format],
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
  ['swu_iso8601_to_time', epoch('swu_iso8601_to_time', (value) => epochOf(value.string()))],
  [
    'swu_timestamp_to_time',
    epoch('swu_timestamp_to_time', (value) => {
      const seconds = value.dateSource()
      return Number.isInteger(seconds) ? Number(seconds) * 1_000 : undefined
    }),
  ],
])

const CODE = /%(?:(\d{1,2})\$)?([-+0])?(\d{1,2})?(?:\.(\d{1,2}))?([%sdifeuxXob])/g
/** A number knows no more digits. */
const DIGITS_MAX = 20

/** `charge` takes the cost of each code from the budget, with what was written for it. */
function formatted(format: string, values: readonly Argument[], charge: (written: string) => void): string {
  let next = 0
  return format.replace(
    CODE,
    (_code, position: string | undefined, flag = '', width = '0', digits: string | undefined, kind: string) => {
      const value = kind === '%' ? undefined : values[position === undefined ? next++ : Number(position) - 1]
      const text = kind === '%' ? '%' : padded(shown(value, kind, digits), kind, flag, Number(width))
      charge(text)
      return text
    },
  )
}

function padded(text: string, kind: string, flag: string, width: number): string {
  const signed = flag === '+' && kind !== 's' && !text.startsWith('-') ? `+${text}` : text
  if (flag === '-') return signed.padEnd(width)
  if (flag !== '0' || kind === 's') return signed.padStart(width)
  const sign = /^[-+]/.exec(signed)?.[0] ?? ''
  return sign + signed.slice(sign.length).padStart(width - sign.length, '0')
}

function shown(value: Argument | undefined, kind: string, precision: string | undefined): string {
  const digits = precision === undefined ? undefined : Math.min(Number(precision), DIGITS_MAX)
  if (kind === 's') return (value?.text() ?? '').slice(0, digits)
  const number = value?.number() ?? Number.NaN
  switch (kind) {
    case 'f':
      return digits === undefined ? String(number) : number.toFixed(digits)
    case 'e':
      return number.toExponential(digits)
    case 'x':
      return Math.trunc(number).toString(16)
    case 'X':
      return Math.trunc(number).toString(16).toUpperCase()
    case 'o':
      return Math.trunc(number).toString(8)
    case 'b':
      return Math.trunc(number).toString(2)
    default:
      return String(Math.trunc(number))
  }
}
