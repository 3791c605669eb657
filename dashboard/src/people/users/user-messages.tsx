/** Every message to one user. */
import { Button } from '@mantine/core'
import type { Message } from '@postrider/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useMessageTitle } from '../../names/template-names.ts'
import { Empty } from '../../parts/states.tsx'
import { MessageStatusTag } from '../../parts/status.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Why } from '../../parts/why.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import type { UserProps } from './user-profile.tsx'

const PAGE = 50

const messagesTexts = texts({
  en: { empty: 'No messages to this user', accepted: 'Accepted', error: 'Reason' },
  de: { empty: 'Keine Nachrichten an diesen Nutzer', accepted: 'Angenommen', error: 'Grund' },
})

export function UserMessages({ userId }: UserProps) {
  const t = useTexts(words)
  const people = useTexts(peopleTexts)
  const labels = useTexts(messagesTexts)
  const navigate = useNavigate()
  const titleOf = useMessageTitle()
  const { seesPersonalData } = usePermissions()
  // A filter by a recipient finds out by trying what is masked: the API refuses it.
  if (!seesPersonalData) return <Empty title={t.messages}>{people.noData}</Empty>
  const columns: Column<Message>[] = [
    {
      key: 'status',
      title: t.status,
      width: '160px',
      cell: ({ status, reason }) => <MessageStatusTag status={status} reason={reason} />,
    },
    { key: 'template', title: t.template, cell: titleOf },
    { key: 'error', title: labels.error, wideOnly: true, cell: (message) => <Why message={message} /> },
    {
      key: 'enqueued',
      title: labels.accepted,
      width: '120px',
      align: 'end',
      cell: ({ enqueued }) => <Time at={enqueued} />,
    },
  ]
  return (
    <>
      <div className={styles.tools}>
        <Button
          variant="default"
          size="compact-sm"
          renderRoot={(props) => <Link to="/messages" search={{ recipient: userId }} {...props} />}
        >
          {people.openMessages}
        </Button>
      </div>
      <PagedTable
        label={t.messages}
        queryKey={['messages', 'user', userId]}
        columns={columns}
        idOf={({ id }) => id}
        open={({ id }) => void navigate({ to: '/messages/$messageId', params: { messageId: id } })}
        load={async (cursor, signal) =>
          tablePage(
            await api.messages.list(
              { recipient: userId, include: 'providers', limit: PAGE, ...(cursor !== undefined && { cursor }) },
              { signal },
            ),
          )
        }
        empty={<Empty title={labels.empty} />}
      />
    </>
  )
}
