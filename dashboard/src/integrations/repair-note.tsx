/** Above the settings: why the integration is not called or is refused, how many messages wait for it, and what saving does. */
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { useFormat } from '../parts/time.tsx'
import { breakerReasons } from './condition.tsx'
import styles from './integrations.module.css'
import type { Repair } from './repair.ts'
import { waitingQuery } from './waiting-query.ts'

const repairTexts = texts({
  en: {
    failing: (reason: string, time: string) => `It has not worked since ${time}: ${reason}.`,
    unusable: 'It is not called: its secrets were encrypted with another secret key, and have to be entered again.',
    held: (count: string) => (count === '1' ? '1 message is held' : `${count} messages are held`),
    none: 'No message is held.',
    saving: 'Saved settings that sign in are used at once, and held messages are tried again by themselves.',
  },
  de: {
    failing: (reason: string, time: string) => `Sie geht seit ${time} nicht: ${reason}.`,
    unusable:
      'Sie wird nicht aufgerufen: Ihre Geheimnisse sind mit einem anderen Schlüssel verschlüsselt und neu einzugeben.',
    held: (count: string) => (count === '1' ? '1 Nachricht ist angehalten' : `${count} Nachrichten sind angehalten`),
    none: 'Keine Nachricht ist angehalten.',
    saving:
      'Gespeicherte Einstellungen, mit denen die Anmeldung gelingt, gelten sofort; angehaltene Nachrichten werden von selbst erneut versucht.',
  },
})

interface RepairNoteProps {
  repair: Repair
  integration: Pick<Integration, 'id' | 'provider'>
}

export function RepairNote({ repair: { reason, error, since }, integration: { id, provider } }: RepairNoteProps) {
  const t = useTexts(repairTexts)
  const reasons = useTexts(breakerReasons)
  const { number, timeOfDay } = useFormat()
  const { data: waiting } = useQuery(waitingQuery)
  const heldCount = waiting?.heldBy.get(id)?.length ?? 0
  return (
    <div className={styles.note} data-tone="bad" data-repair={reason}>
      <p>
        <strong>{reason === 'unreadable' ? t.unusable : t.failing(reasons[reason], timeOfDay(since))}</strong>
      </p>
      {error && <p>{error}</p>}
      <p>
        {heldCount > 0 ? (
          <>
            <Link to="/messages" search={{ provider: [provider], status: ['HELD'] }}>
              {t.held(`${number(heldCount)}${waiting?.hasMore.held ? '+' : ''}`)}
            </Link>
            .
          </>
        ) : (
          waiting && t.none
        )}{' '}
        {t.saving}
      </p>
    </div>
  )
}
