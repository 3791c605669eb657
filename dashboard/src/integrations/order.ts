/** The order in which the integrations of a channel are tried, and the priorities that change it. */
import type { Integration } from '@postrider/client'

/** Between priorities that are given anew, so that the next move changes one integration only. */
const GAP = 10
const SANDBOX = 'mailbox'

type Ordered = Pick<Integration, 'id' | 'priority' | 'created'>

const isSandbox = ({ provider }: Pick<Integration, 'provider'>) => provider === SANDBOX

/** As the server tries them: by priority, then the oldest first. */
export const inOrder = <Row extends Ordered>(integrations: readonly Row[]): Row[] =>
  integrations.toSorted((a, b) => a.priority - b.priority || a.created - b.created)

/** In production the mailbox does not come back to a channel that once had a real integration: `served` are those it has. */
export const withMailboxOf = (integrations: readonly Integration[], served: readonly Integration['channel'][]) =>
  integrations.map((integration) =>
    isSandbox(integration)
      ? { ...integration, channels: integration.channels.filter((channel) => served.includes(channel)) }
      : integration,
  )

export type Turn = 'tried' | 'off' | 'sandbox_skipped'

export interface Place {
  integration: Integration
  turn: Turn
}

/** Enabled integrations in their order; the others, which have no turn, after them. */
export function placesOf(integrations: readonly Integration[], channel: Integration['channel']): Place[] {
  const members = inOrder(integrations.filter(({ channels }) => channels.includes(channel)))
  const hasReal = members.some((member) => member.enabled && !isSandbox(member))
  const places = members.map((integration): Place => {
    const { enabled, unreadable } = integration
    return {
      integration,
      turn: !enabled || unreadable ? 'off' : isSandbox(integration) && hasReal ? 'sandbox_skipped' : 'tried',
    }
  })
  return [...places.filter(({ turn }) => turn === 'tried'), ...places.filter(({ turn }) => turn !== 'tried')]
}

export interface PriorityChange {
  id: string
  priority: number
}

/** The fewest changes that place an integration directly before or after another one. */
export function prioritiesToMove(
  integrations: readonly Ordered[],
  id: string,
  side: 'before' | 'after',
  otherId: string,
): PriorityChange[] {
  const target = integrations.find((integration) => integration.id === id)
  const rest = inOrder(integrations.filter((integration) => integration.id !== id))
  const other = rest.findIndex((integration) => integration.id === otherId)
  if (!target || other < 0) return []
  const index = side === 'before' ? other : other + 1
  const low = rest[index - 1]?.priority ?? -1
  const high = rest[index]?.priority ?? low + 2 * GAP
  if (high - low > 1) return [{ id, priority: Math.floor((low + high) / 2) }]
  return rest
    .toSpliced(index, 0, target)
    .map((integration, place) => ({ ...integration, next: place * GAP }))
    .filter(({ priority, next }) => priority !== next)
    .map((row) => ({ id: row.id, priority: row.next }))
}

export interface MoveEffects {
  /** Other channels in which integrations change places, too. */
  channels: Integration['channel'][]
  /** Integrations whose breaker is not closed: a change of their settings closes it. */
  closed: Integration[]
}

/** Beside the order of the one channel that is seen. */
export function effectsOfMove(
  integrations: readonly Integration[],
  changes: readonly PriorityChange[],
  channel: Integration['channel'],
): MoveEffects {
  const priorityOf = new Map(changes.map(({ id, priority }) => [id, priority]))
  const after = integrations.map((integration) => ({
    ...integration,
    priority: priorityOf.get(integration.id) ?? integration.priority,
  }))
  const others = new Set(integrations.flatMap(({ channels }) => channels).filter((other) => other !== channel))
  const triedIn = (rows: readonly Integration[], other: Integration['channel']) =>
    placesOf(rows, other)
      .filter(({ turn }) => turn === 'tried')
      .map(({ integration }) => integration.id)
      .join()
  return {
    channels: [...others].filter((other) => triedIn(integrations, other) !== triedIn(after, other)),
    closed: integrations.filter(
      ({ id, circuit_breaker }) => priorityOf.has(id) && circuit_breaker && circuit_breaker.state !== 'closed',
    ),
  }
}
