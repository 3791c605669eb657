/** Attempts on an axis of time, with the next retry; the request to the provider and its reply, without secrets. */
import type { AttemptRecord, MessageExplanation } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { Channel } from '../parts/channel.tsx'
import { JsonView, SampleCode } from '../parts/code/code.tsx'
import { Tag } from '../parts/status.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { cutOf, replyText, requestText } from './exchange-text.ts'
import styles from './message.module.css'

const attemptTexts = texts({
  en: {
    none: 'No provider was called.',
    number: 'Attempt',
    started: 'Started',
    duration: 'Duration',
    outcome: 'Outcome',
    error: 'Error',
    sent: 'accepted',
    retry: 'tried again',
    rejected: 'rejected',
    in_doubt: 'in doubt',
    running: 'in progress',
    next: 'Next attempt',
    earlier: (count: string) => `${count} earlier attempts are not kept.`,
    exchange: 'Request and reply',
    request: 'Request',
    reply: 'Reply',
    noReply: 'No reply came.',
    bodyLeftOut: (size: string) => `The body of ${size} characters is not kept.`,
    cut: (shown: string, all: string) => `The first ${shown} of ${all} characters.`,
    notKept: 'Requests are kept for failed attempts. This one, as it would be composed today:',
    draft: 'Request as composed today',
    reference: 'Reference of the provider',
  },
  de: {
    none: 'Kein Anbieter wurde aufgerufen.',
    number: 'Versuch',
    started: 'Begonnen',
    duration: 'Dauer',
    outcome: 'Ergebnis',
    error: 'Fehler',
    sent: 'angenommen',
    retry: 'wird wiederholt',
    rejected: 'abgelehnt',
    in_doubt: 'ungewiss',
    running: 'läuft',
    next: 'Nächster Versuch',
    earlier: (count: string) => `${count} frühere Versuche sind nicht aufbewahrt.`,
    exchange: 'Anfrage und Antwort',
    request: 'Anfrage',
    reply: 'Antwort',
    noReply: 'Es kam keine Antwort.',
    bodyLeftOut: (size: string) => `Der Inhalt von ${size} Zeichen wird nicht aufbewahrt.`,
    cut: (shown: string, all: string) => `Die ersten ${shown} von ${all} Zeichen.`,
    notKept: 'Anfragen werden für fehlgeschlagene Versuche aufbewahrt. Diese, wie sie heute lauten würde:',
    draft: 'Anfrage, wie sie heute lauten würde',
    reference: 'Referenz des Anbieters',
  },
})

const tones = { sent: 'good', retry: 'warn', rejected: 'bad', in_doubt: 'warn' } as const

export function Attempts({ explanation: { deliveries, rendered } }: { explanation: MessageExplanation }) {
  const t = useTexts(attemptTexts)
  const format = useFormat()
  const lanes = deliveries.filter(({ attempts }) => attempts.length > 0)
  if (lanes.length === 0) return <p className={styles.outcome}>{t.none}</p>
  const times = lanes.flatMap(({ attempts, next_attempt_at }) => [
    ...attempts.flatMap(({ started, ended }) => [started, ended ?? started]),
    ...(next_attempt_at === undefined ? [] : [next_attempt_at]),
  ])
  const from = Math.min(...times)
  const length = Math.max(1, Math.max(...times) - from)
  const at = (time: number) => `${Math.min(99, ((time - from) / length) * 100)}%`
  return (
    <div className={styles.block}>
      <div className={styles.axis} aria-hidden>
        {lanes.map(({ id, channel, provider, title, attempts, next_attempt_at }) => (
          <div key={id} className={styles.lane}>
            <Channel channel={channel} detail={title ?? provider} />
            <div className={styles.track}>
              {attempts.map(({ number, started, ended, outcome }) => (
                <span
                  key={number}
                  className={styles.bar}
                  data-outcome={outcome}
                  style={{ left: at(started), width: `${(((ended ?? started) - started) / length) * 100}%` }}
                />
              ))}
              {next_attempt_at !== undefined && (
                <span className={styles.bar} data-outcome="next" style={{ left: at(next_attempt_at), width: 16 }} />
              )}
            </div>
          </div>
        ))}
        <div className={styles.scale}>
          <span>0</span>
          <span>{format.duration(length)}</span>
        </div>
      </div>
      {lanes.map((delivery) => {
        const draft = rendered.find(
          ({ channel, integration }) => channel === delivery.channel && integration === delivery.integration,
        )?.draft
        const { reference } = delivery
        return (
          <section key={delivery.id}>
            <h3>
              <Channel channel={delivery.channel} detail={delivery.title ?? delivery.provider} />
            </h3>
            <div className={styles.scroll}>
              <table className={`${styles.table} ${styles.attempts}`}>
                <thead>
                  <tr>
                    {[t.number, t.started, t.duration, t.outcome, t.error].map((title) => (
                      <th key={title}>{title}</th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {delivery.attempts.map((attempt) => (
                    <AttemptRows key={attempt.number} attempt={attempt} />
                  ))}
                  {delivery.next_attempt_at !== undefined && (
                    <tr>
                      <td />
                      <td>
                        <Time at={delivery.next_attempt_at} exact />
                      </td>
                      <td />
                      <td colSpan={2}>{t.next}</td>
                    </tr>
                  )}
                </tbody>
              </table>
            </div>
            {delivery.attempts_total > delivery.attempts.length && (
              <p className={styles.outcome}>
                {t.earlier(format.number(delivery.attempts_total - delivery.attempts.length))}
              </p>
            )}
            <div className={styles.block}>
              {reference && Object.keys(reference).length > 0 && (
                <div>
                  <h3>{t.reference}</h3>
                  <JsonView label={t.reference} value={reference} />
                </div>
              )}
              {draft && !delivery.attempts.some(({ request }) => request) && (
                <details className={styles.raw}>
                  <summary>{t.draft}</summary>
                  <p className={styles.outcome}>{t.notKept}</p>
                  <JsonView label={t.draft} value={draft} maxHeight="320px" />
                </details>
              )}
            </div>
          </section>
        )
      })}
    </div>
  )
}

/** The facts of an attempt in one row, and its request and reply below it. */
function AttemptRows({ attempt }: { attempt: AttemptRecord }) {
  const t = useTexts(attemptTexts)
  const format = useFormat()
  const { number, started, ended, outcome, error, request, reply } = attempt
  return (
    <>
      <tr data-continues={request !== undefined}>
        <td>{number}</td>
        <td>
          <Time at={started} exact />
        </td>
        <td>{ended === undefined ? '' : format.duration(ended - started)}</td>
        <td>
          <Tag tone={outcome ? tones[outcome] : 'quiet'}>{outcome ? t[outcome] : t.running}</Tag>
        </td>
        <td>{error}</td>
      </tr>
      {(request || error) && (
        <tr data-only={request ? undefined : 'narrow'}>
          <td colSpan={5}>
            {error && <p className={styles.narrow}>{error}</p>}
            {request && (
              <details className={styles.raw}>
                <summary>
                  {t.exchange} <span className="visually-hidden">{number}</span>
                </summary>
                <div className={styles.exchange}>
                  <Side title={t.request} text={requestText(request)} of={request} />
                  {reply ? (
                    <Side title={t.reply} text={replyText(reply)} of={reply} />
                  ) : (
                    <p className={styles.outcome}>{t.noReply}</p>
                  )}
                </div>
              </details>
            )}
          </td>
        </tr>
      )}
    </>
  )
}

interface SideProps {
  title: string
  text: string
  of: { body?: string | undefined; body_size?: number | undefined }
}

function Side({ title, text, of }: SideProps) {
  const t = useTexts(attemptTexts)
  const format = useFormat()
  const cut = cutOf(of)
  const isLeftOut = of.body === undefined && of.body_size !== undefined && of.body_size > 0
  return (
    <section>
      <h4>{title}</h4>
      <SampleCode label={title} code={text} />
      {cut && <p className={styles.outcome}>{t.cut(format.number(cut.shown), format.number(cut.all))}</p>}
      {isLeftOut && <p className={styles.outcome}>{t.bodyLeftOut(format.number(of.body_size ?? 0))}</p>}
    </section>
  )
}
