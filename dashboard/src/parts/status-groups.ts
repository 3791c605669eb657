/** Groups of statuses by the question that they answer. */
export const statusGroups = {
  failed: ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED'],
  held: ['HELD'],
  waiting: ['ENQUEUED', 'DELAYED', 'ROUTED', 'HELD'],
  arrived: ['SENT', 'DELIVERED', 'OPENED', 'CLICKED'],
  opened: ['OPENED', 'CLICKED'],
  stopped: ['FILTERED', 'CANCELED', 'THROTTLED', 'DIGESTED', 'SIMULATED'],
} as const
/** A message that the recipient did not want is no failure. */
export const wishes = ['UNSUBSCRIBED', 'OPT_IN_REQUIRED'] as const
/** The failed messages, as a filter of the list of messages. */
export const failures = { status: [...statusGroups.failed] as string[], except_reason: [...wishes] as string[] }
/** They wait for a node or a provider, and for no repair. */
export const inProgress = statusGroups.waiting.filter((status) => status !== 'HELD')
export type StatusGroup = keyof typeof statusGroups
