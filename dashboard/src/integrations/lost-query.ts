/** The query of the messages that an outage cost: the list, its first line and the page of one integration share it. */
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import { lostAt, lostSearch, type Outage } from './lost-messages.ts'

const REFETCH_MS = 15_000
/** Beyond this their number is said as a minimum. */
const COUNTED_MAX = 100

interface Lost {
  count: number
  hasMore: boolean
}

/** Nothing is read without an outage. */
export function useLostMessages({ id, provider }: Integration, outage: Outage | undefined): Lost | undefined {
  const { data } = useQuery({
    queryKey: ['messages', 'lost', id, outage],
    queryFn: async ({ signal }) => {
      const filter = lostSearch(provider, outage ?? { since: 0 })
      const { results, paging } = await api.messages.list(
        { ...filter, status: ['UNDELIVERABLE'], include: 'providers', limit: COUNTED_MAX },
        { signal },
      )
      return { count: lostAt(id, results), hasMore: paging.more }
    },
    enabled: outage !== undefined,
    refetchInterval: REFETCH_MS,
  })
  return data && data.count > 0 ? data : undefined
}
