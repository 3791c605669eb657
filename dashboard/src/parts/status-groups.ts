/** Groups of statuses by the question that they answer. */
export const statusGroups = {
  failed: ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED'],
  held: ['HELD'],
  waiting: ['ENQUEUED', 'DELAYED', 'ROUTED', 'HELD'],
  arrived: ['SENT', 'DELIVERED', 'OPENED', 'CLICKED'],
  opened: ['OPENED', 'CLICKED'],
  stopped: ['FILTERED', 'CANCELED', 'THROTTLED', 'DIGESTED', 'SIMULATED'],
} as const
export type StatusGroup = keyof typeof statusGroups
