/** Today in figures, each leading to the messages behind it. */
import { CheckCircleIcon } from '@heroicons/react/20/solid'
import { ClockIcon, EllipsisHorizontalCircleIcon, PauseCircleIcon, XCircleIcon } from '@heroicons/react/24/outline'
import type { MetricsSummary } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { endedAs } from '../figures/figures.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { due, failures, statusGroups } from '../parts/status-groups.ts'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { useSession } from '../session/session.tsx'
import styles from './start.module.css'

const todayTexts = texts({
  en: {
    title: 'Today',
    production: 'since midnight, in production',
    test: 'since midnight, in test',
    accepted: 'accepted',
    sent: 'sent',
    failed: 'failed',
    waiting: 'waiting',
    held: 'held',
    oldest: 'oldest due',
    none: '–',
  },
  de: {
    title: 'Heute',
    production: 'seit Mitternacht, in der Produktion',
    test: 'seit Mitternacht, im Test',
    accepted: 'angenommen',
    sent: 'gesendet',
    failed: 'fehlgeschlagen',
    waiting: 'wartend',
    held: 'angehalten',
    oldest: 'älteste fällige',
    none: '–',
  },
})

const REFRESH_MS = 10_000

/** Midnight in the reader's zone: the last one, or the next. */
const midnight = (which: 'last' | 'next') =>
  new Date(new Date().setHours(which === 'last' ? 0 : 24, 0, 0, 0)).toISOString()

export interface Today {
  /** When it began; ISO 8601. */
  from: string
  summary: MetricsSummary
}

/** `seen`: names the state of the newest messages that the screen shows; with another one the figures are read again. */
export function useToday(seen: string) {
  const today = useQuery({
    queryKey: ['start', 'today'],
    queryFn: async ({ signal }): Promise<Today> => {
      const from = midnight('last')
      // To the end of the day: now by the clock of the server can be before a midnight by that of the reader.
      return { from, summary: await api.metrics.summary({ from, to: midnight('next') }, { signal }) }
    },
    refetchInterval: REFRESH_MS,
  })
  const { refetch } = today
  useEffect(() => {
    if (seen !== '') void refetch()
  }, [seen, refetch])
  return today
}

export function TodayFigures({ today: { data, error, refetch } }: { today: ReturnType<typeof useToday> }) {
  const t = useTexts(todayTexts)
  const { environment } = useSession()
  return (
    <Section title={t.title} description={t[environment]}>
      {data ? <Figures {...data} /> : error ? <Failed error={error} retry={refetch} /> : <Loading rows={2} />}
    </Section>
  )
}

function Figures({ from, summary }: Today) {
  const t = useTexts(todayTexts)
  const { number, duration } = useFormat()
  const { accepted, waiting, oldest } = summary
  const today = { enqueued_after: from }
  const of = (status: readonly string[]) => ({ status: [...status] })
  const figures = [
    { name: t.accepted, value: accepted, search: today },
    {
      name: t.sent,
      value: endedAs(summary, 'arrived'),
      search: { ...today, ...of(statusGroups.arrived) },
      mark: <CheckCircleIcon data-tone="good" aria-hidden />,
    },
    {
      name: t.failed,
      value: endedAs(summary, 'failed'),
      search: { ...today, ...failures },
      mark: <XCircleIcon data-tone="bad" aria-hidden />,
    },
    {
      name: t.waiting,
      value: waiting - summary.held,
      search: of(statusGroups.waiting),
      mark: <EllipsisHorizontalCircleIcon data-tone="wait" aria-hidden />,
    },
    {
      name: t.held,
      value: summary.held,
      search: of(statusGroups.held),
      mark: <PauseCircleIcon data-tone="hold" aria-hidden />,
    },
  ]
  return (
    <ul className={styles.figures}>
      {figures.map(({ name, value, search, mark }) => (
        <li key={name} data-is={value === 0 ? 'none' : 'some'}>
          <Link to="/messages" search={search}>
            <b>{number(value)}</b>
            <span>
              {mark}
              {name}
            </span>
          </Link>
        </li>
      ))}
      <li data-is={oldest === null ? 'none' : 'some'}>
        <Link to="/messages" search={of(due)}>
          <b>{oldest === null ? t.none : duration(oldest)}</b>
          <span>
            <ClockIcon data-tone="quiet" aria-hidden />
            {t.oldest}
          </span>
        </Link>
      </li>
    </ul>
  )
}
