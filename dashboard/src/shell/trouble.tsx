/** The count of open breakers, on every screen: the one thing that the rail says unasked. */
import { BoltSlashIcon } from '@heroicons/react/20/solid'
import { useQuery } from '@tanstack/react-query'
import { brokenIntegrations, integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import styles from './shell.module.css'

const troubleTexts = texts({
  en: { open: (count: number) => (count === 1 ? '1 circuit breaker open' : `${count} circuit breakers open`) },
  de: { open: (count: number) => (count === 1 ? '1 Schutzschalter offen' : `${count} Schutzschalter offen`) },
})

const REFRESH_MS = 10_000

export function Trouble() {
  const t = useTexts(troubleTexts)
  const { data = [] } = useQuery({ ...integrationsQuery, refetchInterval: REFRESH_MS })
  const count = brokenIntegrations(data).length
  if (count === 0) return null
  return (
    <span className={styles.trouble} title={t.open(count)}>
      <BoltSlashIcon aria-hidden />
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">{t.open(count)}</span>
    </span>
  )
}
