/** The first message on its way: five stations with their times, and what its recipient got. */
import { ArrowPathIcon, CheckIcon } from '@heroicons/react/16/solid'
import { PaperAirplaneIcon } from '@heroicons/react/24/outline'
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Recipient } from '../names/recipient.tsx'
import { MailGlance } from '../parts/content/mail-frame.tsx'
import { PlainText } from '../parts/content/rendered-content.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { channelNames } from '../parts/meanings.ts'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { deliveryOf, type FirstMessage, isOnItsWay, type useFirstMessage } from './first-message.ts'
import { useLitStations } from './lit-stations.ts'
import type { Stage, Station } from './stages.ts'
import styles from './start.module.css'

const panelTexts = texts({
  en: {
    title: 'The first message',
    none: 'Nothing was sent yet',
    trial: 'A message into the mailbox',
    trialText: 'to no person: it shows that this server accepts, decides, renders and delivers.',
    to: 'Welcome to',
    send: 'Send welcome to Ada',
    again: 'Send welcome to Ada again',
    sending: 'Sending…',
    stations: 'The way of the message',
    accepted: 'Accepted',
    decided: 'Decided',
    rendered: 'Rendered',
    sent: 'Sent',
    delivered: 'Delivered',
    reached: 'reached',
    next: 'in progress',
    notYet: 'not yet',
    onDisk: 'on disk',
    chosen: (channel: string, count: string) => `${channel}, of ${count} channels`,
    by: (integration: string) => `by ${integration}`,
    after: (duration: string) => `after ${duration}`,
    plain: 'text',
    why: 'Why this way?',
    letter: 'Its mail appears here.',
    got: 'Ada got this',
    open: 'Open the mail',
    openOther: 'Open in the mailbox',
  },
  de: {
    title: 'Die erste Nachricht',
    none: 'Noch wurde nichts gesendet',
    trial: 'Eine Nachricht ins Postfach',
    trialText: 'an keinen Menschen: sie zeigt, dass dieser Server annimmt, entscheidet, darstellt und zustellt.',
    to: 'Welcome an',
    send: 'Welcome an Ada senden',
    again: 'Welcome noch einmal an Ada senden',
    sending: 'Wird gesendet …',
    stations: 'Der Weg der Nachricht',
    accepted: 'Angenommen',
    decided: 'Entschieden',
    rendered: 'Dargestellt',
    sent: 'Gesendet',
    delivered: 'Zugestellt',
    reached: 'erreicht',
    next: 'im Gange',
    notYet: 'noch nicht',
    onDisk: 'auf der Platte',
    chosen: (channel: string, count: string) => `${channel}, von ${count} Kanälen`,
    by: (integration: string) => `über ${integration}`,
    after: (duration: string) => `nach ${duration}`,
    plain: 'Text',
    why: 'Warum auf diesem Weg?',
    letter: 'Hier erscheint ihre Mail.',
    got: 'Das bekam Ada',
    open: 'Mail öffnen',
    openOther: 'Im Postfach öffnen',
  },
})

interface FirstMessagePanelProps extends ReturnType<typeof useFirstMessage> {
  /** Otherwise there are other messages, and the stations are shown once there is one of this. */
  isNothingSent: boolean
}

export function FirstMessagePanel({
  isNothingSent,
  first,
  isAnother,
  error,
  retry,
  isRead,
  isSending,
  send,
}: FirstMessagePanelProps) {
  const t = useTexts(panelTexts)
  const label = first ? t.again : t.send
  const stations = useLitStations(first)
  // Also between the send and the first reply about its message.
  const hasStations = isNothingSent || first !== undefined || !isRead
  const canSend = isRead && !isSending && !isAnother
  useShortcuts(canSend ? [{ keys: 'Enter', label, act: send }] : [])
  return (
    <section className={styles.first} aria-label={t.title}>
      <div className={styles.way}>
        <div className={styles.row}>
          {first ? (
            <>
              <b>
                {t.to} <Recipient id={first.message.recipient} />
              </b>
              <MessageStatusTag status={first.message.status} reason={first.message.reason} />
              <span className={styles.dim}>
                <Time at={first.message.enqueued} />
              </span>
            </>
          ) : (
            isRead && (
              <>
                <b>{isNothingSent ? t.none : t.trial}</b>{' '}
                {!isNothingSent && <span className={styles.dim}>{t.trialText}</span>}
              </>
            )
          )}
        </div>
        {error && <Failed error={error} retry={retry} />}
        {hasStations ? <Stations first={first} stations={stations} /> : <div className={styles.gap} />}
        <div className={styles.row}>
          <Button
            disabled={!canSend}
            leftSection={<PaperAirplaneIcon className={styles.icon} aria-hidden />}
            rightSection={canSend && <kbd aria-hidden>↵</kbd>}
            onClick={send}
          >
            {isSending ? t.sending : label}
          </Button>
          {first && (
            <LinkButton to="/messages/$messageId" params={{ messageId: first.message.id }}>
              {t.why}
            </LinkButton>
          )}
        </div>
      </div>
      {(first ? isForMailbox(first) : hasStations) && <Letter first={first} />}
    </section>
  )
}

/** Nothing is known of it yet, or the mailbox has it. */
const isForMailbox = (first: FirstMessage) => isOnItsWay(first) || deliveryOf(first)?.provider === 'mailbox'

function Stations({ first, stations }: { first: FirstMessage | undefined; stations: readonly Station[] }) {
  const t = useTexts(panelTexts)
  const format = useFormat()
  const details = useDetails(first)
  return (
    <ol className={styles.stations} aria-label={t.stations} aria-live="polite">
      {stations.map(({ stage, at, toNext, isNext }) => (
        <li key={stage} data-is={at !== undefined ? 'reached' : isNext ? 'next' : 'open'}>
          <span className={styles.stop}>
            {at !== undefined ? <CheckIcon aria-hidden /> : isNext && <ArrowPathIcon aria-hidden />}
          </span>
          <b>{t[stage]}</b>
          <span className="visually-hidden">{at !== undefined ? t.reached : isNext ? t.next : t.notYet}</span>
          {at !== undefined && (
            <span className={styles.detail} title={new Date(at).toISOString()}>
              {details[stage]}
            </span>
          )}
          {toNext !== undefined && (
            <span className={styles.between}>
              <span>{format.duration(toNext)}</span>
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

/** The finding of each station, in a few words. */
function useDetails(first: FirstMessage | undefined): Partial<Record<Stage, string>> {
  const t = useTexts(panelTexts)
  const channels: Record<string, string> = useTexts(channelNames)
  const { number, duration, list } = useFormat()
  if (!first) return {}
  const { message, history, explanation } = first
  const delivery = deliveryOf(first)
  const channel = delivery?.channel ?? explanation.candidates.find(({ selected }) => selected)?.channel
  const count = new Set(explanation.candidates.map(({ channel }) => channel)).size
  const rendered = history.find((event) => event.type === 'RENDERED' && event.channel.id === channel)
  const output = rendered?.type === 'RENDERED' ? rendered.output : undefined
  const name = channel === undefined ? undefined : (channels[channel] ?? channel)
  return {
    accepted: t.onDisk,
    ...(name !== undefined && { decided: count > 1 ? t.chosen(name, number(count)) : name }),
    ...(output && { rendered: list([output.html ? 'HTML' : '', t.plain].filter(Boolean)) }),
    ...(delivery && { sent: t.by(delivery.title ?? delivery.provider) }),
    ...(message.delivered !== undefined && { delivered: t.after(duration(message.delivered - message.enqueued)) }),
  }
}

/** A message that the mailbox took, as its recipient got it. Its place is there before it. */
function Letter({ first }: { first: FirstMessage | undefined }) {
  const t = useTexts(panelTexts)
  const { id, status } = first?.message ?? {}
  const delivery = first && deliveryOf(first)
  const { data: item } = useQuery({
    queryKey: ['start', 'item', id, status],
    enabled: id !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await api.mailbox.list({ message_id: id ?? '', limit: 1 }, { signal })).results[0] ?? null,
  })
  const rendered = first?.explanation.rendered.find(
    ({ channel, integration }) => item?.channel === channel && delivery?.integration === integration,
  )
  if (!item || !rendered)
    return (
      <div className={styles.letter} data-is={first ? 'coming' : 'none'}>
        {!first && <p className={styles.hint}>{t.letter}</p>}
      </div>
    )
  const { html, title, subject, text, body } = rendered.content
  return (
    <div className={styles.letter}>
      <div className={styles.row}>
        <b>{t.got}</b>
        <Link to="/mailbox/$itemId" params={{ itemId: item.id }}>
          {item.channel === 'email' ? t.open : t.openOther}
        </Link>
      </div>
      {(subject || title) && <p className={styles.subject}>{subject || title}</p>}
      {html ? <MailGlance html={html} /> : <PlainText text={text || body || ''} />}
    </div>
  )
}
