/** Users by the beginning of an id, an address or a number. */
import type { ProfileSummary } from '@postrider/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../session/api.ts'

const OFFERED = 8

/** The users that are nearest to a text; with an empty one the newest. */
export const useUsers = (search: string, enabled = true) =>
  useQuery({
    enabled,
    queryKey: ['profiles', 'choices', search],
    queryFn: async ({ signal }): Promise<ProfileSummary[]> =>
      (await api.profiles.list({ limit: OFFERED, ...(search !== '' && { search }) }, { signal })).results,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
