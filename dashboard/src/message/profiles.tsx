/** The stored profile, the one of the send, and the one that was used, side by side. */
import type { HistoryEvent } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { Section } from '../parts/page.tsx'
import styles from './message.module.css'
import { flat } from './outcome.ts'

const profileTexts = texts({
  en: {
    title: 'Profile',
    merged: 'stored (with that of a tenant), with the send, and used',
    differ: (count: number) => (count === 1 ? '1 value of the send won' : `${count} values of the send won`),
    field: 'Key',
    stored: 'Stored',
    received: 'With the send',
    used: 'Used',
    ofSend: 'from the send',
    empty: 'No profile was used.',
  },
  de: {
    title: 'Profil',
    merged: 'gespeichert (mit dem eines Mandanten), im Aufruf und verwendet',
    differ: (count: number) =>
      count === 1 ? '1 Wert des Aufrufs hatte Vorrang' : `${count} Werte des Aufrufs hatten Vorrang`,
    field: 'Schlüssel',
    stored: 'Gespeichert',
    received: 'Im Aufruf',
    used: 'Verwendet',
    ofSend: 'aus dem Aufruf',
    empty: 'Es wurde kein Profil verwendet.',
  },
})

export function Profiles({ events }: { events: readonly HistoryEvent[] }) {
  const t = useTexts(profileTexts)
  const merged = events.findLast((event) => event.type === 'PROFILE_LOADED')
  const accepted = events.find((event) => event.type === 'ENQUEUED')
  const storedValues = flat(merged?.stored_profile ?? {})
  const receivedValues = flat(merged?.received_profile ?? accepted?.profile ?? {})
  const usedValues = flat(merged?.merged_profile ?? {})
  const paths = [...new Set([...usedValues.keys(), ...receivedValues.keys(), ...storedValues.keys()])].filter(
    (path) => path !== '',
  )
  const rows = paths.map((path) => {
    const values = {
      path,
      stored: storedValues.get(path),
      received: receivedValues.get(path),
      used: usedValues.get(path),
    }
    const isOfSend = values.used !== undefined && values.used === values.received
    return { ...values, isOfSend, hasWon: isOfSend && !['', values.used].includes(values.stored ?? '') }
  })
  const won = rows.filter(({ hasWon }) => hasWon).length
  return (
    <Section title={t.title} id="profile" description={won > 0 ? t.differ(won) : t.merged}>
      {rows.length === 0 ? (
        <p className={styles.quiet}>{t.empty}</p>
      ) : (
        <div className={styles.scroll}>
          <table className={`${styles.table} ${styles.profile}`}>
            <thead>
              <tr>
                {[t.field, t.stored, t.received, t.used].map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.path} data-won={row.hasWon}>
                  <td>
                    <code>{row.path}</code>
                  </td>
                  <td data-name={t.stored}>{row.hasWon ? <del>{row.stored}</del> : (row.stored ?? '–')}</td>
                  <td data-name={t.received}>{row.received ?? '–'}</td>
                  <td data-name={t.used}>
                    <b>{row.used ?? '–'}</b>
                    {row.isOfSend && <small>{t.ofSend}</small>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  )
}
