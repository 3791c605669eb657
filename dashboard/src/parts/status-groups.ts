/** Groups of statuses by the question that they answer. */
import type { MessageStatus } from '@postrider/client'

export const statusGroups = {
  failed: ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED'],
  held: ['HELD'],
  /** They wait for a node or a provider, and for no repair. */
  waiting: ['ENQUEUED', 'DELAYED', 'ROUTED'],
  arrived: ['SENT', 'DELIVERED', 'OPENED', 'CLICKED'],
  opened: ['OPENED', 'CLICKED'],
  stopped: ['FILTERED', 'CANCELED', 'THROTTLED', 'DIGESTED', 'SIMULATED'],
} as const
/** Those that wait and are due: they wait for no delay. */
export const due = ['ENQUEUED', 'ROUTED'] as const
/** A message that the recipient did not want is no failure. */
export const wishes = ['UNSUBSCRIBED', 'OPT_IN_REQUIRED'] as const
/** The failed messages, as a filter of the list of messages. */
export const failures = { status: [...statusGroups.failed] as string[], except_reason: [...wishes] as string[] }
export const statuses: readonly MessageStatus[] = [...new Set(Object.values(statusGroups).flat())]
export type StatusGroup = keyof typeof statusGroups
