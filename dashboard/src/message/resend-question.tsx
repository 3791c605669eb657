/** The question before a resend: what would happen to it now, which is read while the question is shown. */
import type { MessageDetail } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { ForecastSentence } from '../decisions/sentence.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { Loading, messageOf } from '../parts/states.tsx'
import styles from './message.module.css'
import { explanationOfNow } from './message-query.ts'
import { isStopped, recipientOf } from './outcome.ts'

const questionTexts = texts({
  en: {
    text: 'A new message with the same inputs, decided with the templates, profile and preferences of now.',
    unknown: 'It is not known where it would go:',
    final: 'That cannot be undone.',
    resend: 'Resend message',
    resendAnyway: 'Resend message anyway',
  },
  de: {
    text: 'Eine neue Nachricht mit denselben Eingaben, entschieden mit den jetzigen Vorlagen, Profilen und Einstellungen.',
    unknown: 'Wohin sie ginge, ist nicht bekannt:',
    final: 'Das lässt sich nicht zurücknehmen.',
    resend: 'Nachricht erneut senden',
    resendAnyway: 'Nachricht trotzdem erneut senden',
  },
})

/** Never waits for its forecast: a resend is possible without one. */
export function ResendText({ message }: { message: MessageDetail }) {
  const t = useTexts(questionTexts)
  const { data, error } = useQuery(explanationOfNow(message.id))
  return (
    <div className={styles.question}>
      {data ? (
        <ForecastSentence level="p" explanation={data} to={recipientOf(message, data)} />
      ) : error ? (
        <p>
          {t.unknown} {messageOf(error)}
        </p>
      ) : (
        <Loading rows={1} />
      )}
      <p className={styles.quiet}>
        {t.text} {t.final}
      </p>
    </div>
  )
}

export function ResendAction({ id }: Pick<MessageDetail, 'id'>) {
  const t = useTexts(questionTexts)
  const { data } = useQuery(explanationOfNow(id))
  return data && isStopped(data) ? t.resendAnyway : t.resend
}
