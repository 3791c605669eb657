/** Conditions over what is known of a message: on the notification, a channel or a provider. */
import { isSpent } from '../../base/budget.ts'
import { invalidRequest } from '../../base/errors.ts'
import { compileExpression, ExpressionInvalid, evaluate } from '../../base/expression/expression.ts'
import type { Profiled } from './decision.ts'
import { scopeOf } from './template-scope.ts'

export interface Judged {
  met: boolean
  /** Why it could not be evaluated. */
  error?: string
}

/** A condition and where its author wrote it. */
export interface Placed {
  condition: string | undefined
  place: string
}

/** The share of a message's budget; the rest is for its contents. */
export const CONDITIONS_SHARE = 0.2

/** Compiling a condition takes as long as so many steps for each of its characters. */
const COMPILE_STEPS = 4

/**
 * Without a condition it is met. One that cannot be evaluated is not: a message too few is mended by sending it, one too
 * many is not.
 */
export function judge({ condition, place }: Placed, value: Profiled): Judged {
  if (condition === undefined) return { met: true }
  const { conditionBudget: budget } = value
  budget.steps -= COMPILE_STEPS * condition.length
  if (isSpent(budget)) return { met: false, error: `${place}: the conditions of the message take too long` }
  try {
    return { met: Boolean(evaluate(compileExpression(condition), [scopeOf(value)], budget)) }
  } catch (error) {
    return { met: false, error: `${place}: ${(error as Error).message}` }
  }
}

/** The first of these that is not met. */
export function unmet(conditions: readonly Placed[], value: Profiled): Judged | undefined {
  for (const condition of conditions) {
    const judged = judge(condition, value)
    if (!judged.met) return judged
  }
  return undefined
}

/** The same condition when it can be read. Throws a 400 that names the place. */
export function checkedCondition(condition: string, place: string): string {
  try {
    compileExpression(condition)
    return condition
  } catch (error) {
    if (error instanceof ExpressionInvalid) throw invalidRequest(`${place}: ${error.message}`, error)
    throw error
  }
}
