/** Says that the network or the server fails, and whether data of the last answer is shown. */
import { Button } from '@mantine/core'
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { isServerFailure, retryAfterOf } from '../session/api.ts'
import styles from './connection-bar.module.css'

const barTexts = texts({
  en: {
    offline: 'No network. What you see is as of the last answer.',
    repeating: 'The server does not answer as it should. It is tried again; what you see is as of the last answer.',
    failed:
      'The server did not answer as it should. It is tried again every few seconds; what you see is as of the last answer.',
    unread: 'The server does not answer as it should. It is tried again; what is missing here follows its answer.',
  },
  de: {
    offline: 'Kein Netz. Gezeigt wird der Stand der letzten Antwort.',
    repeating:
      'Der Server antwortet nicht richtig. Es wird erneut versucht; gezeigt wird der Stand der letzten Antwort.',
    failed:
      'Der Server hat nicht richtig geantwortet. Alle paar Sekunden wird es erneut versucht; gezeigt wird der Stand der letzten Antwort.',
    unread: 'Der Server antwortet nicht richtig. Es wird erneut versucht; was hier fehlt, folgt mit seiner Antwort.',
  },
})

/** Queries that the bar reads again: their failures do not count as over before the reply. */
const repeated = new Set<string>()

const isFailing = (query: Query) =>
  query.isActive() &&
  (repeated.has(query.queryHash) ||
    (query.state.fetchFailureCount > 0 && isServerFailure(query.state.fetchFailureReason)))

/** The server may have said when to come back. */
const isDue = ({ queryHash, state: { fetchStatus, error, errorUpdatedAt } }: Query) =>
  fetchStatus === 'idle' && !repeated.has(queryHash) && Date.now() >= errorUpdatedAt + (retryAfterOf(error) ?? 0)

async function repeat(queries: QueryClient, predicate: (query: Query) => boolean): Promise<void> {
  const due = queries.getQueryCache().findAll({ predicate })
  for (const { queryHash } of due) repeated.add(queryHash)
  await Promise.allSettled(due.map((query) => query.fetch().finally(() => repeated.delete(query.queryHash))))
}

/** Screens without a refresh of their own come back by it. */
const REPEAT_MS = 5_000

/** `unread`: a part of the page has had no answer yet. */
type Condition = 'offline' | 'repeating' | 'failed' | 'unread'

export function ConnectionBar() {
  const t = useTexts(barTexts)
  const shared = useTexts(words)
  const queries = useQueryClient()
  const condition = useSyncExternalStore(
    (reader) => {
      addEventListener('online', reader)
      addEventListener('offline', reader)
      const stop = queries.getQueryCache().subscribe(reader)
      return () => {
        removeEventListener('online', reader)
        removeEventListener('offline', reader)
        stop()
      }
    },
    (): Condition | undefined => {
      if (!navigator.onLine) return 'offline'
      const failing = queries.getQueryCache().findAll({ predicate: isFailing })
      if (failing.length === 0) return undefined
      if (failing.some(({ state }) => state.data === undefined)) return 'unread'
      const isRepeating = ({ queryHash, state }: Query) => state.fetchStatus === 'fetching' && !repeated.has(queryHash)
      return failing.some(isRepeating) ? 'repeating' : 'failed'
    },
  )
  const isShown = condition !== undefined
  useEffect(() => {
    if (!isShown) return
    const timer = setInterval(() => {
      if (!document.hidden) void repeat(queries, (query) => isFailing(query) && isDue(query))
    }, REPEAT_MS)
    return () => clearInterval(timer)
  }, [isShown, queries])
  if (!condition) return null
  return (
    <div className={styles.bar} role="status">
      {t[condition]}
      {(condition === 'failed' || condition === 'unread') && (
        <Button size="compact-sm" variant="default" onClick={() => void repeat(queries, isFailing)}>
          {shared.retry}
        </Button>
      )}
    </div>
  )
}
