/** The steps of a new installation, read again until all are done. */
import type { MessageFilter } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { integrationsQuery } from '../health/integrations.ts'
import { statusGroups } from '../parts/status-groups.ts'
import { api, queries } from '../session/api.ts'
import { isReal, machineSteps, type Steps, stepsOf } from './steps.ts'

/** Newest messages among which one that a real integration accepted is looked for: 500 bytes each of the first load. */
const CANDIDATES_MAX = 5

async function readSteps(signal: AbortSignal): Promise<Steps> {
  const [messages, integrations, templates] = await Promise.all([
    api.messages.list({ limit: 1 }, { signal }),
    queries.fetchQuery(integrationsQuery),
    // The first start makes one.
    api.notifications.list({ limit: 2 }, { signal }),
  ])
  const provider = [...new Set(integrations.filter(isReal).map(({ provider }) => provider))]
  const arrived = { status: [...statusGroups.arrived], include: 'providers' as const, limit: CANDIDATES_MAX }
  const steps = async (filter: Pick<MessageFilter, 'provider'>) =>
    stepsOf({
      ...{ messages: messages.results, integrations, templates: templates.results },
      realMessages: (await api.messages.list({ ...arrived, ...filter }, { signal })).results,
    })
  const byPresent = provider.length > 0 ? await steps({ provider }) : undefined
  // An integration that was deleted since can have accepted them.
  return byPresent?.real?.isDone ? byPresent : steps({})
}

const NEW_MS = 5_000
const IN_USE_MS = 30_000
/** It costs the server more than the records. */
const MACHINE_MS = 60_000

/** `isEnabled`: for a key that sends. `seesMachine`: for one that reads the state of the system, too. */
export function useSteps({ isEnabled, seesMachine }: { isEnabled: boolean; seesMachine: boolean }) {
  const records = useQuery({
    queryKey: ['start', 'steps'],
    enabled: isEnabled,
    queryFn: ({ signal }) => readSteps(signal),
    refetchInterval: ({ state: { data } }) => (data && areDone(data) ? false : data?.real?.isDone ? IN_USE_MS : NEW_MS),
  })
  const machine = useQuery({
    queryKey: ['start', 'machine'],
    enabled: isEnabled && seesMachine,
    queryFn: async ({ signal }) => machineSteps(await api.system.get({ signal })),
    refetchInterval: ({ state: { data } }) => (data && areDone(data) ? false : MACHINE_MS),
  })
  const isRead = records.data && (!seesMachine || machine.data || machine.isError)
  const steps: Steps | undefined = isRead ? { ...records.data, ...machine.data } : undefined
  return {
    ...{ steps, isDone: steps !== undefined && areDone(steps) },
    error: records.data ? null : records.error,
    retry: records.refetch,
    /** The steps of the records alone, which are there sooner; undefined until they are read. */
    records: records.data,
  }
}

const areDone = (steps: Steps): boolean => Object.values(steps).every(({ isDone }) => isDone)
