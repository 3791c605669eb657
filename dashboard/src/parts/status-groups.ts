/** Groups of statuses by the question that they answer. */
export const statusGroups = {
  failed: ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED'],
  held: ['HELD'],
  waiting: ['ENQUEUED', 'DELAYED', 'ROUTED', 'HELD'],
  arrived: ['SENT', 'DELIVERED', 'OPENED', 'CLICKED'],
  opened: ['OPENED', 'CLICKED'],
  stopped: ['FILTERED', 'CANCELED', 'THROTTLED', 'DIGESTED', 'SIMULATED'],
} as const
/** They wait for a node or a provider, and for no repair. */
export const inProgress = statusGroups.waiting.filter((status) => status !== 'HELD')
export type StatusGroup = keyof typeof statusGroups
