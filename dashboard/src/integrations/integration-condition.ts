/** How an integration is: whether it is called, and whether messages wait for its repair. */
import type { Integration } from '@postrider/client'

export type Condition = 'off' | 'unreadable' | 'open' | 'half_open' | 'held' | 'closed'

/** `heldCount`: messages that it refused and that wait for a repair, also where its breaker is closed. */
export function conditionOf(
  { enabled, unreadable, circuit_breaker }: Pick<Integration, 'enabled' | 'unreadable' | 'circuit_breaker'>,
  heldCount: number,
): Condition {
  if (unreadable) return 'unreadable'
  if (!enabled) return 'off'
  const state = circuit_breaker?.state ?? 'closed'
  return state === 'closed' && heldCount > 0 ? 'held' : state
}
