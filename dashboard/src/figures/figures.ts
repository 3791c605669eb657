/** Figures of a summary of messages by the question that they answer. */
import type { MetricsSummary } from '@postrider/client'
import { isWish } from '../parts/status.tsx'
import { type StatusGroup, statusGroups } from '../parts/status-groups.ts'

/** Messages that ended in the window with a status of the group; a recipient's wish is no failure. */
export function endedAs(
  // A node of the release before has no reasons.
  { statuses, reasons = [] }: Pick<MetricsSummary, 'statuses'> & Partial<Pick<MetricsSummary, 'reasons'>>,
  group: StatusGroup,
): number {
  const isOfGroup = ({ status }: MetricsSummary['statuses'][number]) =>
    (statusGroups[group] as readonly string[]).includes(status)
  const count = (counts: readonly { count: number }[]) => counts.reduce((sum, each) => sum + each.count, 0)
  const wished = group === 'failed' ? reasons.filter((each) => isOfGroup(each) && isWish(each.reason)) : []
  return count(statuses.filter(isOfGroup)) - count(wished)
}
