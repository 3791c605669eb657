/** One message: its result and the reason, its timeline, its route, content, attempts and inputs. */
import { ArrowPathIcon, NoSymbolIcon } from '@heroicons/react/16/solid'
import { Button, SegmentedControl, Tabs } from '@mantine/core'
import type { HistoryEvent, MessageDetail, MessageExplanation, MessageStatus } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useTemplateNames } from '../names/template-names.ts'
import { Channel } from '../parts/channel.tsx'
import { JsonView } from '../parts/code/code.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { PlainText, RenderedContent } from '../parts/content/rendered-content.tsx'
import { CopyableId, useCopy } from '../parts/copyable.tsx'
import { useStepText } from '../parts/decision-texts.ts'
import { channelNames, reasonMeanings, statusMeanings } from '../parts/meanings.ts'
import { Page } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag, toneOf } from '../parts/status.tsx'
import { TabList } from '../parts/tab-bar.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { AsOfNow } from './as-of-now.tsx'
import { Attempts } from './attempts.tsx'
import styles from './message.module.css'
import { type MessageTab, messageTabs } from './message-search.ts'
import { hasUser, Recipient } from './messages-screen.tsx'
import { candidateOutcome } from './outcome.ts'
import { Profiles } from './profiles.tsx'
import { Route } from './route.tsx'
import { Timeline } from './timeline.tsx'

const messageTexts = texts({
  en: {
    inline: 'Inline content',
    to: 'To',
    accepted: 'accepted',
    resend: 'Resend',
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
    by: (channel: string, integration: string) => `By ${channel} through ${integration}`,
    tried: (names: string) => `Tried: ${names}.`,
    next: (time: string) => `Waits for its next attempt, at ${time}`,
    lastError: (error: string, attempts: string) =>
      attempts === '0' ? error : `${attempts === '1' ? '1 attempt' : `${attempts} attempts`}, the last error: ${error}`,
    noAddress: (recipient: string, channels: string) => `${recipient} has no address for ${channels}.`,
    editProfile: 'Edit profile',
  },
  de: {
    inline: 'Inhalt im Aufruf',
    to: 'An',
    accepted: 'angenommen',
    resend: 'Erneut senden',
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
    by: (channel: string, integration: string) => `Per ${channel} über ${integration}`,
    tried: (names: string) => `Versucht: ${names}.`,
    next: (time: string) => `Wartet auf den nächsten Versuch um ${time}`,
    lastError: (error: string, attempts: string) =>
      attempts === '0' ? error : `${attempts === '1' ? '1 Versuch' : `${attempts} Versuche`}, letzter Fehler: ${error}`,
    noAddress: (recipient: string, channels: string) => `${recipient} hat keine Adresse für ${channels}.`,
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
      badge={<MessageStatusTag status={status} isRetrying={message.retry !== undefined} />}
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
      <Verdict message={message} explanation={explanation} />
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

/** The answer in one glance: the result, its reason in words, and the error: that of the decision, else as it came. */
function Verdict({ message, explanation }: Omit<ShownProps, 'events'>) {
  const t = useTexts(messageTexts)
  const statuses = useTexts(statusMeanings)
  const reasons: Record<string, string> = useTexts(reasonMeanings)
  const channels: Record<string, string> = useTexts(channelNames)
  const format = useFormat()
  const stepText = useStepText()
  const { canOperate } = usePermissions()
  const { status, recipient, reason, error, retry } = message
  const { decision, steps } = explanation
  const isDecided = decision.status === status && decision.error === error
  const stop = isDecided && steps.find(({ step, outcome }) => outcome === 'stopped' && step !== 'render')
  const outcomes = explanation.candidates.map((candidate) =>
    candidateOutcome(candidate, explanation.deliveries, !unfinished.has(status)),
  )
  const accepted = outcomes.find(({ kind }) => kind === 'accepted')
  const failed = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.delivery] : []))
  const named = ({ channel, title, provider }: MessageExplanation['deliveries'][number]) =>
    t.by(channels[channel] ?? channel, title ?? provider)
  if (retry) {
    const delivery = explanation.deliveries.find(
      ({ channel, integration }) => channel === retry.channel && integration === retry.integration,
    )
    return (
      <section className={styles.verdict} data-tone="amber" aria-live="polite">
        <h2>{t.next(format.timeOfDay(retry.next_attempt_at))}</h2>
        <p>{t.by(channels[retry.channel] ?? retry.channel, delivery?.title ?? retry.provider)}</p>
        {retry.error && (
          <p>
            <CodeText text={t.lastError(retry.error, format.number(retry.attempts))} />
          </p>
        )}
      </section>
    )
  }
  if (reason === 'INCOMPLETE_PROFILE_DATA') {
    const missing = explanation.candidates.filter((candidate) => candidate.reason === reason)
    const names = [...new Set(missing.map(({ channel }) => channels[channel] ?? channel))]
    return (
      <section className={styles.verdict} data-tone={toneOf(status)} aria-live="polite">
        <h2>{statuses[status]}</h2>
        <p>{names.length > 0 ? t.noAddress(recipient, format.list(names)) : reasons[reason]}</p>
        {canOperate && hasUser(recipient) && (
          <p>
            <Link to="/users/$userId" params={{ userId: recipient }}>
              {t.editProfile}
            </Link>
          </p>
        )}
      </section>
    )
  }
  return (
    <section className={styles.verdict} data-tone={toneOf(status)} aria-live="polite">
      <h2>{statuses[status]}</h2>
      {accepted?.kind === 'accepted' && <p>{named(accepted.delivery)}</p>}
      {reason && <p>{reasons[reason] ?? reason}</p>}
      {error && (
        <p>
          <CodeText text={stop ? stepText(stop) : error} />
        </p>
      )}
      {failed.length > 0 && (
        <p className={styles.outcome}>
          {t.tried(
            failed
              .map(({ channel, title, provider }) => `${channels[channel] ?? channel} · ${title ?? provider}`)
              .join('; '),
          )}
        </p>
      )}
    </section>
  )
}

function Actions({ message: { id, status, recipient } }: { message: MessageDetail }) {
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
