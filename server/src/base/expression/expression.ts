/** Conditions of templates, routes and automations: a subset of JavaScript, parsed once, evaluated over plain data. */
import { type AnyNode, parseExpressionAt } from 'acorn'
import { type Budget, budgetOf } from '../budget.ts'
import { build, constants } from './build.ts'
import { ExpressionFailed, ExpressionInvalid, type ExpressionScope, type Machine, onMachine } from './machine.ts'

export { ExpressionFailed, ExpressionInvalid, type ExpressionScope, onMachine }

export interface Expression {
  readonly source: string
  readonly run: (machine: Machine) => unknown
}

/** Longer than any condition a person writes; it bounds the parser's work. */
const SOURCE_MAX = 4_000
const STEPS_MAX = 10_000

/** Throws `ExpressionInvalid` for everything outside the subset. */
export function compileExpression(source: string): Expression {
  if (source.length > SOURCE_MAX) throw new ExpressionInvalid(`The expression is longer than ${SOURCE_MAX} characters`)
  let tree: ReturnType<typeof parseExpressionAt>
  try {
    tree = parseExpressionAt(source, 0, { ecmaVersion: 2022, preserveParens: true })
  } catch (cause) {
    throw new ExpressionInvalid(explainedError(source, `The expression cannot be read: ${(cause as Error).message}`), {
      cause,
    })
  }
  if (source.slice(tree.end).trim() !== '')
    throw new ExpressionInvalid(explainedError(source, `Unexpected text at ${tree.end}`))
  return { source, run: build(tree) }
}

/** An author who writes `${…}` takes the expression for a text with values; between backticks it is valid. */
const explainedError = (source: string, error: string) =>
  source.includes('${') && !source.includes('`')
    ? '`${` has no place here: this is an expression already, which names `data.…` itself'
    : error

/**
 * Unknown names and properties of nothing are `undefined`. Its cost is taken from `budget`; throws
 * `ExpressionFailed` when that, its own 10,000 steps or the size of a text are used up.
 */
export function evaluate(expression: Expression, scope: ExpressionScope, budget: Budget = budgetOf()): unknown {
  try {
    return onMachine(scope, budget, expression.run, STEPS_MAX)
  } catch (cause) {
    if (cause instanceof ExpressionFailed) throw cause
    throw new ExpressionFailed(`The expression failed: ${(cause as Error).message}`, { cause })
  }
}

/** The paths in a source that compiles: `refs.first.status` is `['refs', 'first', 'status']`. */
export function pathsIn(source: string): string[][] {
  return pathsOf(parseExpressionAt(source, 0, { ecmaVersion: 2022 }))
}

function pathsOf(node: AnyNode): string[][] {
  const path = pathOf(node)
  if (path) return constants.has(path[0] ?? '') ? [] : [path]
  if (node.type === 'MemberExpression')
    return [...pathsOf(node.object as AnyNode), ...(node.computed ? pathsOf(node.property as AnyNode) : [])]
  if (node.type === 'Property') return pathsOf(node.value as AnyNode)
  return Object.values(node)
    .flat()
    .flatMap((part) => (isNode(part) ? pathsOf(part) : []))
}

/** Undefined when a part of it is known only when it is evaluated. */
function pathOf(node: AnyNode): string[] | undefined {
  if (node.type === 'Identifier') return [node.name]
  if (node.type === 'ChainExpression') return pathOf(node.expression)
  if (node.type !== 'MemberExpression') return undefined
  const before = pathOf(node.object as AnyNode)
  const key = keyOf(node.property as AnyNode, node.computed)
  return before && key !== undefined ? [...before, key] : undefined
}

function keyOf(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === 'Identifier' && !isComputed) return key.name
  return key.type === 'Literal' && isComputed ? String(key.value) : undefined
}

const isNode = (part: unknown): part is AnyNode =>
  typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string'
