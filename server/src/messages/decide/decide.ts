/** The decision: a pure function of a message, the facts and the time. Explaining calls the same one. */
import type { Candidate, DecisionStep } from '@postrider/contract'
import { budgetOf } from '../../base/budget.ts'
import { extended } from '../../base/perf/copy-with.ts'
import { CONDITIONS_SHARE } from './condition.ts'
import type {
  Asked,
  DecisionInput,
  DigestStop,
  Ending,
  Mapped,
  Permitted,
  Postponement,
  Profiled,
  Routed,
} from './decision.ts'
import { map } from './map.ts'
import { preferences } from './preferences.ts'
import { profile } from './profile.ts'
import { route } from './route.ts'
import { window } from './window.ts'

const steps = Object.entries({ map, profile, preferences, window, route } as const)

/** One step as it ran; `inWords` of it is what an explanation shows. */
type Finding = Pick<DecisionStep, 'step' | 'outcome'> & Pick<ReturnType<typeof map>, 'found'>

export const inWords = ({ step, outcome, found }: Finding): DecisionStep => ({ step, outcome, ...found() })

export type Decision = {
  findings: readonly Finding[]
  considered: readonly Candidate[]
} & (
  | { kind: 'routed'; plan: Routed }
  /** `known` is the value as far as it came: what history and explain can show of it. */
  | { kind: 'stopped'; stop: Ending; known: Known }
  | { kind: 'paused'; stop: Postponement; known: Known }
  | { kind: 'digested'; stop: DigestStop; known: Known }
)

type Known = Partial<Mapped & Profiled & Permitted> & Asked

export function decide(decisionInput: DecisionInput): Decision {
  const value = extended(decisionInput, { conditionBudget: budgetOf(CONDITIONS_SHARE) })
  const findings: Finding[] = []
  for (const [name, step] of steps) {
    // Each step reads what those before it added; the list above is the order.
    const result = (step as (value: Asked) => ReturnType<typeof map> | ReturnType<typeof route>)(value)
    const stopped = 'stop' in result
    findings.push({ step: name as DecisionStep['step'], outcome: stopped ? 'stopped' : 'passed', found: result.found })
    if (stopped) {
      const { stop, considered = [] } = result
      const found = { known: value, findings, considered }
      if (stop.status === 'DELAYED') return { kind: 'paused', stop, ...found }
      if (stop.status === 'DIGESTED') return { kind: 'digested', stop, ...found }
      return { kind: 'stopped', stop, ...found }
    }
    Object.assign(value, result.added)
  }
  const plan = value as Routed
  return { kind: 'routed', plan, findings, considered: plan.considered }
}
