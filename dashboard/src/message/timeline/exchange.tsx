/** The request of an attempt and its reply, without secrets. */
import type { AttemptRecord } from '@postrider/client'
import { texts, useTexts } from '../../language/language.tsx'
import { JsonView, SampleCode } from '../../parts/code/code.tsx'
import { useFormat } from '../../parts/time.tsx'
import { cutOf, replyText, requestText } from './exchange-text.ts'
import styles from './timeline.module.css'

const exchangeTexts = texts({
  en: {
    request: 'Request',
    reply: 'Reply',
    noReply: 'No reply came.',
    batch: (messages: string) => `${messages} messages shared this call. This is the part of this message.`,
    bodyLeftOut: (size: string) => `The body of ${size} characters is not kept.`,
    cut: (shown: string, all: string) => `The first ${shown} of ${all} characters.`,
    notKept: 'Requests are kept for failed attempts. This one, as it would be composed today:',
    draft: 'Request as composed today',
  },
  de: {
    request: 'Anfrage',
    reply: 'Antwort',
    noReply: 'Es kam keine Antwort.',
    batch: (messages: string) =>
      `${messages} Nachrichten teilten sich diesen Aufruf. Dies ist der Teil dieser Nachricht.`,
    bodyLeftOut: (size: string) => `Der Inhalt von ${size} Zeichen wird nicht aufbewahrt.`,
    cut: (shown: string, all: string) => `Die ersten ${shown} von ${all} Zeichen.`,
    notKept: 'Anfragen werden für fehlgeschlagene Versuche aufbewahrt. Diese, wie sie heute lauten würde:',
    draft: 'Anfrage, wie sie heute lauten würde',
  },
})

export interface ExchangeProps {
  attempt: Pick<AttemptRecord, 'request' | 'reply'>
  /** As it would be composed today, where the request was not kept. */
  draft: unknown
}

export function Exchange({ attempt: { request, reply }, draft }: ExchangeProps) {
  const t = useTexts(exchangeTexts)
  if (request)
    return (
      <div className={styles.exchange}>
        <Side title={t.request} text={requestText(request)} of={request} />
        {reply ? <Side title={t.reply} text={replyText(reply)} of={reply} /> : <p>{t.noReply}</p>}
      </div>
    )
  if (draft === undefined) return null
  return (
    <details>
      <summary>{t.draft}</summary>
      <p>{t.notKept}</p>
      <JsonView label={t.draft} value={draft} maxHeight="320px" />
    </details>
  )
}

interface SideProps {
  title: string
  text: string
  of: { body?: string | undefined; body_size?: number | undefined; messages?: number | undefined }
}

function Side({ title, text, of }: SideProps) {
  const t = useTexts(exchangeTexts)
  const format = useFormat()
  const cut = cutOf(of)
  const isLeftOut = of.body === undefined && of.body_size !== undefined && of.body_size > 0
  return (
    <section>
      <h3>{title}</h3>
      <SampleCode label={title} code={text} />
      {of.messages !== undefined && <p>{t.batch(format.number(of.messages))}</p>}
      {cut && <p>{t.cut(format.number(cut.shown), format.number(cut.all))}</p>}
      {isLeftOut && <p>{t.bodyLeftOut(format.number(of.body_size ?? 0))}</p>}
    </section>
  )
}
