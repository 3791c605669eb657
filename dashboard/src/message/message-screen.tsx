/** One message: a sentence that says what happened and why, then what proves it: timeline, route, profile and output. */
import type { HistoryEvent, MessageDetail } from '@postrider/client'
import { channelsFailedBeside } from '@postrider/client/sentence'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router'
import { MessageSentence } from '../decisions/sentence.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useProviderTitles } from '../names/provider-names.ts'
import { Recipient } from '../names/recipient.tsx'
import { useMessageTitle } from '../names/template-names.ts'
import { CopyableId, useCopy } from '../parts/copyable.tsx'
import { leaveRecord, stepsToList } from '../parts/list-return.ts'
import { Page, RecordPage } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { Actions } from './actions.tsx'
import { FindingNote } from './finding-note.tsx'
import styles from './message.module.css'
import { MessageFacts } from './message-facts.tsx'
import { type MessageReplies, messageQuery } from './message-query.ts'
import { Output } from './output.tsx'
import { Profiles } from './profiles.tsx'
import { Raw } from './raw.tsx'
import { Route } from './route.tsx'
import { isDecided, isUnfinished } from './timeline/rows.ts'
import { Timeline } from './timeline/timeline.tsx'

const messageTexts = texts({
  en: { to: 'to', id: 'Copy the id', back: 'Back to the list' },
  de: { to: 'an', id: 'Id kopieren', back: 'Zurück zur Liste' },
})

export function MessageScreen() {
  const { messageId } = useParams({ from: '/messages/$messageId' })
  const query = useQuery(messageQuery(messageId))
  const t = useTexts(words)
  useWayBack(messageId)
  if (query.data) return <Shown key={messageId} {...query.data} />
  return (
    <Page title={t.message}>
      {query.isError ? <Failed error={query.error} retry={query.refetch} /> : <Loading rows={10} />}
    </Page>
  )
}

/** `Esc`, also while the message is loaded. */
function useWayBack(messageId: string): void {
  const t = useTexts(messageTexts)
  const navigate = useNavigate()
  const { history } = useRouter()
  const goBack = () => {
    leaveRecord(messageId)
    const steps = stepsToList(history.location.state)
    if (steps === undefined) void navigate({ to: '/messages' })
    else history.go(steps)
  }
  useShortcuts([{ keys: 'Escape', label: t.back, act: goBack }])
}

function Shown({ message, events, explanation: untitled }: MessageReplies) {
  const explanation = useProviderTitles(untitled)
  const t = useTexts(messageTexts)
  const label = useTexts(words)
  const titleOf = useMessageTitle()
  const { copy } = useCopy()
  const { row, view } = useSearch({ from: '/messages/$messageId' })
  const { id, status, reason, recipient, address, enqueued, retry } = message
  useShortcuts([{ keys: 'c', label: t.id, act: () => void copy(id) }])
  const title = titleOf(message)
  const isEndedUndecided = !isUnfinished(message) && !isDecided({ explanation, events })
  return (
    <RecordPage
      tabTitle={`${title}, ${address ?? recipient}`}
      path={
        <>
          <Link to="/messages">{label.messages}</Link> / <CopyableId id={id} whole />
        </>
      }
      lead={
        <>
          <MessageStatusTag
            status={status}
            reason={reason}
            isRetrying={retry !== undefined}
            isPartial={channelsFailedBeside(explanation).size > 0}
          />
          {reason && <code>{reason}</code>}
          <span>
            {title} {t.to} <Recipient id={recipient} address={address} />, <Time at={enqueued} />
          </span>
        </>
      }
      sentence={<MessageSentence level="h1" message={message} explanation={explanation} history={events} />}
      note={<FindingNote message={message} explanation={explanation} events={events} />}
      actions={<Actions message={message} explanation={explanation} />}
    >
      <MessageFacts message={message} explanation={explanation} ended={endOf(message, events)} />
      <Timeline message={message} explanation={explanation} events={events} named={row} />
      <div className={styles.pair}>
        <Route message={message} explanation={explanation} events={events} />
        <Profiles events={events} />
      </div>
      <Output explanation={isEndedUndecided ? { ...explanation, rendered: [] } : explanation} />
      <Raw view={view} message={message} history={events} explanation={explanation} />
    </RecordPage>
  )
}

/** When a message that no provider accepted came to its end. */
function endOf(message: MessageDetail, events: readonly HistoryEvent[]): number | undefined {
  const { sent, canceledAt, status } = message
  if (isUnfinished(message) || sent !== undefined || canceledAt !== undefined || status === 'DIGESTED') return undefined
  return events.at(-1)?.ts
}
