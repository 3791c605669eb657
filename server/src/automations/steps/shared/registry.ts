/** The behavior of a step by its action, where the action is known at run time only. */
import type { AutomationAction } from '@postrider/contract'
import type { StepBehavior } from '../../step.ts'
import { steps } from '../steps.generated.ts'

/** Fields of another action never reach it: they were validated with the schema of the action. */
export const behaviorOf = (action: AutomationAction) => steps[action] as StepBehavior<never>
