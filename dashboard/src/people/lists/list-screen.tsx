/** One list: who is subscribed, an import of a file, and a send to everyone on it. */
import { Button, Menu, Modal, Textarea } from '@mantine/core'
import type { ListSubscription } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { DangerItem, MoreMenu } from '../../parts/more-menu.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { Time, useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import type { Panel } from '../search.ts'
import { ListImport } from './list-import.tsx'
import { ListSend } from './list-send.tsx'

const PAGE = 100

const listTexts = texts({
  en: {
    subscribers: 'Subscribers',
    subscribe: 'Subscribe users',
    ids: 'User ids, one a line',
    action: (count: string) => `Subscribe ${count}`,
    subscribed: (count: string) => `${count} subscribed`,
    unsubscribe: (count: string) => `Unsubscribe ${count}`,
    unsubscribed: (count: string) => `${count} unsubscribed`,
    import: 'Import a CSV file',
    send: 'Send to the list',
    empty: 'No subscribers',
    emptyText: 'Subscribe users by their id, or import a file.',
    delete: 'Delete list',
    deleteTitle: 'Delete this list',
    deleteText: 'The list is hidden with its subscriptions, and a send to it reaches no recipient. Undo restores it.',
    deleted: 'The list is deleted',
  },
  de: {
    subscribers: 'Eingetragene',
    subscribe: 'Nutzer eintragen',
    ids: 'Nutzer-Ids, eine je Zeile',
    action: (count: string) => `${count} eintragen`,
    subscribed: (count: string) => `${count} eingetragen`,
    unsubscribe: (count: string) => `${count} austragen`,
    unsubscribed: (count: string) => `${count} ausgetragen`,
    import: 'CSV-Datei importieren',
    send: 'An die Liste senden',
    empty: 'Niemand ist eingetragen',
    emptyText: 'Nutzer werden mit ihrer Id eingetragen oder aus einer Datei importiert.',
    delete: 'Liste löschen',
    deleteTitle: 'Diese Liste löschen',
    deleteText:
      'Die Liste wird mit ihren Einträgen verborgen, ein Versand an sie erreicht keinen Empfänger. „Rückgängig“ stellt sie wieder her.',
    deleted: 'Die Liste ist gelöscht',
  },
})

export function ListScreen() {
  const t = useTexts(words)
  const labels = useTexts(listTexts)
  const people = useTexts(peopleTexts)
  const { listId } = useParams({ from: '/lists/$listId' })
  const { panel } = useSearch({ from: '/lists/$listId' })
  const navigate = useNavigate({ from: '/lists/$listId' })
  const { canOperate } = usePermissions()
  const query = useQuery({
    queryKey: ['lists', 'one', listId],
    queryFn: ({ signal }) => api.lists.get(listId, { signal }),
  })
  const remove = useAction({
    act: () => api.lists.delete(listId),
    done: labels.deleted,
    undo: () => api.lists.restore(listId),
    changes: [['lists', 'list']],
    after: () => void navigate({ to: '/lists' }),
  })
  const open = (next: Panel | undefined) => void navigate({ search: next ? { panel: next } : {} })
  const close = () => open(undefined)
  const closeButtonProps = { 'aria-label': t.close }
  return (
    <Page
      title={query.data?.name ?? listId}
      badge={<CopyableId id={listId} />}
      actions={
        canOperate ? (
          <>
            <Button variant="default" onClick={() => open('new')}>
              {labels.subscribe}
            </Button>
            <Button onClick={() => open('send')}>{labels.send}</Button>
            <MoreMenu>
              <Menu.Item onClick={() => open('import')}>{labels.import}</Menu.Item>
              <DangerItem
                danger={{ title: labels.deleteTitle, text: labels.deleteText, action: labels.delete }}
                act={remove.mutate}
              />
            </MoreMenu>
          </>
        ) : (
          <span className={styles.small}>{people.noRole}</span>
        )
      }
    >
      {query.isPending ? (
        <Loading />
      ) : query.data ? (
        <Subscribers listId={listId} />
      ) : (
        <Failed error={query.error} retry={query.refetch} />
      )}
      <Modal opened={panel === 'new' && canOperate} onClose={close} title={labels.subscribe} {...{ closeButtonProps }}>
        <Subscribe listId={listId} close={close} />
      </Modal>
      <Modal opened={panel === 'import' && canOperate} onClose={close} title={labels.import} {...{ closeButtonProps }}>
        <ListImport listId={listId} close={close} />
      </Modal>
      <Modal opened={panel === 'send' && canOperate} onClose={close} title={labels.send} {...{ closeButtonProps }}>
        <ListSend listId={listId} close={close} />
      </Modal>
    </Page>
  )
}

function Subscribers({ listId }: { listId: string }) {
  const labels = useTexts(listTexts)
  const people = useTexts(peopleTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const { canOperate } = usePermissions()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  /** Those of every loaded subscription, for its undoing. */
  const preferences = useRef(new Map<string, ListSubscription['preferences']>())
  const unsubscribe = useAction({
    act: async (ids: readonly string[]) => {
      for (const id of ids) await api.lists.unsubscribe(listId, id)
    },
    done: (_, ids) => labels.unsubscribed(format.number(ids.length)),
    undo: (_, ids) =>
      api.lists.addSubscriptions(listId, {
        recipients: ids.map((recipientId) => ({
          recipientId,
          preferences: preferences.current.get(recipientId) ?? null,
        })),
      }),
    changes: [['lists', 'subscriptions', listId]],
    isInSteps: true,
    after: () => setSelected(new Set()),
  })
  const columns: Column<ListSubscription>[] = [
    { key: 'user', title: people.user, cell: ({ recipientId }) => recipientId },
    { key: 'created', title: people.since, width: '130px', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ]
  return (
    <>
      {selected.size > 0 && (
        <div className={styles.tools}>
          <Button variant="default" loading={unsubscribe.isPending} onClick={() => unsubscribe.mutate([...selected])}>
            {labels.unsubscribe(format.number(selected.size))}
          </Button>
        </div>
      )}
      <PagedTable
        label={labels.subscribers}
        queryKey={['lists', 'subscriptions', listId]}
        columns={columns}
        idOf={({ recipientId }) => recipientId}
        open={({ recipientId }) => void navigate({ to: '/users/$userId', params: { userId: recipientId } })}
        {...(canOperate && { selected, onSelect: setSelected })}
        load={async (cursor, signal) => {
          const page = await api.lists.subscriptions(
            listId,
            { limit: PAGE, ...(cursor !== undefined && { cursor }) },
            { signal },
          )
          for (const item of page.items) preferences.current.set(item.recipientId, item.preferences)
          return tablePage(page)
        }}
        empty={<Empty title={labels.empty}>{labels.emptyText}</Empty>}
      />
    </>
  )
}

function Subscribe({ listId, close }: { listId: string; close(): void }) {
  const labels = useTexts(listTexts)
  const format = useFormat()
  const [text, setText] = useState('')
  const ids = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const count = format.number(ids.length)
  const subscribe = useAction({
    act: () => api.lists.addSubscriptions(listId, { recipients: ids }),
    done: labels.subscribed(count),
    changes: [['lists', 'subscriptions', listId]],
    after: close,
  })
  return (
    <DialogForm
      action={labels.action(count)}
      isReady={ids.length > 0}
      isPending={subscribe.isPending}
      submit={subscribe.mutate}
      close={close}
    >
      <Textarea
        data-autofocus
        required
        rows={6}
        label={labels.ids}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </DialogForm>
  )
}
