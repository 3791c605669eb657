/** The events and schedules of an automation, in a few words. */

import { texts, useTexts } from '../language/language.tsx'
import styles from './automations.module.css'
import type { Trigger } from './draft.ts'

const triggerTexts = texts({
  en: { event: 'event', schedule: 'schedule', calls: 'by calls only' },
  de: { event: 'Ereignis', schedule: 'Zeitplan', calls: 'nur durch Aufrufe' },
})

export function Triggers({ triggers }: { triggers: readonly Trigger[] | undefined }) {
  const t = useTexts(triggerTexts)
  if (!triggers || triggers.length === 0) return <span className={styles.dim}>{t.calls}</span>
  return (
    <span className={styles.triggers}>
      {triggers.map((trigger) => {
        const text = trigger.type === 'event' ? trigger.event : `${trigger.cron} ${trigger.timezone}`
        return (
          <span key={`${trigger.type} ${text}`} className={styles.trigger}>
            {trigger.type === 'event' ? t.event : t.schedule} <code>{text}</code>
          </span>
        )
      })}
    </span>
  )
}
