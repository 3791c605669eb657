/** All audiences. */
import { Button, Modal } from '@mantine/core'
import type { Audience } from '@postrider/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { CopyableId } from '../../parts/copyable.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { CreationForm } from '../creation-form.tsx'
import { peopleTexts } from '../people-texts.ts'

const audiencesTexts = texts({
  en: {
    title: 'Audiences',
    description: 'Groups of users who match a filter now. Members come and go as profiles change.',
    id: 'Audience id',
    add: 'Create audience',
    added: 'The audience is created',
    empty: 'No audiences yet',
    emptyText: 'An audience is a filter on profiles, such as “plan is pro”. A send to it reaches everyone who matches.',
  },
  de: {
    title: 'Zielgruppen',
    description: 'Alle Nutzer, die gerade zu einem Filter passen. Mitglieder kommen und gehen mit ihren Profilen.',
    id: 'Zielgruppen-Id',
    add: 'Zielgruppe anlegen',
    added: 'Die Zielgruppe ist angelegt',
    empty: 'Noch keine Zielgruppen',
    emptyText:
      'Eine Zielgruppe ist ein Filter auf Profile, etwa „plan ist pro“. Ein Versand an sie erreicht alle, die passen.',
  },
})

export function AudiencesScreen() {
  const t = useTexts(words)
  const labels = useTexts(audiencesTexts)
  const people = useTexts(peopleTexts)
  const { panel } = useSearch({ from: '/audiences' })
  const navigate = useNavigate({ from: '/audiences' })
  const { canOperate } = usePermissions()
  const openOne = (id: string) => void navigate({ to: '/audiences/$audienceId', params: { audienceId: id } })
  const close = () => void navigate({ search: {} })
  const add = (
    <Button
      onClick={() => void navigate({ search: { panel: 'new' } })}
      disabled={!canOperate}
      title={canOperate ? undefined : people.noRole}
    >
      {labels.add}
    </Button>
  )
  const columns: Column<Audience>[] = [
    { key: 'name', title: t.name, cell: ({ name, id }) => name || id },
    { key: 'id', title: labels.id, cell: ({ id }) => <CopyableId id={id} /> },
    { key: 'description', title: people.description, wideOnly: true, cell: ({ description }) => description },
    { key: 'updated', title: t.updated, width: '120px', align: 'end', cell: (row) => <Time at={row.updated_at} /> },
  ]
  return (
    <Page title={labels.title} description={labels.description} actions={add}>
      <PagedTable
        label={labels.title}
        queryKey={['audiences', 'list']}
        columns={columns}
        idOf={({ id }) => id}
        open={({ id }) => openOne(id)}
        load={async (cursor, signal) =>
          tablePage(await api.audiences.list(cursor === undefined ? {} : { cursor }, { signal }))
        }
        empty={
          <Empty title={labels.empty} action={canOperate && add}>
            {labels.emptyText}
          </Empty>
        }
      />
      <Modal
        opened={panel === 'new' && canOperate}
        onClose={close}
        title={labels.add}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <CreationForm
          idLabel={labels.id}
          action={labels.add}
          done={labels.added}
          changes={[['audiences']]}
          create={(id, name) => api.audiences.put(id, { name }, { ifAbsent: true })}
          open={openOne}
          close={close}
        />
      </Modal>
    </Page>
  )
}
