/** Turns a syntax tree into closures, and rejects every node that is not in the subset. */
import type { AnyNode, MemberExpression, Property } from 'acorn'
import { quoted, quotedList } from '../quote.ts'
import {
  call,
  concat,
  ExpressionInvalid,
  type Machine,
  methods,
  named,
  number,
  property,
  read,
  readToCompare,
  step,
  text,
} from './machine.ts'

export type ExpressionStep = (machine: Machine) => unknown

/** Nesting that no condition written by a person reaches; it bounds the stack. */
const DEPTH_MAX = 100

/** The value of `a?.b.c` after a missing member. */
const NOTHING = Symbol('nothing')

const reject = (node: AnyNode, what: string, instead = ''): never => {
  throw new ExpressionInvalid(`${what} cannot be used in an expression (at ${node.start})${instead}`)
}

export const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
])

type Operate = (left: unknown, right: unknown, machine: Machine) => unknown

const strict = (left: unknown, right: unknown, machine: Machine) => {
  readToCompare(machine, left, right)
  return left === right
}
/** `==` between two objects is identity; an object and a scalar are never equal. */
const loose = (left: unknown, right: unknown, machine: Machine) => {
  const objects =
    Number(typeof left === 'object' && left !== null) + Number(typeof right === 'object' && right !== null)
  if (objects > 0 || typeof left === typeof right) return strict(left, right, machine)
  for (const side of [left, right]) if (typeof side === 'string') read(machine, side.length)
  // biome-ignore lint/suspicious/noDoubleEquals: the author wrote `==` and means it
  return left == right
}
const compare =
  (order: (left: string | number, right: string | number) => boolean): Operate =>
  (left, right, machine) => {
    if (typeof left !== 'string' || typeof right !== 'string')
      return order(number(machine, left), number(machine, right))
    // A concatenated string is flattened first, however early the two differ.
    read(machine, left.length + right.length)
    return order(left, right)
  }
const compute =
  (operate: (left: number, right: number) => number): Operate =>
  (left, right, machine) =>
    operate(number(machine, left), number(machine, right))

export const binary: ReadonlyMap<string, Operate> = new Map<string, Operate>([
  ['===', strict],
  ['!==', (left, right, machine) => !strict(left, right, machine)],
  ['==', loose],
  ['!=', (left, right, machine) => !loose(left, right, machine)],
  ['<', compare((left, right) => left < right)],
  ['<=', compare((left, right) => left <= right)],
  ['>', compare((left, right) => left > right)],
  ['>=', compare((left, right) => left >= right)],
  ['-', compute((left, right) => left - right)],
  ['*', compute((left, right) => left * right)],
  ['/', compute((left, right) => left / right)],
  ['%', compute((left, right) => left % right)],
  ['**', compute((left, right) => left ** right)],
  ['+', add],
])

function add(left: unknown, right: unknown, machine: Machine): unknown {
  const isText = [left, right].some((side) => typeof side === 'string' || (typeof side === 'object' && side !== null))
  return isText
    ? concat(machine, text(machine, left), text(machine, right))
    : number(machine, left) + number(machine, right)
}

const unary = new Map<string, (value: unknown, machine: Machine) => unknown>([
  ['!', (value) => !value],
  ['-', (value, machine) => -number(machine, value)],
  ['+', (value, machine) => number(machine, value)],
  ['typeof', (value) => typeof value],
])

export function build(node: AnyNode, depth = 0): ExpressionStep {
  if (depth > DEPTH_MAX) reject(node, `Nesting deeper than ${DEPTH_MAX}`)
  const act = stepOf(node, depth + 1)
  return (machine) => {
    step(machine)
    return act(machine)
  }
}

function stepOf(node: AnyNode, depth: number): ExpressionStep {
  switch (node.type) {
    case 'ParenthesizedExpression':
      return build(node.expression, depth)
    case 'Literal': {
      if (node.regex) return reject(node, 'A pattern')
      if (typeof node.value === 'bigint') return reject(node, 'A big integer')
      const { value } = node
      return () => value
    }
    case 'Identifier': {
      const { name } = node
      if (constants.has(name)) return () => constants.get(name)
      return (machine) => named(machine, name)
    }
    case 'TemplateLiteral': {
      const texts = node.quasis.map((quasi) => quasi.value.cooked ?? '')
      const values = node.expressions.map((value) => build(value, depth))
      return (machine) =>
        values.reduce<string>(
          (all, value, index) =>
            concat(machine, concat(machine, all, text(machine, value(machine))), texts[index + 1] ?? ''),
          texts[0] ?? '',
        )
    }
    case 'ArrayExpression': {
      const items = node.elements.map((item) => (item ? build(item, depth) : () => undefined))
      return (machine) => items.map((item) => item(machine))
    }
    case 'ObjectExpression': {
      const entries = node.properties.map((entry) =>
        entry.type === 'Property' ? buildEntry(entry, depth) : reject(entry, 'A spread'),
      )
      return (machine) => Object.fromEntries(entries.map(([key, value]) => [key, value(machine)]))
    }
    default:
      return operationOf(node, depth)
  }
}

function operationOf(node: AnyNode, depth: number): ExpressionStep {
  switch (node.type) {
    case 'UnaryExpression': {
      const operate = unary.get(node.operator) ?? reject(node, node.operator)
      const value = build(node.argument, depth)
      return (machine) => operate(value(machine), machine)
    }
    case 'BinaryExpression': {
      if (node.left.type === 'PrivateIdentifier') return reject(node, 'A private name')
      const operate = binary.get(node.operator) ?? reject(node, node.operator)
      const left = build(node.left, depth)
      const right = build(node.right, depth)
      return (machine) => operate(left(machine), right(machine), machine)
    }
    case 'LogicalExpression': {
      const left = build(node.left, depth)
      const right = build(node.right, depth)
      if (node.operator === '&&') return (machine) => left(machine) && right(machine)
      if (node.operator === '||') return (machine) => left(machine) || right(machine)
      return (machine) => left(machine) ?? right(machine)
    }
    case 'ConditionalExpression': {
      const test = build(node.test, depth)
      const yes = build(node.consequent, depth)
      const no = build(node.alternate, depth)
      return (machine) => (test(machine) ? yes(machine) : no(machine))
    }
    default:
      return accessOf(node, depth)
  }
}

function accessOf(node: AnyNode, depth: number): ExpressionStep {
  switch (node.type) {
    case 'ChainExpression': {
      const chain = build(node.expression, depth)
      return (machine) => {
        const value = chain(machine)
        return value === NOTHING ? undefined : value
      }
    }
    case 'MemberExpression': {
      const { on, key } = buildMember(node, depth)
      return (machine) => {
        const value = on(machine)
        return value === NOTHING ? NOTHING : property(machine, value, key(machine))
      }
    }
    case 'CallExpression': {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier')
        return reject(node, 'This call')
      const { name } = callee.property
      const method =
        methods.get(name) ??
        reject(node, `A call of ${quoted(name)}`, `; its methods are ${quotedList(methods.keys())}`)
      const { on } = buildMember(callee, depth)
      const args = node.arguments.map((argument) => build(argument, depth))
      return (machine) => {
        const value = on(machine)
        if (value === NOTHING) return NOTHING
        return call(
          machine,
          value,
          method,
          args.map((argument) => argument(machine)),
        )
      }
    }
    default:
      return reject(node, node.type)
  }
}

function buildEntry(entry: Property, depth: number): [string, ExpressionStep] {
  if (entry.kind !== 'init' || entry.method || entry.computed) reject(entry, 'This property')
  const key =
    entry.key.type === 'Identifier' ? entry.key.name : entry.key.type === 'Literal' ? String(entry.key.value) : ''
  if (key === '__proto__') reject(entry, '__proto__')
  return [key, build(entry.value, depth)]
}

function buildMember(node: MemberExpression, depth: number): { on: ExpressionStep; key: ExpressionStep } {
  if (node.object.type === 'Super') reject(node, 'super')
  const object = build(node.object, depth)
  const { optional } = node
  const on: ExpressionStep = (machine) => {
    const value = object(machine)
    return optional && (value === null || value === undefined) ? NOTHING : value
  }
  if (node.computed) return { on, key: build(node.property as AnyNode, depth) }
  if (node.property.type !== 'Identifier') return reject(node, 'A private name')
  const { name } = node.property
  return { on, key: () => name }
}
