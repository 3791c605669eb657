/** All lists. */
import type { List } from '@postrider/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { CopyableId } from '../../parts/copyable.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import type { Column } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { CreationForm } from '../creation-form.tsx'
import { Listing } from '../listing.tsx'

const listsTexts = texts({
  en: {
    title: 'Lists',
    description: 'Recipients subscribed by name; one send reaches all of them.',
    id: 'List id',
    idHint: '1 to 4 parts with dots, such as news.product.eu',
    search: 'Pattern: news.**',
    add: 'Create list',
    added: 'The list is created',
    empty: 'No lists yet',
    emptyText: 'A list is created here, or by the first subscription to it.',
    none: 'No list matches the pattern',
    noneText: 'A star stands for one part of an id, two at the end for one or more: news.*.eu, news.**',
  },
  de: {
    title: 'Listen',
    description: 'Eingetragene Empfänger unter einem Namen; ein Versand erreicht sie alle.',
    id: 'Listen-Id',
    idHint: '1 bis 4 Teile mit Punkten, etwa news.product.eu',
    search: 'Muster: news.**',
    add: 'Liste anlegen',
    added: 'Die Liste ist angelegt',
    empty: 'Noch keine Listen',
    emptyText: 'Eine Liste entsteht hier oder mit dem ersten Eintrag.',
    none: 'Keine Liste passt zum Muster',
    noneText: 'Ein Stern steht für einen Teil der Id, zwei am Ende für einen oder mehr: news.*.eu, news.**',
  },
})

export function ListsScreen() {
  const t = useTexts(words)
  const labels = useTexts(listsTexts)
  const state = useSearch({ from: '/lists' })
  const navigate = useNavigate({ from: '/lists' })
  const open = (id: string) => void navigate({ to: '/lists/$listId', params: { listId: id } })
  const { search: pattern } = state
  const columns: Column<List>[] = [
    { key: 'name', title: t.name, cell: ({ name }) => name },
    { key: 'id', title: labels.id, cell: ({ id }) => <CopyableId id={id} /> },
    { key: 'updated', title: t.updated, width: '120px', align: 'end', cell: (row) => <Time at={row.updated} /> },
  ]
  return (
    <Listing
      labels={labels}
      emptyText={labels.emptyText}
      filter={{ label: labels.search, none: labels.none, noneText: labels.noneText }}
      state={state}
      change={(search, options) => void navigate({ search, ...options })}
      open={open}
      queryKey={['lists', 'list', pattern]}
      columns={columns}
      load={async (cursor, signal) =>
        tablePage(
          await api.lists.list(
            { ...(pattern !== undefined && { pattern }), ...(cursor !== undefined && { cursor }) },
            { signal },
          ),
        )
      }
      form={(close) => (
        <CreationForm
          idLabel={labels.id}
          idHint={labels.idHint}
          action={labels.add}
          done={labels.added}
          changes={[['lists']]}
          create={(id, name) => api.lists.put(id, { name }, { ifAbsent: true })}
          open={open}
          close={close}
        />
      )}
    />
  )
}
