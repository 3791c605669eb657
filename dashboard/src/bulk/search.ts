/** The state of the screens of bulk jobs as it stands in the address; unknown and malformed parts are dropped. */
import type { BulkJobSummary } from '@postrider/client'

export type JobStatus = BulkJobSummary['status']
export const jobStatuses = ['CREATED', 'PROCESSING', 'COMPLETED', 'CANCELED', 'ERROR'] as const satisfies JobStatus[]
export const jobTabs = ['messages', 'failed', 'users'] as const
export type JobTab = (typeof jobTabs)[number]

export const bulkJobsSearch = ({ status }: Record<string, unknown>): { status?: JobStatus } => {
  const chosen = jobStatuses.find((option) => option === status)
  return chosen ? { status: chosen } : {}
}

export const bulkJobSearch = ({ tab }: Record<string, unknown>): { tab?: JobTab } => {
  const chosen = jobTabs.find((option) => option === tab)
  return chosen ? { tab: chosen } : {}
}

/** `job`: the job that is being filled, after a reload. */
export const newBulkJobSearch = ({ job }: Record<string, unknown>): { job?: string } =>
  typeof job === 'string' && job !== '' ? { job } : {}
