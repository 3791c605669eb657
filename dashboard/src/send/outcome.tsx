/** The outcome of a send that was made here: the sentence of its message, read again until its status is settled. */
import { Button } from '@mantine/core'
import type { MessageStatus } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { MessageSentence } from '../decisions/sentence.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { api } from '../session/api.ts'
import styles from './send.module.css'

const outcomeTexts = texts({
  en: { open: 'Open the message', again: 'Send another' },
  de: { open: 'Nachricht öffnen', again: 'Noch eine senden' },
})

const POLL_MS = 400
/** Most messages reach a provider sooner; one that is tried again can take hours. */
const SOON_MS = 20_000
const LATER_MS = 5_000
const inProgress: ReadonlySet<MessageStatus> = new Set(['ENQUEUED', 'ROUTED'])

export function Outcome({ id, again }: { id: string; again(): void }) {
  const t = useTexts(outcomeTexts)
  const [began] = useState(Date.now)
  const query = useQuery({
    queryKey: ['send', 'sent', id],
    queryFn: async ({ signal }) => {
      const [message, { results: history }, explanation] = await Promise.all([
        api.messages.get(id, { signal }),
        api.messages.history(id, {}, { signal }),
        api.messages.explain(id, {}, { signal }),
      ])
      return { message, history, explanation }
    },
    refetchInterval: ({ state: { data, error } }) => {
      if (error || (data && !inProgress.has(data.message.status))) return false
      return Date.now() - began < SOON_MS ? POLL_MS : LATER_MS
    },
  })
  return (
    <>
      {query.data ? (
        <MessageSentence level="h2" {...query.data} />
      ) : query.isError ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : (
        <Loading rows={2} />
      )}
      <div className={styles.sent}>
        <Link to="/messages/$messageId" params={{ messageId: id }}>
          {t.open}
        </Link>
        <CopyableId id={id} />
        <Button size="compact-sm" variant="default" onClick={again}>
          {t.again}
        </Button>
      </div>
    </>
  )
}
