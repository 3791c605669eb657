/** The decision: a pure function of a message, its facts and the time. Delivering and explaining call the same one. */
import type { Candidate, DecisionStep } from '@postrider/contract'
import { during } from '../../base/activity.ts'
import { budgetOf } from '../../base/budget.ts'
import { standStill } from '../../base/failpoint.ts'
import { extended } from '../../base/perf/copy-with.ts'
import { CONDITIONS_SHARE } from './condition.ts'
import type {
  BudgetedInput,
  DecisionInput,
  DigestStop,
  Ending,
  PartialPlan,
  Postponement,
  Routed,
  StepExplanation,
} from './decision.ts'
import { map } from './map.ts'
import { preferences } from './preferences.ts'
import { profile } from './profile.ts'
import { route } from './route.ts'
import { window } from './window.ts'

const steps = Object.entries({ map, profile, preferences, window, route } as const)

/** One step as it ran. */
interface StepTrace extends Pick<DecisionStep, 'step' | 'outcome'> {
  explain(): StepExplanation
}

export const describeStep = ({ step, outcome, explain }: StepTrace): DecisionStep => ({ step, outcome, ...explain() })

/** `plan` is the value as far as the steps came. */
export type Decision = {
  trace: readonly StepTrace[]
  considered: readonly Candidate[]
} & (
  | { kind: 'routed'; plan: Routed }
  | { kind: 'stopped'; stop: Ending; plan: PartialPlan }
  | { kind: 'paused'; stop: Postponement; plan: PartialPlan }
  | { kind: 'digested'; stop: DigestStop; plan: PartialPlan }
)

export function decide(decisionInput: DecisionInput): Decision {
  const plan = extended(decisionInput, { conditionBudget: budgetOf(CONDITIONS_SHARE) })
  const trace: StepTrace[] = []
  for (const [name, step] of steps) {
    // Each step reads what those before it added; the list above is the order.
    const result = (step as (plan: BudgetedInput) => ReturnType<typeof map> | ReturnType<typeof route>)(plan)
    const stopped = 'stop' in result
    trace.push({
      step: name as DecisionStep['step'],
      outcome: stopped ? 'stopped' : 'passed',
      explain: result.explain,
    })
    if (stopped) {
      const { stop, considered = [] } = result
      if (stop.status === 'DELAYED') return { kind: 'paused', stop, plan, trace, considered }
      if (stop.status === 'DIGESTED') return { kind: 'digested', stop, plan, trace, considered }
      return { kind: 'stopped', stop, plan, trace, considered }
    }
    Object.assign(plan, result.added)
  }
  const routed = plan as Routed
  return { kind: 'routed', plan: routed, trace, considered: routed.considered }
}

/** The same for a message in processing, which the watchdog names meanwhile. */
export function decideMessage(decisionInput: DecisionInput): Decision {
  return during('message', decisionInput.messageId, 'deciding', () => {
    standStill(decisionInput.input.recipient)
    return decide(decisionInput)
  })
}
