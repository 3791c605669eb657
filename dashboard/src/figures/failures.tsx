/** Failed, held and waiting messages in a sentence whose figures lead to the messages behind them. */
import type { MetricsSummary } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { failures, statusGroups } from '../parts/status-groups.ts'
import { useFormat } from '../parts/time.tsx'
import { endedAs } from './figures.ts'

export const failureTexts = texts({
  en: {
    ended: (failed: string, all: string) => `${failed} of ${all} finished ${all === '1' ? 'message' : 'messages'}`,
    failed: (_count: number, when: string) => `failed ${when}.`,
    none: (when: string) => `No message failed ${when}.`,
    quiet: (when: string) => `No message ended ${when}.`,
    day: 'in the last 24 hours',
    today: 'today',
    held: (count: number, shown: string) => (count === 1 ? '1 is held.' : `${shown} are held.`),
    waiting: (count: number, shown: string) => (count === 1 ? '1 is waiting.' : `${shown} are waiting.`),
  },
  de: {
    ended: (failed: string, all: string) =>
      `${failed} von ${all} abgeschlossenen ${all === '1' ? 'Nachricht' : 'Nachrichten'}`,
    failed: (count: number, when: string) => `${count === 1 ? 'schlug' : 'schlugen'} ${when} fehl.`,
    none: (when: string) => `Keine Nachricht schlug ${when} fehl.`,
    quiet: (when: string) => `Keine Nachricht endete ${when}.`,
    day: 'in den letzten 24 Stunden',
    today: 'heute',
    held: (count: number, shown: string) => (count === 1 ? '1 ist angehalten.' : `${shown} sind angehalten.`),
    waiting: (count: number, shown: string) => (count === 1 ? '1 wartet.' : `${shown} warten.`),
  },
})

type Since = { last: '24h' } | { enqueued_after: string }

export interface FailuresProps {
  summary: MetricsSummary | undefined
  /** The window of the summary. */
  when: 'day' | 'today'
  /** The same window as a filter of messages. */
  since: Since
}

export function Failures({ summary, when, since }: FailuresProps): ReactNode {
  const t = useTexts(failureTexts)
  const { number } = useFormat()
  if (!summary) return null
  const failed = endedAs(summary, 'failed')
  const waiting = summary.waiting - summary.held
  return (
    <>
      <strong>
        {failed > 0 ? (
          <>
            <Figure search={{ ...since, ...failures }}>{t.ended(number(failed), number(summary.finished))}</Figure>{' '}
            {t.failed(failed, t[when])}
          </>
        ) : summary.finished > 0 ? (
          t.none(t[when])
        ) : (
          t.quiet(t[when])
        )}
      </strong>{' '}
      {summary.held > 0 && <Figure search={{ status: ['HELD'] }}>{t.held(summary.held, number(summary.held))}</Figure>}{' '}
      {waiting > 0 && (
        <Figure search={{ status: [...statusGroups.waiting] }}>{t.waiting(waiting, number(waiting))}</Figure>
      )}
    </>
  )
}

interface FigureProps {
  search: { status: string[]; except_reason?: string[] } & Partial<Since>
  children: ReactNode
}

const Figure = ({ search, children }: FigureProps) => (
  <Link to="/messages" search={search}>
    {children}
  </Link>
)
