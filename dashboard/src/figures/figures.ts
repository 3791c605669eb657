/** Figures of a summary of messages by the question that they answer. */
import type { MetricsSummary } from '@postrider/client'
import { type StatusGroup, statusGroups } from '../parts/status-groups.ts'

/** Messages that ended in the window with a status of the group. */
export function endedAs({ statuses }: Pick<MetricsSummary, 'statuses'>, group: StatusGroup): number {
  const isOfGroup = ({ status }: MetricsSummary['statuses'][number]) =>
    (statusGroups[group] as readonly string[]).includes(status)
  return statuses.filter(isOfGroup).reduce((sum, { count }) => sum + count, 0)
}
