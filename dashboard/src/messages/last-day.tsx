/** The last day in a sentence above the list. */
import { useQuery } from '@tanstack/react-query'
import { Failures } from '../figures/failures.tsx'
import { api } from '../session/api.ts'

const REFRESH_MS = 10_000

export function LastDay() {
  const { data } = useQuery({
    queryKey: ['messages', 'last-day'],
    queryFn: ({ signal }) => api.metrics.summary({ window: '24h' }, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return <Failures summary={data} when="day" since={{ last: '24h' }} />
}
