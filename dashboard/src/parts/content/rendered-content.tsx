/** Rendered content as its recipient sees it: mail in a frame, SMS and push on a phone, chat as a chat shows it. */
import { BellIcon } from '@heroicons/react/20/solid'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { channelNames } from '../meanings.ts'
import { MailFrame } from './mail-frame.tsx'
import styles from './rendered-content.module.css'

const renderedTexts = texts({
  en: {
    subject: 'Subject',
    noSubject: 'No subject',
    now: 'now',
    segments: (segments: string, encoding: string, characters: string) =>
      `${segments} · ${encoding} · ${characters} characters`,
    oneSegment: '1 segment',
    manySegments: (count: string) => `${count} segments`,
    bot: 'Your app',
    empty: 'Nothing was rendered for this channel.',
  },
  de: {
    subject: 'Betreff',
    noSubject: 'Ohne Betreff',
    now: 'jetzt',
    segments: (segments: string, encoding: string, characters: string) =>
      `${segments} · ${encoding} · ${characters} Zeichen`,
    oneSegment: '1 Segment',
    manySegments: (count: string) => `${count} Segmente`,
    bot: 'Ihre App',
    empty: 'Für diesen Kanal wurde nichts dargestellt.',
  },
})

export interface RenderedMessage {
  channel: string
  subject?: string | undefined
  title?: string | undefined
  body?: string | undefined
  text?: string | undefined
  html?: string | undefined
  sms?: { encoding: string; segments: number; characters: number } | undefined
}

export function RenderedContent({ message }: { message: RenderedMessage }) {
  const t = useTexts(renderedTexts)
  const names: Record<string, string> = useTexts(channelNames)
  const { channel, subject, title, body, text, html, sms } = message
  if (channel === 'email')
    return (
      <div className={styles.mail}>
        <p className={styles.subject}>
          <span>{t.subject}</span> <strong>{subject || title || t.noSubject}</strong>
        </p>
        {html ? <MailFrame html={html} /> : <pre className={styles.plain}>{text || body || t.empty}</pre>}
      </div>
    )
  if (channel === 'sms')
    return (
      <div role="group" aria-label={names.sms ?? ''}>
        <div className={styles.bubble}>{body || text || t.empty}</div>
        {sms && (
          <p className={styles.segments}>
            {t.segments(
              sms.segments === 1 ? t.oneSegment : t.manySegments(String(sms.segments)),
              sms.encoding,
              String(sms.characters),
            )}
          </p>
        )}
      </div>
    )
  if (channel === 'push')
    return (
      <div className={styles.notification} role="group" aria-label={names.push ?? ''}>
        <span className={styles.appIcon}>
          <BellIcon aria-hidden />
        </span>
        <div>
          {title && <strong>{title}</strong>}
          <p>{body || text || t.empty}</p>
        </div>
      </div>
    )
  if (channel === 'webhook') return <pre className={styles.plain}>{text || body || t.empty}</pre>
  return (
    <div className={styles.chat} role="group" aria-label={names[channel] ?? channel}>
      <span className={styles.avatar} aria-hidden />
      <div>
        <p className={styles.app}>
          <strong>{t.bot}</strong>
          <span>{t.now}</span>
        </p>
        {title && <p className={styles.chatTitle}>{title}</p>}
        <p className={styles.chatText}>{text || body || t.empty}</p>
      </div>
    </div>
  )
}

/** The plain text beside the picture, for reading and copying. */
export function PlainText({ text }: { text: string }) {
  const t = useTexts(words)
  return <pre className={styles.plain}>{text || t.none}</pre>
}
