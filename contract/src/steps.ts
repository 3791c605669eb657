/** Every automation step, in reading order, and the types that follow from them. */
import type { Static } from 'typebox'
import type { StepDefinition } from './api/step.ts'
import { stepDefinitions } from './steps.generated.ts'

type Definitions = typeof stepDefinitions
export type AutomationAction = keyof Definitions
export type StepFields<Action extends AutomationAction> = Static<Definitions[Action]['fields']>

export const automationSteps = Object.fromEntries(
  Object.entries<StepDefinition>(stepDefinitions).sort(([, left], [, other]) => left.position - other.position),
) as unknown as Definitions

export const automationActions = Object.keys(automationSteps) as AutomationAction[]
