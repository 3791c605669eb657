/** Conditions over what is known of a message: on the notification, a channel or a provider. */
import { compileExpression, evaluate } from '../../base/expression.ts'
import type { Profiled } from './deciding.ts'
import { scopeOf } from './scope.ts'

/**
 * Without a condition true. One that cannot be evaluated is not met: a message too few is mended by sending it, one too
 * many is not.
 */
export function holds(condition: string | undefined, value: Profiled): boolean {
  if (condition === undefined) return true
  try {
    return Boolean(evaluate(compileExpression(condition), scopeOf(value)))
  } catch {
    return false
  }
}
