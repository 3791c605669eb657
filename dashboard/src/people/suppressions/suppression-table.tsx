/** Suppressed addresses with the reason, the origin and the end of each, and the way to remove one. */
import { Button } from '@mantine/core'
import type { Suppression } from '@postrider/client'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction, useConfirm } from '../../parts/confirm.tsx'
import { Tag } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { peopleTexts } from '../people-texts.ts'

export const suppressionTexts = texts({
  en: {
    address: 'Address',
    kind: 'Kind',
    source: 'Added by',
    ends: 'Ends',
    erased: 'erased',
    removed: 'The address is used again',
    removeTitle: 'Send to this address again',
    removeText: (address: string) =>
      `The next message to ${address} is tried. Providers keep lists of their own: remove it there, too. Adding it again makes a new entry.`,
    removeAction: 'Remove 1 address',
    email: 'Email',
    phone_number: 'Telephone',
    device_token: 'Device',
    chat_id: 'Chat',
    hard_bounce: 'Address does not exist',
    complaint: 'Reported as spam',
    invalid_address: 'Not in use',
    unsubscribed: 'Unsubscribed',
    manual: 'Added by hand',
  },
  de: {
    address: 'Adresse',
    kind: 'Art',
    source: 'Eingetragen durch',
    ends: 'Endet',
    erased: 'gelöscht',
    removed: 'Die Adresse wird wieder benutzt',
    removeTitle: 'Wieder an diese Adresse senden',
    removeText: (address: string) =>
      `Die nächste Nachricht an ${address} wird versucht. Anbieter führen eigene Sperrlisten: Dort ist sie auch zu entfernen. Erneutes Hinzufügen ergibt einen neuen Eintrag.`,
    removeAction: '1 Adresse entfernen',
    email: 'E-Mail',
    phone_number: 'Telefon',
    device_token: 'Gerät',
    chat_id: 'Chat',
    hard_bounce: 'Adresse gibt es nicht',
    complaint: 'Als Spam gemeldet',
    invalid_address: 'Nicht in Gebrauch',
    unsubscribed: 'Abgemeldet',
    manual: 'Von Hand gesperrt',
  },
})

export function useSuppressionColumns(): Column<Suppression>[] {
  const t = useTexts(words)
  const people = useTexts(peopleTexts)
  const labels = useTexts(suppressionTexts)
  const { canOperate } = usePermissions()
  const confirm = useConfirm()
  const remove = useAction({
    act: ({ id }: Suppression) => api.suppressions.delete(id),
    done: labels.removed,
    changes: [['suppressions']],
  })
  return [
    {
      key: 'address',
      title: labels.address,
      width: 'minmax(0, 1.6fr)',
      cell: ({ address }) => address ?? labels.erased,
    },
    { key: 'kind', title: labels.kind, width: '90px', wideOnly: true, cell: ({ kind }) => labels[kind] },
    {
      key: 'reason',
      title: people.reason,
      width: 'minmax(0, 1.3fr)',
      cell: ({ reason, note }) => (
        <span title={note}>
          <Tag tone={reason === 'complaint' ? 'bad' : reason === 'unsubscribed' ? 'quiet' : 'warn'}>
            {labels[reason]}
          </Tag>{' '}
          {note}
        </span>
      ),
    },
    { key: 'source', title: labels.source, wideOnly: true, cell: ({ source }) => <code>{source}</code> },
    { key: 'created', title: people.since, width: '110px', cell: ({ created }) => <Time at={created} /> },
    {
      key: 'ends',
      title: labels.ends,
      width: '110px',
      wideOnly: true,
      cell: ({ ends }) => (ends === undefined ? t.never : <Time at={ends} />),
    },
    {
      key: 'remove',
      title: '',
      width: '100px',
      align: 'end',
      cell: (suppression) =>
        canOperate && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={async () => {
              const isConfirmed = await confirm({
                title: labels.removeTitle,
                text: labels.removeText(suppression.address ?? labels.erased),
                action: labels.removeAction,
              })
              if (isConfirmed) remove.mutate(suppression)
            }}
          >
            {people.remove}
          </Button>
        ),
    },
  ]
}

export function SuppressionTable({ label, rows }: { label: string; rows: readonly Suppression[] }) {
  const columns = useSuppressionColumns()
  return <Table label={label} columns={columns} rows={rows} idOf={({ id }) => id} />
}
