/** Conditions on a notification, a channel or a provider, and the scope that they and templates read. */
import { isSpent } from '../../base/budget.ts'
import { invalidRequest } from '../../base/errors.ts'
import { compileExpression, ExpressionInvalid, evaluate } from '../../base/expression/expression.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Profiled } from './decision.ts'

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

export function scopeOf({ messageId, workspace, input, notification, profile, facts, now }: Profiled) {
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
    // What steps filled into the words of the content: variables in it stand for these.
    ...(input.content?.filled_in !== undefined && { filled_in: input.content.filled_in }),
  }
}
