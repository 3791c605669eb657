/** Names of templates by id, for lists whose rows have ids only, and titles of messages. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { api } from '../session/api.ts'
import { messageTitle, type Titled } from './message-title.ts'

/** The newest templates; a row of an older one shows its event or its id. */
const NAMED_MAX = 100

const templatesQuery = {
  queryKey: ['notifications', 'names'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { results } = await api.notifications.list({ limit: NAMED_MAX }, { signal })
    return {
      names: new Map(results.map(({ id, name }) => [id, name])),
      ids: new Map(results.flatMap(({ id, alias }) => (alias === undefined ? [] : [[alias, id] as const]))),
    }
  },
  staleTime: 60_000,
}
const eventsQuery = {
  queryKey: ['events', 'ids'],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    new Map((await api.events.list({ signal })).results.map(({ event, id }) => [event, id])),
  staleTime: 60_000,
}
const NONE: ReadonlyMap<string, string> = new Map()

export const useTemplateNames = (): ReadonlyMap<string, string> => useQuery(templatesQuery).data?.names ?? NONE

const inlineTexts = texts({ en: { inline: 'Inline content' }, de: { inline: 'Inhalt im Aufruf' } })

export function useMessageTitle(): (message: Titled) => string {
  const { inline } = useTexts(inlineTexts)
  const { names = NONE, ids = NONE } = useQuery(templatesQuery).data ?? {}
  const { data: events = NONE } = useQuery(eventsQuery)
  return useMemo(() => {
    const all = { names, ids: new Map([...ids, ...events]), inline }
    return (message) => messageTitle(message, all)
  }, [names, ids, events, inline])
}
