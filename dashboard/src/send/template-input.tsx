/** The field for the template or the event of a send: all that there are are found by a part of their id, alias or name. */
import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { nextCursor } from '../parts/table/paging.ts'
import { api } from '../session/api.ts'
import styles from './send.module.css'

const PAGE = 100
/** More options than these are not read: the rest is found by typing more. */
const OFFERED_MAX = 100
const FRESH_MS = 30_000

const inputTexts = texts({
  en: {
    event: 'Template or event',
    more: 'There are more than are offered: type a part of a name, an alias or an id.',
    searching: 'Searching the other templates …',
  },
  de: {
    event: 'Vorlage oder Ereignis',
    more: 'Es gibt mehr, als angeboten werden: einen Teil von Name, Alias oder Id eingeben.',
    searching: 'Die übrigen Vorlagen werden durchsucht …',
  },
})

export interface TemplateInputProps
  extends Pick<AutocompleteProps, 'rightSection' | 'rightSectionPointerEvents' | 'value'> {
  value: string
  choose(event: string): void
}

export function TemplateInput({ choose, ...input }: TemplateInputProps) {
  const t = useTexts(inputTexts)
  // A text that the address or a former send has filled in is not searched for.
  const [typed, setTyped] = useState('')
  const { choices, offered, hasMore, isSearching } = useTemplateChoices(typed)
  const options = offered.map((value) => ({ value, label: value }))
  return (
    <Autocomplete
      {...input}
      label={t.event}
      data={[...choices.keys()]}
      filter={() => (hasMore ? [{ group: isSearching ? t.searching : t.more, items: options }] : options)}
      renderOption={({ option: { value } }) => (
        <span>
          {value} <span className={styles.hint}>{choices.get(value)}</span>
        </span>
      )}
      onChange={(event) => {
        setTyped(event)
        choose(event)
      }}
    />
  )
}

/** Templates by alias or id, and events that lead to one, each with its name; pages of templates are read until a text is found. */
function useTemplateChoices(typed: string) {
  const events = useQuery({
    queryKey: ['send', 'events'],
    queryFn: async ({ signal }) => (await api.events.list({ signal })).results,
    staleTime: FRESH_MS,
  })
  const templates = useInfiniteQuery({
    queryKey: ['send', 'templates'],
    queryFn: ({ pageParam, signal }) =>
      api.notifications.list({ limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    staleTime: FRESH_MS,
  })
  const choices = useMemo(() => {
    const read = templates.data?.pages.flatMap(({ results }) => results) ?? []
    const names = new Map(read.map(({ id, name }) => [id, name]))
    return new Map([
      ...(events.data ?? []).map(({ event, id }) => [event, names.get(id) ?? id] as const),
      ...read.map(({ id, alias, name }) => [alias ?? id, name] as const),
    ])
  }, [events.data, templates.data])
  const text = typed.trim().toLowerCase()
  // With a whole id or event, names are no longer searched: a long list would cover the next field.
  const isWhole = choices.has(typed.trim())
  const matching = [...choices].filter(([value, name]) =>
    (isWhole ? value : `${value} ${name}`).toLowerCase().includes(text),
  )
  const { hasNextPage, isFetching, isError, fetchNextPage } = templates
  const isSearching = text !== '' && !isWhole && matching.length < OFFERED_MAX && hasNextPage && !isError
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage()
  }, [isSearching, isFetching, fetchNextPage])
  return {
    ...{ choices, isSearching, hasMore: !isWhole && (hasNextPage || matching.length > OFFERED_MAX) },
    offered: matching.slice(0, OFFERED_MAX).map(([value]) => value),
  }
}
