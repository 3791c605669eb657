/** The event map: which template a send of an event uses. */
import { Button, Modal, TextInput } from '@mantine/core'
import type { EventMapping } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useTemplateNames } from '../names/template-names.ts'
import { useAction } from '../parts/confirm.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failed, Loading, messageOf } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { api, isTaken } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'

const eventTexts = texts({
  en: {
    title: 'Event map',
    description: 'A send names an event, and the map says which template it uses. Unmapped events wait as UNMAPPED.',
    event: 'Event',
    eventHint: 'As in the field event of a send: order-shipped.',
    templateHint: 'The id of the template. It need not exist yet.',
    add: 'Map event',
    change: 'Change',
    save: 'Map event',
    mapped: 'This event is mapped already; its row has “Change”',
    saved: (event: string) => `${event} is mapped.`,
    remove: (event: string) => `Delete the mapping of ${event}`,
    removed: (event: string) => `The mapping of ${event} was deleted.`,
    empty: 'No event is mapped',
    emptyText: 'Without a mapping a send names a template by its id. A mapping lets you exchange the template later.',
  },
  de: {
    title: 'Ereignisse',
    description: 'Ein Versand nennt ein Ereignis, hier steht die Vorlage dazu. Andere bleiben UNMAPPED.',
    event: 'Ereignis',
    eventHint: 'Wie im Feld event eines Versands: order-shipped.',
    templateHint: 'Die Id der Vorlage. Es muss sie noch nicht geben.',
    add: 'Ereignis zuordnen',
    change: 'Ändern',
    save: 'Ereignis zuordnen',
    mapped: 'Dieses Ereignis ist schon zugeordnet; in seiner Zeile steht „Ändern“',
    saved: (event: string) => `${event} ist zugeordnet.`,
    remove: (event: string) => `Zuordnung von ${event} löschen`,
    removed: (event: string) => `Die Zuordnung von ${event} ist gelöscht.`,
    empty: 'Kein Ereignis ist zugeordnet',
    emptyText: 'Ohne Zuordnung nennt ein Versand die Id der Vorlage. Mit ihr lässt sich die Vorlage später tauschen.',
  },
})

const eventsKey = ['events'] as const

interface Draft extends Pick<EventMapping, 'event' | 'id'> {
  isNew: boolean
}

const put = ({ event, id, isNew }: Draft) => api.events.put(event, { id, type: 'notification' }, { ifAbsent: isNew })

export function EventMapScreen() {
  const t = useTexts(words)
  const labels = useTexts(eventTexts)
  const { canOperate } = usePermissions()
  const [draft, setDraft] = useState<Draft>()
  const query = useQuery({
    queryKey: eventsKey,
    queryFn: async ({ signal }) => (await api.events.list({ signal })).results,
  })
  const save = useAction({
    act: put,
    done: (_result, { event }) => labels.saved(event),
    changes: [eventsKey],
    after: () => setDraft(undefined),
  })
  const remove = useAction({
    act: ({ event }: EventMapping) => api.events.delete(event),
    done: (_result, { event }) => labels.removed(event),
    undo: (_result, mapping) => put({ ...mapping, isNew: true }),
    changes: [eventsKey],
  })
  const open = (mapping?: EventMapping) => {
    save.reset()
    setDraft(mapping ? { ...mapping, isNew: false } : { event: '', id: '', isNew: true })
  }
  const columns: Column<EventMapping>[] = [
    { key: 'event', title: labels.event, cell: ({ event }) => <code title={event}>{event}</code> },
    { key: 'template', title: t.template, cell: ({ id }) => <TemplateLink id={id} /> },
    {
      key: 'actions',
      title: '',
      width: '180px',
      align: 'end',
      cell: (mapping) =>
        canOperate && (
          <>
            <Button size="compact-sm" variant="subtle" onClick={() => open(mapping)}>
              {labels.change}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="bad"
              aria-label={labels.remove(mapping.event)}
              onClick={() => remove.mutate(mapping)}
            >
              {t.delete}
            </Button>
          </>
        ),
    },
  ]
  const add = canOperate && <Button onClick={() => open()}>{labels.add}</Button>
  return (
    <Page title={labels.title} description={labels.description} actions={query.data && query.data.length > 0 && add}>
      {query.isPending && <Loading />}
      {query.isError && <Failed error={query.error} retry={query.refetch} />}
      {query.data?.length === 0 && (
        <Empty title={labels.empty} action={add}>
          {labels.emptyText}
        </Empty>
      )}
      {query.data && query.data.length > 0 && (
        <Table label={labels.title} columns={columns} rows={query.data} idOf={({ event }) => event} />
      )}
      <Modal
        opened={draft !== undefined}
        onClose={() => setDraft(undefined)}
        title={labels.add}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        {draft && (
          <form
            onSubmit={(event: FormEvent) => {
              event.preventDefault()
              if (draft.event && draft.id) save.mutate({ ...draft, event: draft.event.trim(), id: draft.id.trim() })
            }}
          >
            <TextInput
              data-autofocus={draft.isNew}
              label={labels.event}
              description={labels.eventHint}
              disabled={!draft.isNew}
              error={isTaken(save.error) && labels.mapped}
              value={draft.event}
              onChange={(event) => {
                save.reset()
                setDraft({ ...draft, event: event.currentTarget.value })
              }}
            />
            <TextInput
              mt="md"
              data-autofocus={!draft.isNew}
              label={t.template}
              description={labels.templateHint}
              value={draft.id}
              error={save.isError && !isTaken(save.error) ? messageOf(save.error) : undefined}
              onChange={(event) => setDraft({ ...draft, id: event.currentTarget.value })}
            />
            <Button mt="xl" type="submit" fullWidth loading={save.isPending} disabled={!draft.event || !draft.id}>
              {labels.save}
            </Button>
          </form>
        )}
      </Modal>
    </Page>
  )
}

function TemplateLink({ id }: { id: string }) {
  const names = useTemplateNames()
  return (
    <Link to="/templates/$id" params={{ id }} title={id}>
      {names.get(id) ?? id}
    </Link>
  )
}
