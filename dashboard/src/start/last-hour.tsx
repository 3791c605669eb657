/** The last hour in figures, each leading to the messages behind it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag, toneOf } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './start.module.css'

const hourTexts = texts({
  en: {
    title: 'The last hour',
    accepted: 'accepted',
    waiting: 'waiting now',
    held: 'held',
    oldest: 'oldest waiting',
    none: '–',
    failed: 'failed',
  },
  de: {
    title: 'Die letzte Stunde',
    accepted: 'angenommen',
    waiting: 'warten jetzt',
    held: 'angehalten',
    oldest: 'älteste wartende',
    none: '–',
    failed: 'fehlgeschlagen',
  },
})

const REFRESH_MS = 10_000
const failedStatuses = ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED']
const waitingStatuses = ['ENQUEUED', 'DELAYED', 'ROUTED', 'HELD']

export function LastHour() {
  const t = useTexts(hourTexts)
  const format = useFormat()
  const { data, error, refetch } = useQuery({
    queryKey: ['start', 'hour'],
    queryFn: ({ signal }) => api.metrics.summary({ window: '1h' }, { signal }),
    refetchInterval: REFRESH_MS,
  })
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading rows={3} />
  const failures = data.statuses.filter(({ status }) => failedStatuses.includes(status))
  const failureCount = failures.reduce((sum, { count }) => sum + count, 0)
  const last = '1h' as const
  const figures = [
    { name: t.accepted, value: format.number(data.accepted), search: { last } },
    { name: t.failed, value: format.number(failureCount), search: { last, status: failedStatuses } },
    { name: t.waiting, value: format.number(data.waiting), search: { status: waitingStatuses } },
    { name: t.held, value: format.number(data.held), search: { status: ['HELD'] } },
    {
      name: t.oldest,
      value: data.oldest === null ? t.none : format.duration(data.oldest),
      search: { status: waitingStatuses },
    },
  ]
  return (
    <Section title={t.title}>
      <div className={styles.figures}>
        {figures.map(({ name, value, search }) => (
          <Link key={name} to="/messages" search={search}>
            <span className={styles.figure}>{value}</span>
            <span className={styles.dim}>{name}</span>
          </Link>
        ))}
      </div>
      <ul className={styles.reasons}>
        {data.statuses
          .filter(({ status }) => toneOf(status) === 'bad' || toneOf(status) === 'hold')
          .map(({ status, count }) => (
            <li key={status}>
              <MessageStatusTag status={status} />
              <Link to="/messages" search={{ last, status: [status] }}>
                {format.number(count)}
              </Link>
            </li>
          ))}
      </ul>
    </Section>
  )
}
