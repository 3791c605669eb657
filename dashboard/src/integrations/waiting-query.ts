/** The query of the messages that wait for integrations: the list and the page of one share it. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import { type Waiting, waitingOf } from './waiting.ts'

const WAITING_REFETCH_MS = 5_000
/** Beyond this a number of messages is said as a minimum. */
const WAITING_COUNTED = 100

/** Messages that are held, or wait for another attempt, by the integration that they wait for. */
export const waitingQuery = queryOptions({
  queryKey: ['messages', 'of-integrations'],
  queryFn: async ({ signal }): Promise<Waiting> => {
    const include = { include: 'providers', limit: WAITING_COUNTED } as const
    const [heldPage, retriedPage] = await Promise.all([
      api.messages.list({ ...include, status: ['HELD'] }, { signal }),
      api.messages.list({ ...include, retrying: true }, { signal }),
    ])
    return waitingOf(heldPage, retriedPage)
  },
  refetchInterval: WAITING_REFETCH_MS,
})
