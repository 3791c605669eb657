/** When a message waits for a repair of an integration, and for how long. */
import { heldDaysMax } from '@postrider/contract'
import { DAY } from '../../base/time/duration.ts'
import type { DecisionOf } from './decide.ts'
import type { DecisionInput } from './decision.ts'
import { windowsOf } from './window.ts'

/** When a message that waits fails: at its deadline, or after the longest time that any waits. `firstDue`: by its row. */
export const heldUntil = (plan: Pick<DecisionInput, 'input' | 'facts' | 'firstDue'>, firstDue: number): number =>
  Math.min(plan.firstDue + windowsOf(plan).messageMs, firstDue + heldDaysMax * DAY)

/** For a decision that found integrations, and none of them usable. Undefined: it is no case for a repair. */
export function holdOf({ stop, plan, considered }: DecisionOf<'stopped'>, firstDue: number): number | undefined {
  if (!plan.facts.holdsMisconfigured || stop.reason !== 'NO_PROVIDERS') return undefined
  const until = heldUntil(plan, firstDue)
  const isMisconfigured = considered.some(({ reason }) => reason === 'MISSING_CONFIGURATION')
  return plan.now < until && isMisconfigured ? until : undefined
}
