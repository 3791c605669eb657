/** How the message would be decided now, and how that differs from the decision that was made. */
import type { MessageExplanation } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../language/language.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import styles from './message.module.css'
import { explanationOfNow } from './message-query.ts'
import { changes } from './outcome.ts'

const nowTexts = texts({
  en: {
    same: 'A resend would be decided as this message was.',
    hint: 'The same inputs with the templates, profiles, preferences and integrations of now.',
    subject: 'Changed',
    before: 'Then',
    now: 'Now',
    decision: 'Result',
    template: 'Version of the template',
    candidate: 'Place in the order',
    content: 'Content',
    profile: 'Profile',
    absent: 'absent',
  },
  de: {
    same: 'Erneutes Senden würde entschieden wie diese Nachricht.',
    hint: 'Dieselben Eingaben mit den jetzigen Vorlagen, Profilen, Einstellungen und Integrationen.',
    subject: 'Geändert',
    before: 'Damals',
    now: 'Jetzt',
    decision: 'Ergebnis',
    template: 'Version der Vorlage',
    candidate: 'Platz in der Reihenfolge',
    content: 'Inhalt',
    profile: 'Profil',
    absent: 'fehlt',
  },
})

export function AsOfNow({ id, before }: { id: string; before: MessageExplanation }) {
  const t = useTexts(nowTexts)
  const { data, error, refetch } = useQuery(explanationOfNow(id))
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading rows={4} />
  const differences = changes(before, data)
  return (
    <div className={styles.block}>
      <p className={styles.quiet}>{t.hint}</p>
      {differences.length === 0 ? (
        <p>{t.same}</p>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                {[t.subject, t.before, t.now].map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {differences.map(({ what, of, before: then, after }) => (
                <tr key={`${what} ${of}`}>
                  <td>
                    {t[what]}
                    {of && <div className={styles.quiet}>{of}</div>}
                  </td>
                  <td className={styles.before}>{then || t.absent}</td>
                  <td className={styles.after}>{after || t.absent}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}
