/** Sends `welcome` into the mailbox and shows it arriving, stage by stage. */
import { CheckIcon } from '@heroicons/react/16/solid'
import { Button } from '@mantine/core'
import type { HistoryEvent, MessageSendBody, SendBody } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { useAction } from '../parts/confirm.tsx'
import { PlainText, RenderedContent } from '../parts/content/rendered-content.tsx'
import { Card } from '../parts/page.tsx'
import { Failed } from '../parts/states.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { stageNames, stagesOf } from './stages.ts'
import styles from './start.module.css'

const welcomeTexts = texts({
  en: {
    title: 'Send your first message',
    another: 'Send a test message',
    text: 'It goes to the mailbox of this server, not to a real person. You see it being accepted, decided, rendered, sent and delivered.',
    send: 'Send welcome message',
    again: 'Send another',
    accepted: 'Accepted',
    decided: 'Decided: channel and provider chosen',
    rendered: 'Rendered',
    sent: 'Sent',
    delivered: 'Delivered',
    stages: 'The way of the message',
    done: (duration: string) => `Delivered in ${duration}`,
    why: 'Why it went this way',
    mailbox: 'See it in the mailbox',
    slow: 'It is not delivered yet.',
    open: 'Read why',
  },
  de: {
    title: 'Die erste Nachricht senden',
    another: 'Eine Testnachricht senden',
    text: 'Sie geht in das Postfach dieses Servers, nicht an einen echten Menschen. Sie sehen, wie sie angenommen, entschieden, dargestellt, gesendet und zugestellt wird.',
    send: 'Willkommensnachricht senden',
    again: 'Noch eine senden',
    accepted: 'Angenommen',
    decided: 'Entschieden: Kanal und Anbieter gewählt',
    rendered: 'Dargestellt',
    sent: 'Gesendet',
    delivered: 'Zugestellt',
    stages: 'Der Weg der Nachricht',
    done: (duration: string) => `Zugestellt in ${duration}`,
    why: 'Warum auf diesem Weg',
    mailbox: 'Im Postfach ansehen',
    slow: 'Sie ist noch nicht zugestellt.',
    open: 'Warum, steht hier',
  },
})

const POLL_MS = 300
/** A message into the mailbox takes a fraction of a second; past it, its page says why not. */
const WAIT_MS = 30_000

const recipient = 'first-message'
const profile = { email: 'ada@example.com' }
const data = { name: 'Ada' }
const inline = { title: 'Welcome, {name}', body: 'This message was decided, rendered and delivered by Postrider.' }

/** A body that reaches the mailbox and no real person, whatever integrations there are. */
async function mailboxSend(): Promise<SendBody | MessageSendBody> {
  const to = { user_id: recipient, ...profile }
  const event = { event: 'welcome', recipient, profile, data }
  const { decision, candidates } = await api.explain(event)
  const first = candidates.find(({ selected }) => selected)
  if (decision.status === 'ROUTED' && candidates.every(({ selected, provider }) => !selected || provider === 'mailbox'))
    if (first) return event
  // Email has a real integration: the inbox has none, so that nothing leaves the server.
  return { message: { to, data, content: inline, routing: { method: 'single', channels: ['inbox'] } } }
}

/** Folded, it shows its stages once a message is sent. */
export function SendWelcome({ isFirst, isFolded = false }: { isFirst: boolean; isFolded?: boolean }) {
  const t = useTexts(welcomeTexts)
  const [message, setMessage] = useState<SentMessage>()
  const send = useAction({
    act: async () => {
      const reply = await api.send(await mailboxSend())
      return 'messageId' in reply ? reply.messageId : reply.requestId
    },
    changes: [['start'], ['mailbox'], ['messages']],
    after: (id) => setMessage({ id, at: Date.now() }),
  })
  return (
    <Card>
      <div className={styles.send} data-folded={isFolded && !message}>
        <div className={styles.lead}>
          <h2>{isFirst ? t.title : t.another}</h2>
          <p className={styles.dim}>{t.text}</p>
          <Button loading={send.isPending} onClick={() => send.mutate()}>
            {message ? t.again : t.send}
          </Button>
        </div>
        {(!isFolded || message) && <Arrival key={message?.id} message={message} />}
      </div>
    </Card>
  )
}

interface SentMessage {
  id: string
  at: number
}

function Arrival({ message }: { message: SentMessage | undefined }) {
  const t = useTexts(welcomeTexts)
  const format = useFormat()
  const id = message?.id ?? ''
  const history = useQuery({
    queryKey: ['start', 'history', id],
    enabled: id !== '',
    queryFn: async ({ signal }) => (await api.messages.history(id, {}, { signal })).results,
    refetchInterval: ({ state }) =>
      isDelivered(state.data) || Date.now() - (message?.at ?? 0) > WAIT_MS ? false : POLL_MS,
    staleTime: 0,
  })
  const events = history.data ?? []
  const hasArrived = isDelivered(events)
  const stages = stagesOf(events)
  const start = stages.accepted ?? 0
  return (
    <>
      <ol className={styles.stages} aria-label={t.stages} aria-live="polite">
        {stageNames.map((name) => {
          const at = stages[name]
          return (
            <li key={name} data-reached={at !== undefined}>
              <span className={styles.mark}>{at !== undefined && <CheckIcon aria-hidden />}</span>
              {t[name]}
              {at !== undefined && (
                <span className={styles.dim}>
                  {name === 'accepted' ? <Time at={at} exact /> : `+${format.duration(at - start)}`}
                </span>
              )}
            </li>
          )
        })}
      </ol>
      <div className={styles.received}>
        {history.isError && <Failed error={history.error} retry={history.refetch} />}
        {hasArrived && <Received id={id} took={(stages.delivered ?? start) - start} />}
        {message && !hasArrived && Date.now() - message.at > WAIT_MS && (
          <p className={styles.arrived}>
            {t.slow} <MessageLink id={id}>{t.open}</MessageLink>
          </p>
        )}
      </div>
    </>
  )
}

const MessageLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/messages/$messageId" params={{ messageId: id }}>
    {children}
  </Link>
)

const isDelivered = (events: readonly HistoryEvent[] | undefined) =>
  events?.some(({ type }) => type === 'DELIVERED') ?? false

function Received({ id, took }: { id: string; took: number }) {
  const t = useTexts(welcomeTexts)
  const format = useFormat()
  const { data: item } = useQuery({
    queryKey: ['start', 'received', id],
    queryFn: async ({ signal }) =>
      (await api.mailbox.list({ message_id: id, limit: 1 }, { signal })).results[0] ?? null,
  })
  const content = (item?.content ?? {}) as { subject?: string; title?: string; html?: string; text?: string }
  return (
    <>
      <div className={styles.arrived}>
        <strong>{t.done(format.duration(took))}</strong>
        <MessageLink id={id}>{t.why}</MessageLink>
        {item && (
          <Link to="/mailbox/$itemId" params={{ itemId: item.id }}>
            {t.mailbox}
          </Link>
        )}
      </div>
      {item &&
        (item.channel === 'email' ? (
          <RenderedContent message={{ channel: item.channel, ...content }} />
        ) : (
          <PlainText text={content.text ?? ''} />
        ))}
    </>
  )
}
