/** A message beside the list that it is chosen from: the sentence, the finding, the attempts and the other ways. */

import { XMarkIcon } from '@heroicons/react/16/solid'
import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { MessageSentence } from '../decisions/sentence.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { Recipient } from '../names/recipient.tsx'
import { CopyableId, useCopy } from '../parts/copyable.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { openedFrom } from '../parts/list-return.ts'
import { Facts, Section } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { Actions } from './actions.tsx'
import { FindingNote } from './finding-note.tsx'
import styles from './message.module.css'
import { type MessageReplies, messageQuery } from './message-query.ts'
import { Route } from './route.tsx'
import { TemplateLink } from './template-link.tsx'
import { Attempts } from './timeline/attempts.tsx'

const besideTexts = texts({
  en: { open: 'Open message', copy: 'Copy the id', facts: 'Facts', event: 'Event', accepted: 'Accepted' },
  de: { open: 'Nachricht öffnen', copy: 'Id kopieren', facts: 'Angaben', event: 'Ereignis', accepted: 'Angenommen' },
})

export function MessageBeside({ id, close }: { id: string; close(): void }) {
  const t = useTexts(besideTexts)
  const label = useTexts(words)
  const { data, error, refetch } = useQuery(messageQuery(id))
  const { status, reason, retry } = data?.message ?? {}
  return (
    <section className={styles.beside} aria-label={label.message} ref={showTop}>
      <div className={styles.besideHead}>
        {status && <MessageStatusTag status={status} reason={reason} isRetrying={retry !== undefined} />}
        {reason && <code>{reason}</code>}
        <LinkButton to="/messages/$messageId" params={{ messageId: id }} state={openedFrom('/messages')}>
          {t.open}
        </LinkButton>
        <ActionIcon variant="subtle" color="gray" aria-label={label.close} onClick={close}>
          <XMarkIcon width={16} aria-hidden />
        </ActionIcon>
      </div>
      {data ? <Shown {...data} /> : error ? <Failed error={error} retry={refetch} /> : <Loading rows={8} />}
    </section>
  )
}

/** The place beside the list was scrolled for the message before. */
const showTop = (section: HTMLElement | null) => section?.closest('aside')?.scrollTo({ top: 0 })

function Shown(replies: MessageReplies) {
  const t = useTexts(besideTexts)
  const label = useTexts(words)
  const { message, explanation, events } = replies
  const { id, recipient, address, event, enqueued, idempotencyKey } = message
  const { notification } = explanation
  const { copy } = useCopy()
  useShortcuts([{ keys: 'c', label: t.copy, act: () => void copy(id) }])
  return (
    <>
      <MessageSentence level="h2" message={message} explanation={explanation} history={events} />
      <FindingNote message={message} explanation={explanation} events={events} />
      <div className={styles.controls}>
        <Actions message={message} explanation={explanation} />
      </div>
      <Attempts {...replies} />
      <Route {...replies} />
      <Section title={t.facts}>
        <Facts
          facts={[
            [label.message, <CopyableId key="id" id={id} />],
            [label.recipient, <Recipient key="recipient" id={recipient} address={address} />],
            notification && [label.template, <TemplateLink key="template" {...notification} />],
            event !== '' && [t.event, <code key="event">{event}</code>],
            [t.accepted, <Time key="accepted" at={enqueued} exact />],
            idempotencyKey !== undefined && ['Idempotency-Key', <CopyableId key="key" id={idempotencyKey} />],
          ]}
        />
      </Section>
    </>
  )
}
