/** Conditions of templates, routes and automations: a subset of JavaScript, parsed once, evaluated over plain data. */
import { parseExpressionAt } from 'acorn'
import { type Budget, budgetOf } from '../budget.ts'
import { build } from './build.ts'
import { ExpressionFailed, ExpressionInvalid, type Machine, onMachine, type Scope } from './machine.ts'
import { pathsIn } from './paths.ts'

export { ExpressionFailed, ExpressionInvalid, onMachine, pathsIn, type Scope }

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
    throw new ExpressionInvalid(faultOf(source, `The expression cannot be read: ${(cause as Error).message}`), {
      cause,
    })
  }
  if (source.slice(tree.end).trim() !== '')
    throw new ExpressionInvalid(faultOf(source, `Unexpected text at ${tree.end}`))
  return { source, run: build(tree) }
}

/** Who writes `${…}` takes the expression for a text that is filled in; between backticks it may stand. */
const faultOf = (source: string, fault: string) =>
  source.includes('${') && !source.includes('`')
    ? '`${` has no place here: this is an expression already, which names `data.…` itself'
    : fault

/**
 * Unknown names and properties of nothing are `undefined`. What it costs is taken from `budget`; throws
 * `ExpressionFailed` when that, its own 10,000 steps or the size of a text are used up.
 */
export function evaluate(expression: Expression, scope: Scope, budget: Budget = budgetOf()): unknown {
  try {
    return onMachine(scope, budget, expression.run, STEPS_MAX)
  } catch (cause) {
    if (cause instanceof ExpressionFailed) throw cause
    throw new ExpressionFailed(`The expression failed: ${(cause as Error).message}`, { cause })
  }
}
