/** The messages that an outage of an integration cost, on its page: also after the repair, which does not send these messages. */
import type { Integration, ProviderHealth } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { usePermissions } from '../session/session.tsx'
import styles from './integrations.module.css'
import { lostSearch, outageOf } from './lost-messages.ts'
import { useLostMessages } from './lost-query.ts'

const lostTexts = texts({
  en: {
    failed: (count: string) =>
      count === '1' ? '1 message failed while it did not work' : `${count} messages failed while it did not work`,
    since: 'since',
    hint: 'A repair does not send them.',
    replay: 'See and replay them',
    see: 'See them',
  },
  de: {
    failed: (count: string) =>
      count === '1'
        ? '1 Nachricht ist während des Ausfalls gescheitert'
        : `${count} Nachrichten sind während des Ausfalls gescheitert`,
    since: 'seit',
    hint: 'Eine Reparatur versendet sie nicht.',
    replay: 'Ansehen und wiederholen',
    see: 'Ansehen',
  },
})

export function LostNote({ integration, health }: { integration: Integration; health: ProviderHealth }) {
  const t = useTexts(lostTexts)
  const { number, timeOfDay } = useFormat()
  const { canOperate } = usePermissions()
  const outage = outageOf(health, health.buckets)
  // The times of calls are known to minutes only; that of the breaker is exact.
  const since = health.circuit_breaker.since
  const lost = useLostMessages(integration, outage)
  if (!lost || !outage) return null
  return (
    <div className={styles.note} data-tone="warn" role="status" data-lost={lost.count}>
      <p>
        <strong>
          {t.failed(lost.hasMore ? `${number(lost.count)}+` : number(lost.count))}
          {since !== undefined && (
            <>
              , {t.since} <Time at={since}>{timeOfDay(since)}</Time>
            </>
          )}
          .
        </strong>{' '}
        {t.hint}{' '}
        <Link to="/messages" search={lostSearch(integration.provider, outage)}>
          {canOperate ? t.replay : t.see}
        </Link>
      </p>
    </div>
  )
}
