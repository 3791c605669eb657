/** The steps of a new installation, read again until all are done. */
import { useQuery } from '@tanstack/react-query'
import { statusGroups } from '../parts/status-groups.ts'
import { api } from '../session/api.ts'
import { isReal, machineSteps, type Steps, stepsOf } from './steps.ts'

/** Newest messages among which one that a real integration accepted is looked for. */
const CANDIDATES_MAX = 50

async function readSteps(signal: AbortSignal): Promise<Steps> {
  const [messages, integrations, templates] = await Promise.all([
    api.messages.list({ limit: 1 }, { signal }),
    api.providers.list({}, { signal }),
    // The first start makes one.
    api.notifications.list({ limit: 2 }, { signal }),
  ])
  const provider = [...new Set(integrations.results.filter(isReal).map(({ provider }) => provider))]
  const status = [...statusGroups.arrived]
  const realMessages =
    provider.length === 0
      ? []
      : await api.messages.list({ provider, status, include: 'providers', limit: CANDIDATES_MAX }, { signal })
  return stepsOf({
    ...{ messages: messages.results, integrations: integrations.results, templates: templates.results },
    realMessages: 'results' in realMessages ? realMessages.results : realMessages,
  })
}

const CHECK_MS = 5_000
const MACHINE_MS = 30_000

/** `seesMachine`: only a key that operates it reads the state of the system. */
export function useSteps(seesMachine: boolean) {
  const records = useQuery({
    queryKey: ['start', 'steps'],
    queryFn: ({ signal }) => readSteps(signal),
    refetchInterval: ({ state: { data } }) => (data && areDone(data) ? MACHINE_MS : CHECK_MS),
  })
  const machine = useQuery({
    queryKey: ['start', 'machine'],
    enabled: seesMachine,
    queryFn: async ({ signal }) => machineSteps(await api.system.get({ signal })),
    refetchInterval: ({ state: { data } }) => (data && areDone(data) ? false : MACHINE_MS),
  })
  const isRead = records.data && (!seesMachine || machine.data || machine.isError)
  const steps: Steps | undefined = isRead ? { ...records.data, ...machine.data } : undefined
  return {
    ...{ steps, isDone: steps !== undefined && areDone(steps), error: records.error, retry: records.refetch },
    /** Undefined until it is read. */
    isInUse: records.data?.real?.isDone,
  }
}

const areDone = (steps: Steps): boolean => Object.values(steps).every(({ isDone }) => isDone)
