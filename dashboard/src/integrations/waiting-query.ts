/** The query of the messages that wait for integrations: the list and the page of one share it. */
import type { Message, MessageFilter } from '@postrider/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import { type Waiting, waitingOf, waitingPage } from './waiting.ts'

const WAITING_REFETCH_MS = 5_000
/** Several pages are read one after the other. */
const MANY_REFETCH_MS = 30_000
/** As many as one call releases by their ids. Beyond this a number of messages is said as a minimum. */
const COUNTED_MAX = 1_000

/** Messages that are held, or wait for another attempt, by the integration that they wait for. */
export const waitingQuery = queryOptions({
  queryKey: ['messages', 'of-integrations'],
  queryFn: async ({ signal }): Promise<Waiting> => {
    const [heldPage, retriedPage] = await Promise.all([
      messagesOf({ status: ['HELD'] }, signal),
      messagesOf({ retrying: true }, signal),
    ])
    const heldTotal = heldPage.paging.more ? (await api.metrics.summary({ window: '1m' }, { signal })).held : undefined
    return waitingOf(heldPage, retriedPage, heldTotal)
  },
  refetchInterval: ({ state: { data } }) => (data?.isMany ? MANY_REFETCH_MS : WAITING_REFETCH_MS),
})

async function messagesOf(filter: MessageFilter, signal: AbortSignal) {
  const results: Message[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await api.messages.list(
      { ...filter, include: 'providers', limit: waitingPage, ...(cursor !== undefined && { cursor }) },
      { signal },
    )
    results.push(...page.results)
    cursor = page.paging.cursor
    if (!page.paging.more || cursor === undefined || results.length >= COUNTED_MAX)
      return { results, paging: page.paging }
  }
}
