/** The state of the system, read again while the page is visible. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'

const REFRESH_MS = 5_000

export const systemQuery = queryOptions({
  queryKey: ['system', 'state'],
  queryFn: ({ signal }) => api.system.get({ signal }),
  refetchInterval: REFRESH_MS,
})
