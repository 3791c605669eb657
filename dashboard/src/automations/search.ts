/** The state of the screens of automations as it stands in the address; unknown and malformed parts are dropped. */
import { oneOf, present, textOf } from '../parts/search-params.ts'

export const listTabs = ['automations', 'runs'] as const
export type ListTab = (typeof listTabs)[number]

export const automationTabs = ['steps', 'simulation', 'runs', 'versions', 'settings'] as const
export type AutomationTab = (typeof automationTabs)[number]

export const runStatuses = ['PROCESSING', 'WAITING', 'PROCESSED', 'CANCELED', 'ERROR', 'THROTTLED'] as const
export type RunStatus = (typeof runStatuses)[number]

export const runPeriods = ['hour', 'day', 'week'] as const
export type RunPeriod = (typeof runPeriods)[number]

export interface RunFilters {
  status?: RunStatus
  /** How long ago the runs started at most. */
  since?: RunPeriod
  /** The run that started them. */
  parent?: string
}

export interface AutomationsSearch extends RunFilters {
  tab?: ListTab
  panel?: 'new'
}

export interface AutomationSearch extends RunFilters {
  tab?: AutomationTab
  /** The position of the open step. */
  step?: number
  panel?: 'publish' | 'start'
  /** The version that is compared. */
  version?: number
  /** The recipient and the start of the simulation, and the frame that is shown. */
  recipient?: string
  start?: string
  at?: number
}

const positionOf = (value: unknown) => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined)

const filtersOf = (search: Record<string, unknown>) => ({
  status: oneOf(runStatuses, search.status),
  since: oneOf(runPeriods, search.since),
  parent: textOf(search.parent),
})

export const automationsSearch = (search: Record<string, unknown>): AutomationsSearch =>
  present<AutomationsSearch>({
    tab: oneOf(listTabs, search.tab),
    panel: oneOf(['new'], search.panel),
    ...filtersOf(search),
  })

export const automationSearch = (search: Record<string, unknown>): AutomationSearch =>
  present<AutomationSearch>({
    tab: oneOf(automationTabs, search.tab),
    step: positionOf(search.step),
    panel: oneOf(['publish', 'start'], search.panel),
    version: positionOf(search.version),
    recipient: textOf(search.recipient),
    start: textOf(search.start),
    at: positionOf(search.at),
    ...filtersOf(search),
  })
