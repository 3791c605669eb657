/** The lists to which a user is subscribed. */
import { Button, TextInput } from '@mantine/core'
import type { List } from '@postrider/client'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { Empty } from '../../parts/states.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import type { UserProps } from './user-profile.tsx'

const listsTexts = texts({
  en: {
    title: 'Lists',
    listId: 'List id',
    subscribe: 'Subscribe',
    subscribed: (list: string) => `Subscribed to ${list}`,
    unsubscribe: 'Unsubscribe',
    unsubscribed: (list: string) => `Unsubscribed from ${list}`,
    empty: 'On no list',
  },
  de: {
    title: 'Listen',
    listId: 'Listen-Id',
    subscribe: 'Eintragen',
    subscribed: (list: string) => `In ${list} eingetragen`,
    unsubscribe: 'Austragen',
    unsubscribed: (list: string) => `Aus ${list} ausgetragen`,
    empty: 'Auf keiner Liste',
  },
})

export function UserLists({ userId }: UserProps) {
  const t = useTexts(words)
  const labels = useTexts(listsTexts)
  const people = useTexts(peopleTexts)
  const navigate = useNavigate()
  const { canOperate } = usePermissions()
  const [listId, setListId] = useState('')
  const changes = [['lists'], ['profiles', 'lists', userId]]
  const subscribe = useAction({
    act: (id: string) => api.lists.get(id).then(() => api.lists.subscribe(id, userId)),
    done: (_, id) => labels.subscribed(id),
    undo: (_, id) => api.lists.unsubscribe(id, userId),
    after: () => setListId(''),
    changes,
  })
  const unsubscribe = useAction({
    act: ({ id }: List) => api.lists.unsubscribe(id, userId),
    done: (_, { id }) => labels.unsubscribed(id),
    undo: (_, { id, preferences }) => api.lists.subscribe(id, userId, { preferences: preferences ?? null }),
    changes,
  })
  const columns: Column<List>[] = [
    { key: 'name', title: t.name, cell: ({ name }) => name },
    { key: 'id', title: labels.listId, cell: ({ id }) => <CopyableId id={id} /> },
    {
      key: 'remove',
      title: '',
      width: '130px',
      align: 'end',
      cell: (list) =>
        canOperate && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={(event) => {
              event.stopPropagation()
              unsubscribe.mutate(list)
            }}
          >
            {labels.unsubscribe}
          </Button>
        ),
    },
  ]
  return (
    <>
      {canOperate ? (
        <form
          className={styles.add}
          onSubmit={(event) => {
            event.preventDefault()
            if (listId.trim() !== '') subscribe.mutate(listId.trim())
          }}
        >
          <TextInput label={labels.listId} value={listId} onChange={(event) => setListId(event.currentTarget.value)} />
          <Button type="submit" variant="default" loading={subscribe.isPending} disabled={listId.trim() === ''}>
            {labels.subscribe}
          </Button>
        </form>
      ) : (
        <p className={styles.small}>{people.noRole}</p>
      )}
      <PagedTable
        label={labels.title}
        queryKey={['profiles', 'lists', userId]}
        columns={columns}
        idOf={({ id }) => id}
        open={({ id }) => void navigate({ to: '/lists/$listId', params: { listId: id } })}
        load={async (cursor, signal) =>
          tablePage(
            await api.profiles.lists(userId, cursor === undefined ? {} : { cursor }, {
              signal,
            }),
          )
        }
        empty={<Empty title={labels.empty} />}
      />
    </>
  )
}
