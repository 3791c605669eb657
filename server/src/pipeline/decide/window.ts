/** Whether it may go now: the message's time is not over and its notification's condition holds. */
import { compileExpression, evaluate } from '../../base/expression.ts'
import type { Permitted, StepResult } from './deciding.ts'
import { scopeOf } from './scope.ts'

export function window(value: Permitted): StepResult<Permitted> {
  const deadline = value.firstDue + value.facts.windows.messageMs
  if (value.now > deadline)
    return {
      stop: { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'The time to send this message ran out' },
      found: () => ({ summary: `Its deadline was ${new Date(deadline).toISOString()}.`, facts: { deadline } }),
    }
  const { condition } = value.notification
  if (condition === undefined)
    return { value, found: () => ({ summary: 'It may be sent now; no condition is set.', facts: { deadline } }) }
  const held = holds(condition, value)
  if (!held)
    return {
      stop: { status: 'FILTERED', reason: 'FILTERED', error: 'The condition of the notification is not met' },
      found: () => ({ summary: `The condition \`${condition}\` is not met.`, facts: { deadline, condition } }),
    }
  return { value, found: () => ({ summary: `The condition \`${condition}\` is met.`, facts: { deadline, condition } }) }
}

/** A condition that cannot be evaluated is not met: a message too few is mended by sending it, one too many is not. */
function holds(condition: string, value: Permitted): boolean {
  try {
    return Boolean(evaluate(compileExpression(condition), scopeOf(value)))
  } catch {
    return false
  }
}
