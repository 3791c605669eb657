/** The count of integrations with an open breaker, on every screen: the one thing that the rail says unasked. */
import { BoltSlashIcon } from '@heroicons/react/20/solid'
import { useQuery } from '@tanstack/react-query'
import { brokenIntegrations, integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { useInterruption } from '../session/interruption.ts'
import styles from './shell.module.css'

const failingTexts = texts({
  en: { failing: (count: number) => (count === 1 ? '1 integration is failing' : `${count} integrations are failing`) },
  de: { failing: (count: number) => (count === 1 ? '1 Integration gestört' : `${count} Integrationen gestört`) },
})

const REFRESH_MS = 10_000

export function FailingIntegrations() {
  const t = useTexts(failingTexts)
  const { data = [] } = useQuery({
    ...integrationsQuery,
    // Nothing is read behind the question of an interruption.
    enabled: useInterruption() === undefined,
    // A list that could not be read is for its screen to read again: the failure would go and come.
    refetchInterval: ({ state }) => (state.data ? REFRESH_MS : false),
  })
  const count = brokenIntegrations(data).length
  if (count === 0) return null
  return (
    <span className={styles.failing} title={t.failing(count)}>
      <BoltSlashIcon aria-hidden />
      <span aria-hidden>{count}</span>
      <span className="visually-hidden"> {t.failing(count)}</span>
    </span>
  )
}
