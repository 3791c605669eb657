/** Conditions on a notification, a channel or a provider, and the scope that they and templates read. */
import { isSpent } from '../../base/budget.ts'
import { invalidRequest } from '../../base/errors.ts'
import { compileExpression, ExpressionInvalid, evaluate } from '../../base/expression/expression.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Profiled } from './decision.ts'

export interface UnmetCondition {
  /** Why it could not be evaluated. */
  error?: string
}

/** The share of a message's budget; the rest is for its contents. */
export const CONDITIONS_SHARE = 0.2

/** Compiling takes as long as this many steps for each character. */
const COMPILE_STEPS = 4

/**
 * Undefined where the condition is met, and where there is none. One that cannot be evaluated is not met: a missing
 * message can be sent again, one too many cannot be taken back. `place` names it in errors.
 */
export function unmet(condition: string | undefined, place: string, value: Profiled): UnmetCondition | undefined {
  if (condition === undefined) return undefined
  const { conditionBudget: budget } = value
  budget.steps -= COMPILE_STEPS * condition.length
  if (isSpent(budget)) return { error: `${place}: the conditions of the message take too long` }
  try {
    return evaluate(compileExpression(condition), [conditionScope(value)], budget) ? undefined : {}
  } catch (error) {
    return { error: `${place}: ${(error as Error).message}` }
  }
}

/** The same condition when it compiles. Throws a 400 that names the place. */
export function checkedCondition(condition: string, place: string, field = place): string {
  try {
    compileExpression(condition)
    return condition
  } catch (error) {
    if (error instanceof ExpressionInvalid)
      throw invalidRequest(`${place}: ${error.message}`, { code: 'invalid_field', param: field, cause: error })
    throw error
  }
}

export function conditionScope({ messageId, workspace, input, notification, profile, facts, now }: Profiled) {
  const data: JsonObject = input.data ?? {}
  const { tenant } = facts
  return {
    data,
    profile: profile.merged,
    recipient: input.recipient,
    event: input.event,
    messageId,
    template: notification.id,
    courier: { environment: workspace, scope: `${workspace}/api` },
    datetime: { year: new Date(now).getUTCFullYear() },
    ...(tenant && { tenant: { ...tenant.properties, id: tenant.id, name: tenant.name } }),
    // Values of references in the content of an automation step: its variables stand for these.
    ...(input.content?.filled_in !== undefined && { filled_in: input.content.filled_in }),
  }
}
