/** The profile of the send, the stored one, and the one that was used, side by side. */
import type { HistoryEvent } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { JsonView } from '../parts/code/code.tsx'
import styles from './message.module.css'
import { flat } from './outcome.ts'

const profileTexts = texts({
  en: {
    field: 'Field',
    received: 'In the send',
    stored: 'Stored',
    merged: 'Used',
    empty: 'No profile was used.',
    data: 'Data of the send',
    override: 'Override of the send',
  },
  de: {
    field: 'Feld',
    received: 'Im Aufruf',
    stored: 'Gespeichert',
    merged: 'Verwendet',
    empty: 'Es wurde kein Profil verwendet.',
    data: 'Daten des Aufrufs',
    override: 'Überschreibungen des Aufrufs',
  },
})

export function Profiles({ events }: { events: readonly HistoryEvent[] }) {
  const t = useTexts(profileTexts)
  const profileEvent = events.find((event) => event.type === 'PROFILE_LOADED')
  const sendEvent = events.find((event) => event.type === 'ENQUEUED')
  const receivedValues = flat(profileEvent?.received_profile ?? sendEvent?.profile ?? {})
  const storedValues = flat(profileEvent?.stored_profile ?? {})
  const mergedValues = flat(profileEvent?.merged_profile ?? {})
  const paths = [...new Set([...mergedValues.keys(), ...receivedValues.keys(), ...storedValues.keys()])].filter(
    (path) => path !== '',
  )
  return (
    <div className={styles.block}>
      {paths.length === 0 ? (
        <p className={styles.outcome}>{t.empty}</p>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                {[t.field, t.received, t.stored, t.merged].map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {paths.map((path) => {
                const usedValue = mergedValues.get(path)
                const isReceived = receivedValues.get(path) === usedValue && usedValue !== undefined
                return (
                  <tr key={path}>
                    <td>
                      <code>{path}</code>
                    </td>
                    <td data-used={isReceived}>{receivedValues.get(path)}</td>
                    <td data-used={!isReceived && storedValues.get(path) === usedValue}>{storedValues.get(path)}</td>
                    <td>{usedValue}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      {sendEvent && Object.keys(sendEvent.data).length > 0 && (
        <div>
          <h3>{t.data}</h3>
          <JsonView label={t.data} value={sendEvent.data} maxHeight="320px" />
        </div>
      )}
      {sendEvent && Object.keys(sendEvent.override).length > 0 && (
        <div>
          <h3>{t.override}</h3>
          <JsonView label={t.override} value={sendEvent.override} maxHeight="320px" />
        </div>
      )}
    </div>
  )
}
