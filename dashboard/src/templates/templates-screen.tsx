/** All templates of the environment: what is published, what waits as a draft, and which events send it. */
import { MagnifyingGlassIcon } from '@heroicons/react/20/solid'
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import type { Notification, NotificationSummary } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { Page } from '../parts/page.tsx'
import { type Changes, merged } from '../parts/search-params.ts'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { type StarterName, starters } from './blocks/starters.ts'
import styles from './editor.module.css'
import { listStates, type TemplatesSearch } from './search.ts'

/** Templates are few: they are searched where they are shown. */
const LOADED_MAX = 1_000
const PAGE = 100

const templatesTexts = texts({
  en: {
    description: 'The content of each channel. A change is a draft until it is published.',
    create: 'Create template',
    empty: 'No templates yet',
    emptyHint:
      'A template has the words for every channel, with variables, and is sent by its id, its alias or an event.',
    noMatch: 'No template matches',
    changedAt: 'Last change',
    events: 'Events',
    tags: 'Tags',
    tag: 'Tag',
    all: 'all',
    published: 'published',
    draft: 'draft',
    searchHint: 'Name, alias or id',
    more: (count: number) => `Only the newest ${count} are shown.`,
    from: 'Begin with',
    nameHint: 'Shown here and in the history of messages',
    empty_starter: 'Empty',
    welcome: 'Welcome',
    receipt: 'Receipt',
    passwordReset: 'Password reset',
    digest: 'Digest',
    emptyAbout: 'A subject and one text',
    welcomeAbout: 'First steps and a button',
    receiptAbout: 'A table with a loop',
    passwordResetAbout: 'One link, not tracked',
    digestAbout: 'A list of news with links',
    byAlias: 'Alias',
  },
  de: {
    description: 'Was auf jedem Kanal gesagt wird. Eine Änderung bleibt Entwurf, bis sie veröffentlicht ist.',
    create: 'Vorlage anlegen',
    empty: 'Noch keine Vorlagen',
    emptyHint:
      'Eine Vorlage hat die Worte für jeden Kanal, mit Variablen, und wird durch ihre Id, ihren Alias oder ein Ereignis gesendet.',
    noMatch: 'Keine Vorlage passt',
    changedAt: 'Letzte Änderung',
    events: 'Ereignisse',
    tags: 'Schlagworte',
    tag: 'Schlagwort',
    all: 'alle',
    published: 'veröffentlicht',
    draft: 'Entwurf',
    searchHint: 'Name, Alias oder Id',
    more: (count: number) => `Gezeigt werden nur die neuesten ${count}.`,
    from: 'Beginnen mit',
    nameHint: 'Steht hier und im Verlauf der Nachrichten',
    empty_starter: 'Leer',
    welcome: 'Willkommen',
    receipt: 'Quittung',
    passwordReset: 'Neues Passwort',
    digest: 'Wochenüberblick',
    emptyAbout: 'Ein Betreff und ein Text',
    welcomeAbout: 'Erste Schritte und eine Schaltfläche',
    receiptAbout: 'Eine Tabelle mit Schleife',
    passwordResetAbout: 'Ein Link, nicht verfolgt',
    digestAbout: 'Neuigkeiten mit Links',
    byAlias: 'Alias',
  },
})

export const tagsOf = ({ tags }: Pick<NotificationSummary, 'tags'>): string[] =>
  tags === null ? [] : Array.isArray(tags) ? tags : tags.data.map(({ name }) => name)

export function matches(template: NotificationSummary, { search, tag, state }: TemplatesSearch): boolean {
  const { name, alias, id } = template
  const text = `${name} ${alias ?? ''} ${id}`.toLowerCase()
  return (
    (search === undefined || text.includes(search.toLowerCase())) &&
    (tag === undefined || tagsOf(template).includes(tag)) &&
    (state === undefined || (state === 'published') === (template.state === 'PUBLISHED'))
  )
}

export const templatesQuery = {
  queryKey: ['notifications'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const templates: NotificationSummary[] = []
    for await (const template of api.notifications.list({ limit: PAGE }, { signal })) {
      if (templates.length >= LOADED_MAX) return { templates, isCut: true }
      templates.push(template)
    }
    return { templates, isCut: false }
  },
}

const eventsQuery = {
  queryKey: ['events'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await api.events.list({ signal })).results,
}

export function TemplatesScreen() {
  const t = useTexts(words)
  const labels = useTexts(templatesTexts)
  const search = useSearch({ from: '/templates' })
  const navigate = useNavigate({ from: '/templates' })
  const { canEditContent } = usePermissions()
  const [isCreating, setCreating] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const query = useQuery(templatesQuery)
  const events = useQuery(eventsQuery)
  useShortcuts([
    { keys: '/', label: labels.searchHint, act: () => field.current?.focus() },
    ...(canEditContent ? [{ keys: 'n', label: labels.create, act: () => setCreating(true) }] : []),
  ])
  const setSearch = (changes: Changes<TemplatesSearch>) =>
    void navigate({ search: (before: TemplatesSearch) => merged(before, changes), replace: true })
  const templates = query.data?.templates ?? []
  const tags = [...new Set(templates.flatMap(tagsOf))].sort()
  const shown = templates.filter((template) => matches(template, search))
  const eventsOf = (id: string) => (events.data ?? []).filter((mapping) => mapping.id === id).map(({ event }) => event)
  const columns: Column<NotificationSummary>[] = [
    { key: 'name', title: t.name, width: 'minmax(0, 2fr)', cell: ({ name }) => <strong title={name}>{name}</strong> },
    {
      key: 'state',
      title: t.status,
      width: '150px',
      cell: ({ state }) =>
        state === 'PUBLISHED' ? <Tag tone="good">{labels.published}</Tag> : <Tag tone="quiet">{labels.draft}</Tag>,
    },
    {
      key: 'events',
      title: labels.events,
      cell: ({ id, alias }) => {
        const names = [...(alias ? [alias] : []), ...eventsOf(id)]
        return <span title={names.join(', ')}>{names.length > 0 ? <code>{names.join(', ')}</code> : t.none}</span>
      },
    },
    {
      key: 'tags',
      title: labels.tags,
      wideOnly: true,
      cell: (template) => (
        <span className={styles.tags}>
          {tagsOf(template).map((tag) => (
            <span key={tag}>{tag}</span>
          ))}
        </span>
      ),
    },
    {
      key: 'updated',
      title: labels.changedAt,
      width: '120px',
      align: 'end',
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
  ]
  const createButton = canEditContent && <Button onClick={() => setCreating(true)}>{labels.create}</Button>
  return (
    <Page
      title={t.templates}
      description={labels.description}
      actions={createButton}
      areActionsInEmpty
      bar={
        <div className={styles.filters}>
          <TextInput
            ref={field}
            aria-label={labels.searchHint}
            placeholder={labels.searchHint}
            leftSection={<MagnifyingGlassIcon className={styles.icon} aria-hidden />}
            value={search.search ?? ''}
            onChange={(event) => setSearch({ search: event.currentTarget.value || undefined })}
          />
          <NativeSelect
            aria-label={t.status}
            value={search.state ?? ''}
            onChange={(event) => setSearch({ state: listStates.find((state) => state === event.currentTarget.value) })}
            data={[
              { value: '', label: `${t.status}: ${labels.all}` },
              { value: 'published', label: labels.published },
              { value: 'draft', label: labels.draft },
            ]}
          />
          {(tags.length > 0 || search.tag !== undefined) && (
            <NativeSelect
              aria-label={labels.tag}
              value={search.tag ?? ''}
              onChange={(event) => setSearch({ tag: event.currentTarget.value || undefined })}
              data={[
                { value: '', label: `${labels.tag}: ${labels.all}` },
                ...[...new Set([...tags, ...(search.tag ? [search.tag] : [])])].map((tag) => ({
                  value: tag,
                  label: tag,
                })),
              ]}
            />
          )}
        </div>
      }
    >
      {query.isPending ? (
        <Loading rows={10} />
      ) : query.isError && !query.data ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : templates.length === 0 ? (
        <Empty title={labels.empty} action={createButton}>
          {labels.emptyHint}
        </Empty>
      ) : shown.length === 0 ? (
        <Empty
          title={labels.noMatch}
          action={
            <Button
              variant="default"
              onClick={() => setSearch({ search: undefined, tag: undefined, state: undefined })}
            >
              {t.clearFilters}
            </Button>
          }
        />
      ) : (
        <>
          <Table
            label={t.templates}
            columns={columns}
            rows={shown}
            idOf={({ id }) => id}
            open={({ id }) => void navigate({ to: '/templates/$id', params: { id } })}
          />
          {query.data?.isCut && <p className={styles.note}>{labels.more(LOADED_MAX)}</p>}
        </>
      )}
      <CreateTemplate isOpen={isCreating} close={() => setCreating(false)} />
    </Page>
  )
}

function CreateTemplate({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const t = useTexts(words)
  const labels = useTexts(templatesTexts)
  const navigate = useNavigate()
  const [starter, setStarter] = useState<StarterName>('welcome')
  const [name, setName] = useState('')
  useEffect(() => {
    if (isOpen) setName('')
  }, [isOpen])
  const title = name.trim() || starters[starter].name
  const create = useAction({
    act: (): Promise<Notification> =>
      api.notifications.create({
        notification: {
          name: title,
          content: { version: '2022-01-01', elements: structuredClone(starters[starter].elements) },
        },
      }),
    changes: [['notifications']],
    after: ({ id }) => {
      close()
      void navigate({ to: '/templates/$id', params: { id } })
    },
  })
  const options: [StarterName, string, string][] = [
    ['welcome', labels.welcome, labels.welcomeAbout],
    ['receipt', labels.receipt, labels.receiptAbout],
    ['passwordReset', labels.passwordReset, labels.passwordResetAbout],
    ['digest', labels.digest, labels.digestAbout],
    ['empty', labels.empty_starter, labels.emptyAbout],
  ]
  return (
    <Modal opened={isOpen} onClose={close} title={labels.create} size="lg" closeButtonProps={{ 'aria-label': t.close }}>
      <DialogForm
        action={labels.create}
        isReady={title !== ''}
        isPending={create.isPending}
        submit={create.mutate}
        close={close}
      >
        <TextInput
          data-autofocus
          label={t.name}
          description={labels.nameHint}
          placeholder={starters[starter].name}
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <fieldset className={styles.fieldset}>
          <legend>{labels.from}</legend>
          <div className={styles.starters}>
            {options.map(([value, label, about]) => (
              <button
                key={value}
                type="button"
                className={styles.starter}
                aria-pressed={starter === value}
                onClick={() => setStarter(value)}
              >
                <strong>{label}</strong>
                <span>{about}</span>
              </button>
            ))}
          </div>
        </fieldset>
      </DialogForm>
    </Modal>
  )
}
