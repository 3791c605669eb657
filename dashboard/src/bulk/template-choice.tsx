/** Chooses a template or an event by its name; any other id can be typed. */
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { api } from '../session/api.ts'
import { bulkTexts } from './bulk-texts.tsx'

/** More are found by typing the id. */
const OFFERED_MAX = 100

const choiceTexts = texts({
  en: { events: 'Mapped events', typed: 'By its id', placeholder: 'Choose, or type an id or alias' },
  de: { events: 'Zugeordnete Ereignisse', typed: 'Nach der Id', placeholder: 'Wählen, oder Id oder Alias eingeben' },
})

export function TemplateChoice({ value, choose }: { value: string; choose(id: string): void }) {
  const t = useTexts(words)
  const bulk = useTexts(bulkTexts)
  const labels = useTexts(choiceTexts)
  const [typed, setTyped] = useState('')
  const { data } = useQuery({
    queryKey: ['bulk', 'choices'],
    queryFn: async ({ signal }) => {
      const [templates, events] = await Promise.all([
        api.notifications.list({ limit: OFFERED_MAX }, { signal }),
        api.events.list({ signal }),
      ])
      return {
        templates: templates.results.map(({ id, name }) => ({ value: id, label: name })),
        events: events.results.slice(0, OFFERED_MAX).map(({ event }) => ({ value: event, label: event })),
      }
    },
    staleTime: 60_000,
  })
  const { templates = [], events = [] } = data ?? {}
  const named = new Set(templates.map((choice) => choice.value))
  const mapped = events.filter((choice) => !named.has(choice.value))
  const choices = [...templates, ...mapped]
  const others = [...new Set([typed.trim(), value])].filter(
    (id) => id !== '' && !choices.some((choice) => choice.value === id || choice.label === id),
  )
  return (
    <Select
      required
      searchable
      label={bulk.event}
      placeholder={labels.placeholder}
      value={value === '' ? null : value}
      onChange={(next) => choose(next ?? '')}
      searchValue={typed}
      onSearchChange={setTyped}
      data={[
        { group: t.templates, items: templates },
        { group: labels.events, items: mapped },
        { group: labels.typed, items: others.map((id) => ({ value: id, label: id })) },
      ].filter(({ items }) => items.length > 0)}
    />
  )
}
