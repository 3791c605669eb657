/** Integrations that are not called, and the messages that wait for them: the first thing to know. */
import { XCircleIcon } from '@heroicons/react/20/solid'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { brokenIntegrations, integrationsQuery, waitingMessages } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Time } from '../parts/time.tsx'
import styles from './start.module.css'

const outageTexts = texts({
  en: {
    open: 'Nothing is sent through',
    probing: 'The next message tries it again:',
    since: 'stopped',
    waiting: 'See which messages wait',
  },
  de: {
    open: 'Nichts wird versendet über',
    probing: 'Die nächste Nachricht erprobt wieder:',
    since: 'gestoppt',
    waiting: 'Welche Nachrichten warten?',
  },
})

export function Outages() {
  const t = useTexts(outageTexts)
  // The rail reads them again and again.
  const { data = [] } = useQuery(integrationsQuery)
  const broken = brokenIntegrations(data)
  if (broken.length === 0) return null
  const isOpen = broken.some(({ circuit_breaker }) => circuit_breaker?.state === 'open')
  return (
    <div className={styles.outages} data-tone={isOpen ? 'bad' : 'warn'} role="status">
      <ul>
        {broken.map(({ id, title, circuit_breaker }) => (
          <li key={id}>
            <XCircleIcon aria-hidden />
            <div>
              <b>
                {circuit_breaker?.state === 'open' ? t.open : t.probing}{' '}
                <Link to="/integrations/$id" params={{ id }}>
                  {title}
                </Link>
              </b>
              {circuit_breaker?.since !== undefined && (
                <span className={styles.dim}>
                  {' '}
                  · {t.since} <Time at={circuit_breaker.since} />
                </span>
              )}
              {circuit_breaker?.error && <p>{circuit_breaker.error}</p>}
            </div>
          </li>
        ))}
      </ul>
      <Link to="/messages" search={waitingMessages(...broken.map(({ provider }) => provider))}>
        {t.waiting}
      </Link>
    </div>
  )
}
