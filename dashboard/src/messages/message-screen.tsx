/** One message: its result and the reason, its timeline, its route, content, attempts and inputs. */
import { ArrowPathIcon, NoSymbolIcon } from '@heroicons/react/16/solid'
import { Button, SegmentedControl, Tabs } from '@mantine/core'
import type { HistoryEvent, MessageDetail, MessageExplanation, MessageStatus } from '@postrider/client'
import type { MessageFacts } from '@postrider/client/sentence'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { MessageSentence } from '../decisions/sentence.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useTemplateNames } from '../names/template-names.ts'
import { Channel } from '../parts/channel.tsx'
import { JsonView } from '../parts/code/code.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { PlainText, RenderedContent } from '../parts/content/rendered-content.tsx'
import { CopyableId, useCopy } from '../parts/copyable.tsx'
import { Page } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { TabList } from '../parts/tab-bar.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { AsOfNow } from './as-of-now.tsx'
import { Attempts } from './attempts.tsx'
import styles from './message.module.css'
import { type MessageTab, messageTabs } from './message-search.ts'
import { hasUser, Recipient } from './messages-screen.tsx'
import { Profiles } from './profiles.tsx'
import { Route } from './route.tsx'
import { Timeline } from './timeline.tsx'

const messageTexts = texts({
  en: {
    inline: 'Inline content',
    to: 'To',
    accepted: 'accepted',
    resend: 'Resend',
    openInSend: 'Open in Send',
    resent: 'Sent again as a new message',
    resendTitle: 'Resend this message',
    resendText: (recipient: string) =>
      `${recipient} gets it again, decided with the templates, profile and preferences of now. That cannot be undone.`,
    resendAction: 'Resend message',
    cancel: 'Cancel message',
    cancelTitle: 'Cancel this message',
    cancelText: 'No provider is called any more. That cannot be undone; it can be sent again.',
    canceled: 'The message is canceled',
    ofRun: 'Sent by run',
    replayOf: 'Replay of',
    replayedAs: 'Replayed as',
    content: 'Content',
    attempts: 'Attempts',
    data: 'Profile and data',
    now: 'As of now',
    json: 'JSON',
    details: 'Details',
    noContent: 'Nothing was rendered.',
    text: 'Plain text',
    shown: 'As it is shown',
    view: 'View',
    editProfile: 'Edit profile',
  },
  de: {
    inline: 'Inhalt im Aufruf',
    to: 'An',
    accepted: 'angenommen',
    resend: 'Erneut senden',
    openInSend: 'In Senden öffnen',
    resent: 'Als neue Nachricht gesendet',
    resendTitle: 'Diese Nachricht erneut senden',
    resendText: (recipient: string) =>
      `${recipient} bekommt sie noch einmal, entschieden mit den jetzigen Vorlagen, Profilen und Einstellungen. Das lässt sich nicht zurücknehmen.`,
    resendAction: 'Nachricht erneut senden',
    cancel: 'Nachricht abbrechen',
    cancelTitle: 'Diese Nachricht abbrechen',
    cancelText:
      'Kein Anbieter wird mehr aufgerufen. Das lässt sich nicht zurücknehmen; sie kann erneut gesendet werden.',
    canceled: 'Die Nachricht ist abgebrochen',
    ofRun: 'Gesendet von Lauf',
    replayOf: 'Wiederholung von',
    replayedAs: 'Wiederholt als',
    content: 'Inhalt',
    attempts: 'Versuche',
    data: 'Profil und Daten',
    now: 'Stand jetzt',
    json: 'JSON',
    details: 'Einzelheiten',
    noContent: 'Nichts wurde dargestellt.',
    text: 'Reiner Text',
    shown: 'Wie gezeigt',
    view: 'Ansicht',
    editProfile: 'Profil bearbeiten',
  },
})

const unfinished: ReadonlySet<MessageStatus> = new Set(['ENQUEUED', 'DELAYED', 'ROUTED', 'HELD'])
/** Receipts, opens and clicks can follow; while it is on its way it changes by itself. */
const POLL_MS = 2_000

export function MessageScreen() {
  const { messageId } = useParams({ from: '/messages/$messageId' })
  const query = useQuery({
    queryKey: ['message', messageId],
    queryFn: async ({ signal }) => {
      const [message, { results: events }, explanation] = await Promise.all([
        api.messages.get(messageId, { signal }),
        api.messages.history(messageId, {}, { signal }),
        api.messages.explain(messageId, {}, { signal }),
      ])
      return { message, events, explanation }
    },
    refetchInterval: ({ state }) => (state.data && unfinished.has(state.data.message.status) ? POLL_MS : false),
  })
  const t = useTexts(words)
  if (query.data) return <Shown {...query.data} />
  return (
    <Page title={t.message}>
      {query.isError ? <Failed error={query.error} retry={query.refetch} /> : <Loading rows={10} />}
    </Page>
  )
}

interface ShownProps {
  message: MessageDetail
  events: HistoryEvent[]
  explanation: MessageExplanation
}

function Shown({ message, events, explanation }: ShownProps) {
  const t = useTexts(messageTexts)
  const names = useTemplateNames()
  const navigate = useNavigate()
  const { copy } = useCopy()
  const { tab = 'content' } = useSearch({ from: '/messages/$messageId' })
  const { id, status, recipient, event, notification, enqueued, runId, replayOf, replayedAs = [] } = message
  useShortcuts([{ keys: 'c', label: `${t.details}: Id`, act: () => void copy(id) }])
  const title = names.get(notification) ?? (event || t.inline)
  return (
    <Page
      title={title}
      tabTitle={`${title}, ${recipient}`}
      badge={<MessageStatusTag status={status} reason={message.reason} isRetrying={message.retry !== undefined} />}
      description={
        <div className={styles.head}>
          <span>
            {t.to} <Recipient id={recipient} />
          </span>
          <span>
            {t.accepted} <Time at={enqueued} />
          </span>
          <CopyableId id={id} />
          {runId && (
            <span>
              {t.ofRun}{' '}
              <Link to="/runs/$runId" params={{ runId }}>
                <code>{runId.slice(-8)}</code>
              </Link>
            </span>
          )}
          {replayOf && (
            <span>
              {t.replayOf} <MessageLink id={replayOf} />
            </span>
          )}
          {replayedAs.length > 0 && (
            <span>
              {t.replayedAs}{' '}
              {replayedAs.map((replay) => (
                <MessageLink key={replay} id={replay} />
              ))}
            </span>
          )}
        </div>
      }
      actions={<Actions message={message} />}
    >
      <Verdict message={message} explanation={explanation} history={events} />
      <div className={styles.split}>
        <Timeline events={events} explanation={explanation} />
        <Route explanation={explanation} isFinal={!unfinished.has(status)} />
      </div>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) =>
          void navigate({
            to: '/messages/$messageId',
            params: { messageId: id },
            search: { tab: next as MessageTab },
            replace: true,
            resetScroll: false,
          })
        }
      >
        <TabList label={t.details} tabs={messageTabs.map((name) => ({ name, title: t[name] }))} value={tab} />
        <Tabs.Panel value="content">
          <Contents explanation={explanation} />
        </Tabs.Panel>
        <Tabs.Panel value="attempts">
          <Attempts explanation={explanation} />
        </Tabs.Panel>
        <Tabs.Panel value="data">
          <Profiles events={events} />
        </Tabs.Panel>
        <Tabs.Panel value="now">
          <AsOfNow id={id} before={explanation} />
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <div className={styles.block}>
            <JsonView label={t.json} value={message} />
          </div>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

const MessageLink = ({ id }: { id: string }) => (
  <Link to="/messages/$messageId" params={{ messageId: id }}>
    <code>{id.slice(-8)}</code>
  </Link>
)

/** The answer in one glance, and the remedy where the profile lacks an address. */
function Verdict(facts: MessageFacts) {
  const t = useTexts(messageTexts)
  const { canOperate } = usePermissions()
  const { recipient, reason } = facts.message
  return (
    <section className={styles.verdict} aria-live="polite">
      <MessageSentence {...facts} />
      {reason === 'INCOMPLETE_PROFILE_DATA' && canOperate && hasUser(recipient) && (
        <p>
          <Link to="/users/$userId" params={{ userId: recipient }}>
            {t.editProfile}
          </Link>
        </p>
      )}
    </section>
  )
}

function Actions({ message: { id, status, recipient, event } }: { message: MessageDetail }) {
  const t = useTexts(messageTexts)
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { canOperate } = usePermissions()
  const changed = [['message', id], ['messages']]
  const cancel = useAction({ act: () => api.messages.cancel(id), done: t.canceled, changes: changed })
  const resend = useAction({
    act: () => api.messages.resend(id),
    done: t.resent,
    changes: changed,
    after: ({ messageId }) => void navigate({ to: '/messages/$messageId', params: { messageId } }),
  })
  if (!canOperate) return null
  return (
    <>
      {event !== '' && (
        <Button variant="default" renderRoot={(props) => <Link to="/send" search={{ message: id }} {...props} />}>
          {t.openInSend}
        </Button>
      )}
      {unfinished.has(status) && (
        <Button
          variant="default"
          leftSection={<NoSymbolIcon width={14} aria-hidden />}
          loading={cancel.isPending}
          onClick={async () => {
            const question = { title: t.cancelTitle, text: t.cancelText, action: t.cancel, isDangerous: true }
            if (await confirm(question)) cancel.mutate()
          }}
        >
          {t.cancel}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<ArrowPathIcon width={14} aria-hidden />}
        loading={resend.isPending}
        onClick={async () => {
          const text = t.resendText(recipient)
          if (await confirm({ title: t.resendTitle, text, action: t.resendAction })) resend.mutate()
        }}
      >
        {t.resend}
      </Button>
    </>
  )
}

function Contents({ explanation: { rendered } }: { explanation: MessageExplanation }) {
  const t = useTexts(messageTexts)
  const [at, setAt] = useState(0)
  const [form, setForm] = useState<'shown' | 'text'>('shown')
  const candidate = rendered[Math.min(at, rendered.length - 1)]
  if (!candidate) return <p className={styles.outcome}>{t.noContent}</p>
  const { channel, content, error } = candidate
  return (
    <div className={styles.block}>
      <div className={styles.head}>
        {rendered.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t.content}
            value={String(at)}
            onChange={(value) => setAt(Number(value))}
            data={rendered.map((each, index) => ({
              value: String(index),
              label: <Channel channel={each.channel} detail={each.title ?? each.provider} />,
            }))}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label={t.view}
          value={form}
          onChange={(value) => setForm(value as 'shown' | 'text')}
          data={[
            { value: 'shown', label: t.shown },
            { value: 'text', label: t.text },
          ]}
        />
      </div>
      {error && <p className={styles.verdict}>{error}</p>}
      {!error &&
        (form === 'text' ? (
          <PlainText text={content.text || content.body} />
        ) : (
          <RenderedContent message={{ channel, ...content }} />
        ))}
    </div>
  )
}
