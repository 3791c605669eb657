/** The menu of the list: its rarer actions, and saved filters, shared by everyone in the environment. */
import { BookmarkIcon, PlusIcon, TrashIcon } from '@heroicons/react/16/solid'
import { ActionIcon, Button, Menu, Modal, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { MoreMenu } from '../parts/more-menu.tsx'
import { api, isTaken } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './messages.module.css'
import { type MessagesSearch, messagesSearch } from './search.ts'

const viewTexts = texts({
  en: {
    views: 'Views',
    none: 'No saved views yet',
    save: 'Save these filters …',
    saveTitle: 'Save these filters as a view',
    hint: 'Everyone in this environment sees it.',
    action: 'Save view',
    taken: 'There is a view of this name already; delete it first, or choose another name',
    saved: (name: string) => `The view ${name} is saved`,
    delete: (name: string) => `Delete the view ${name}`,
    deleted: (name: string) => `The view ${name} is deleted`,
  },
  de: {
    views: 'Ansichten',
    none: 'Noch keine Ansichten gespeichert',
    save: 'Diese Filter speichern …',
    saveTitle: 'Diese Filter als Ansicht speichern',
    hint: 'Alle in dieser Umgebung sehen sie.',
    action: 'Ansicht speichern',
    taken: 'Eine Ansicht dieses Namens gibt es schon: bitte zuerst löschen oder anders benennen',
    saved: (name: string) => `Die Ansicht ${name} ist gespeichert`,
    delete: (name: string) => `Ansicht ${name} löschen`,
    deleted: (name: string) => `Die Ansicht ${name} ist gelöscht`,
  },
})

const page = 'messages'
const viewsKey = ['views', page]

interface ViewsMenuProps {
  search: MessagesSearch
  show(search: MessagesSearch): void
  /** Items above the views. */
  children: ReactNode
}

export function ViewsMenu({ search, show, children }: ViewsMenuProps) {
  const t = useTexts(viewTexts)
  const w = useTexts(words)
  const { canEditContent } = usePermissions()
  const [isSaving, setSaving] = useState(false)
  const [name, setName] = useState('')
  const { data } = useQuery({
    queryKey: viewsKey,
    queryFn: async ({ signal }) => (await api.views.list({ page }, { signal })).results,
  })
  const { live: _, open: __, ...filters } = search
  const save = useAction({
    act: () => api.views.put(name.trim(), { page, filters: { ...filters } }, { ifAbsent: true }),
    done: () => t.saved(name.trim()),
    changes: [viewsKey],
    after: () => setSaving(false),
  })
  const remove = useAction({
    act: (view: { name: string; filters: Record<string, unknown> }) => api.views.delete(view.name),
    done: (_, view) => t.deleted(view.name),
    undo: (_, view) => api.views.put(view.name, { page, filters: view.filters }, { ifAbsent: true }),
    changes: [viewsKey],
  })
  return (
    <>
      <MoreMenu width={280}>
        {children}
        <Menu.Divider />
        <Menu.Label>{data?.length === 0 ? t.none : t.views}</Menu.Label>
        {data?.map((view) => (
          <Menu.Item
            key={view.name}
            leftSection={<BookmarkIcon width={14} aria-hidden />}
            onClick={() => show(messagesSearch(view.filters))}
            rightSection={
              canEditContent && (
                <ActionIcon
                  component="span"
                  role="button"
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={t.delete(view.name)}
                  onClick={(event) => {
                    event.stopPropagation()
                    remove.mutate(view)
                  }}
                >
                  <TrashIcon width={14} aria-hidden />
                </ActionIcon>
              )
            }
          >
            <span className={styles.view}>{view.name}</span>
          </Menu.Item>
        ))}
        {canEditContent && (
          <Menu.Item
            leftSection={<PlusIcon width={14} aria-hidden />}
            disabled={Object.keys(filters).length === 0}
            onClick={() => setSaving(true)}
          >
            {t.save}
          </Menu.Item>
        )}
      </MoreMenu>
      <Modal
        opened={isSaving}
        onClose={() => setSaving(false)}
        title={t.saveTitle}
        closeButtonProps={{ 'aria-label': w.close }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim()) save.mutate()
          }}
        >
          <TextInput
            data-autofocus
            label={w.name}
            description={t.hint}
            maxLength={100}
            error={isTaken(save.error) && t.taken}
            value={name}
            onChange={(event) => {
              save.reset()
              setName(event.currentTarget.value)
            }}
          />
          <Button type="submit" mt="lg" loading={save.isPending} disabled={!name.trim()}>
            {t.action}
          </Button>
        </form>
      </Modal>
    </>
  )
}
