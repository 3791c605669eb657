/** How an integration is: whether it is called, and whether messages wait for its repair. */
import type { Integration } from '@postrider/client'

const DAY = 86_400_000

/** `due`: it failed, and the next message tries it again. `limited`: its calls of the day are used up. */
export type Condition = 'off' | 'unreadable' | 'open' | 'half_open' | 'due' | 'held' | 'limited' | 'closed'

type Conditioned = Pick<Integration, 'enabled' | 'unreadable' | 'circuit_breaker' | 'limits' | 'used_today'>

/** `heldCount`: messages that it refused and that wait for a repair, also where its breaker is closed. */
export function conditionOf(integration: Conditioned, heldCount: number, now: number): Condition {
  const { enabled, unreadable, circuit_breaker } = integration
  if (unreadable) return 'unreadable'
  if (!enabled) return 'off'
  const state = circuit_breaker?.state ?? 'closed'
  if (state !== 'closed') return isProbeDue(integration, now) ? 'due' : state
  if (heldCount > 0) return 'held'
  return isUsedUp(integration) ? 'limited' : 'closed'
}

/** Whether messages go to it: a breaker that is not closed lets one probe pass at a time. */
export const isCalled = (integration: Conditioned): boolean =>
  conditionOf(integration, 0, Number.NEGATIVE_INFINITY) === 'closed'

/** Nothing probes by itself: a message does, once the wait is over. */
export const isProbeDue = ({ circuit_breaker }: Pick<Integration, 'circuit_breaker'>, now: number): boolean =>
  circuit_breaker !== undefined &&
  circuit_breaker.state !== 'closed' &&
  circuit_breaker.next_probe !== undefined &&
  circuit_breaker.next_probe <= now

/** Whether the calls of the day are used up. */
const isUsedUp = ({ limits, used_today = 0 }: Pick<Integration, 'limits' | 'used_today'>): boolean =>
  limits?.per_day !== undefined && used_today >= limits.per_day

/** The server counts days of UTC. */
export const nextDay = (now: number): number => (Math.floor(now / DAY) + 1) * DAY
