/** The addresses to which nothing is sent: found, added and removed. */
import { Button, Modal, Select, Textarea, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction } from '../../parts/confirm.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { FilterField } from '../../parts/table/filter-field.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { PagedTable } from '../../parts/table/table.tsx'
import { useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import { addressKinds, suppressionReasons } from '../search.ts'
import { suppressionTexts, useSuppressionColumns } from './suppression-table.tsx'

const PAGE = 50

const screenTexts = texts({
  en: {
    title: 'Suppressions',
    description: 'Addresses to which nothing is sent: bounced, not in use, unsubscribed, complained, or added by hand.',
    search: 'A whole address',
    allKinds: 'Every kind',
    allReasons: 'Every reason',
    add: 'Suppress addresses',
    addresses: 'Addresses, one a line',
    hint: 'Email addresses, telephone numbers with their country code.',
    note: 'Note for people',
    ends: 'Until (never, if empty)',
    action: (count: string) => `Suppress ${count}`,
    done: (added: string, existing: string) => `${added} added, ${existing} were on the list`,
    empty: 'No address is suppressed',
    emptyText: 'Bounces and complaints that providers report appear here by themselves.',
    none: 'No suppressed address matches',
  },
  de: {
    title: 'Sperrliste',
    description:
      'Adressen, an die nichts gesendet wird: unzustellbar, nicht in Gebrauch, abgemeldet, beschwert oder von Hand gesperrt.',
    search: 'Eine ganze Adresse',
    allKinds: 'Jede Art',
    allReasons: 'Jeder Grund',
    add: 'Adressen sperren',
    addresses: 'Adressen, eine je Zeile',
    hint: 'E-Mail-Adressen, Telefonnummern mit Landesvorwahl.',
    note: 'Notiz für Menschen',
    ends: 'Bis (leer: für immer)',
    action: (count: string) => `${count} sperren`,
    done: (added: string, existing: string) => `${added} hinzugefügt, ${existing} standen schon auf der Liste`,
    empty: 'Keine Adresse ist gesperrt',
    emptyText: 'Was Anbieter als unzustellbar oder als Beschwerde melden, erscheint hier von selbst.',
    none: 'Keine gesperrte Adresse passt',
  },
})

export function SuppressionsScreen() {
  const t = useTexts(words)
  const people = useTexts(peopleTexts)
  const labels = useTexts(screenTexts)
  const names = useTexts(suppressionTexts)
  const { search = '', kind, reason, panel } = useSearch({ from: '/suppressions' })
  const navigate = useNavigate({ from: '/suppressions' })
  const { canOperate } = usePermissions()
  const columns = useSuppressionColumns()
  const open = (isOpen: boolean) =>
    void navigate({ search: ({ panel: _, ...rest }) => (isOpen ? { ...rest, panel: 'new' } : rest) })
  const add = (
    <Button onClick={() => open(true)} disabled={!canOperate} title={canOperate ? undefined : people.noRole}>
      {labels.add}
    </Button>
  )
  const isFiltered = search !== '' || kind !== undefined || reason !== undefined
  return (
    <Page
      title={labels.title}
      description={labels.description}
      actions={add}
      bar={
        <div className={styles.filters}>
          <FilterField
            label={labels.search}
            value={search}
            change={(next) =>
              void navigate({ search: ({ search: _, ...rest }) => (next === '' ? rest : { ...rest, search: next }) })
            }
          />
          <Select
            aria-label={names.kind}
            value={kind ?? ''}
            data={[
              { value: '', label: labels.allKinds },
              ...addressKinds.map((value) => ({ value: value as string, label: names[value] })),
            ]}
            onChange={(next) => {
              const chosen = addressKinds.find((value) => value === next)
              void navigate({ search: ({ kind: _, ...rest }) => (chosen ? { ...rest, kind: chosen } : rest) })
            }}
          />
          <Select
            aria-label={people.reason}
            value={reason ?? ''}
            data={[
              { value: '', label: labels.allReasons },
              ...suppressionReasons.map((value) => ({ value: value as string, label: names[value] })),
            ]}
            onChange={(next) => {
              const chosen = suppressionReasons.find((value) => value === next)
              void navigate({ search: ({ reason: _, ...rest }) => (chosen ? { ...rest, reason: chosen } : rest) })
            }}
          />
        </div>
      }
    >
      <PagedTable
        label={labels.title}
        queryKey={['suppressions', search, kind, reason]}
        columns={columns}
        idOf={({ id }) => id}
        load={async (cursor, signal) =>
          tablePage(
            await api.suppressions.list(
              {
                limit: PAGE,
                ...(search !== '' && { address: search }),
                ...(kind && { kind }),
                ...(reason && { reason }),
                ...(cursor !== undefined && { cursor }),
              },
              { signal },
            ),
          )
        }
        empty={<Empty title={isFiltered ? labels.none : labels.empty}>{!isFiltered && labels.emptyText}</Empty>}
      />
      <Modal
        opened={panel === 'new' && canOperate}
        onClose={() => open(false)}
        title={labels.add}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <NewSuppressions close={() => open(false)} />
      </Modal>
    </Page>
  )
}

function NewSuppressions({ close }: { close(): void }) {
  const people = useTexts(peopleTexts)
  const labels = useTexts(screenTexts)
  const names = useTexts(suppressionTexts)
  const format = useFormat()
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const [ends, setEnds] = useState('')
  const [reason, setReason] = useState<(typeof suppressionReasons)[number]>('manual')
  const addresses = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const add = useAction({
    act: () =>
      api.suppressions.add({
        suppressions: addresses.map((address) => ({
          address,
          reason,
          ...(note.trim() !== '' && { note: note.trim() }),
          ...(ends !== '' && { ends: new Date(ends).toISOString() }),
        })),
      }),
    done: ({ added, existing }) => labels.done(format.number(added), format.number(existing)),
    changes: [['suppressions']],
    after: close,
  })
  return (
    <DialogForm
      action={labels.action(format.number(addresses.length))}
      isReady={addresses.length > 0}
      isPending={add.isPending}
      submit={add.mutate}
      close={close}
    >
      <Textarea
        data-autofocus
        required
        rows={5}
        label={labels.addresses}
        description={labels.hint}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Select
        label={people.reason}
        allowDeselect={false}
        value={reason}
        data={suppressionReasons.map((value) => ({ value, label: names[value] }))}
        onChange={(next) => setReason(suppressionReasons.find((value) => value === next) ?? 'manual')}
      />
      <TextInput label={labels.note} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
      <TextInput
        label={labels.ends}
        type="datetime-local"
        value={ends}
        onChange={(event) => setEnds(event.currentTarget.value)}
      />
    </DialogForm>
  )
}
