/** The place of a new integration among those of its channels, and the priorities that give it. */
import type { Integration } from '@postrider/client'
import { inOrder, type PriorityChange } from './order.ts'

/** Room for another one in between later. */
const GAP = 10

type Placed = Pick<Integration, 'id' | 'provider' | 'priority' | 'created' | 'channels'>

/** Those that are tried for a channel of the new one, in their order: it can come before each, or last. */
export const neighborsOf = <Row extends Placed>(
  integrations: readonly Row[],
  channels: readonly Integration['channel'][],
): Row[] =>
  inOrder(integrations).filter(
    (other) => other.provider !== 'mailbox' && other.channels.some((channel) => channels.includes(channel)),
  )

export interface NewPlace {
  priority: number
  /** Other integrations keep their order; one is changed after the other. */
  changes: PriorityChange[]
}

/** Before the neighbor of this id, and without one after the last. The older of equal priorities is tried first. */
export function newPlace(
  integrations: readonly Placed[],
  channels: readonly Integration['channel'][],
  beforeId: string | undefined,
): NewPlace {
  const neighbors = neighborsOf(integrations, channels)
  const index = neighbors.findIndex(({ id }) => id === beforeId)
  const next = neighbors[index]
  const low = (next ? neighbors[index - 1] : neighbors.at(-1))?.priority
  if (!next) return { priority: low === undefined ? 0 : low + GAP, changes: [] }
  if (low === undefined ? next.priority > 0 : next.priority > low)
    return { priority: Math.floor(((low ?? 0) + next.priority) / 2), changes: [] }
  const priority = low === undefined ? 0 : low + GAP
  return { priority, changes: raised(integrations, next, priority + GAP) }
}

/** The integration and those behind it, so far as they must make room; the last one first, so that their order holds meanwhile. */
function raised(integrations: readonly Placed[], first: Placed, priority: number): PriorityChange[] {
  const ordered = inOrder(integrations.filter(({ provider }) => provider !== 'mailbox'))
  const changes: PriorityChange[] = []
  let before = { old: first.priority, priority }
  for (const row of ordered.slice(ordered.findIndex(({ id }) => id === first.id))) {
    const next = row.priority === before.old ? before.priority : Math.max(row.priority, before.priority + 1)
    if (next === row.priority) break
    changes.push({ id: row.id, priority: next })
    before = { old: row.priority, priority: next }
  }
  return changes.toReversed()
}
