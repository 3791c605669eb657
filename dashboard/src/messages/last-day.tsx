/** The last day in a sentence, whose figures lead to the messages behind them. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { type MessagesSearch, statusGroups } from './search.ts'

const dayTexts = texts({
  en: {
    failed: (failed: string, all: string) => `${failed} of ${all} messages`,
    failedWhen: (_count: number) => 'failed in the last 24 hours.',
    none: 'No message failed in the last 24 hours.',
    quiet: 'No message ended in the last 24 hours.',
    held: (count: number, shown: string) => (count === 1 ? '1 is held.' : `${shown} are held.`),
    waiting: (count: number, shown: string) => (count === 1 ? '1 waits.' : `${shown} wait.`),
  },
  de: {
    failed: (failed: string, all: string) => `${failed} von ${all} Nachrichten`,
    failedWhen: (count: number) => `${count === 1 ? 'schlug' : 'schlugen'} in den letzten 24 Stunden fehl.`,
    none: 'In den letzten 24 Stunden schlug keine Nachricht fehl.',
    quiet: 'In den letzten 24 Stunden endete keine Nachricht.',
    held: (count: number, shown: string) => (count === 1 ? '1 ist angehalten.' : `${shown} sind angehalten.`),
    waiting: (count: number, shown: string) => (count === 1 ? '1 wartet.' : `${shown} warten.`),
  },
})

const REFRESH_MS = 10_000
const failures: ReadonlySet<string> = new Set(statusGroups.failed)

export function LastDay(): ReactNode {
  const t = useTexts(dayTexts)
  const { number } = useFormat()
  const { data } = useQuery({
    queryKey: ['messages', 'last-day'],
    queryFn: ({ signal }) => api.metrics.summary({ window: '24h' }, { signal }),
    refetchInterval: REFRESH_MS,
  })
  if (!data) return null
  const failed = data.statuses.reduce((sum, { status, count }) => (failures.has(status) ? sum + count : sum), 0)
  const waiting = data.waiting - data.held
  return (
    <>
      <strong>
        {failed > 0 ? (
          <>
            <Figure search={{ last: '24h', status: [...statusGroups.failed] }}>
              {t.failed(number(failed), number(data.finished))}
            </Figure>{' '}
            {t.failedWhen(failed)}
          </>
        ) : data.finished > 0 ? (
          t.none
        ) : (
          t.quiet
        )}
      </strong>{' '}
      {data.held > 0 && <Figure search={{ status: ['HELD'] }}>{t.held(data.held, number(data.held))}</Figure>}{' '}
      {waiting > 0 && (
        <Figure search={{ status: statusGroups.waiting.filter((status) => status !== 'HELD') }}>
          {t.waiting(waiting, number(waiting))}
        </Figure>
      )}
    </>
  )
}

const Figure = ({ search, children }: { search: MessagesSearch; children: ReactNode }) => (
  <Link to="/messages" search={search}>
    {children}
  </Link>
)
