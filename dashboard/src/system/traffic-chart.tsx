/** Messages by the minute, hour or day: accepted, delivered or on their way, and undelivered. */
import type { System } from '@postrider/client'
import { texts, useLanguage, useTexts } from '../language/language.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './system.module.css'

const chartTexts = texts({
  en: {
    label: (accepted: string, finished: string, undelivered: string) =>
      `Accepted ${accepted}, finished ${finished}, of these undelivered ${undelivered}`,
    accepted: 'Accepted',
    finished: 'Finished',
    undelivered: 'Undelivered',
    minute: (count: string) => `${count} a minute`,
    hour: (count: string) => `${count} an hour`,
    day: (count: string) => `${count} a day`,
    now: 'now',
  },
  de: {
    label: (accepted: string, finished: string, undelivered: string) =>
      `Angenommen ${accepted}, beendet ${finished}, davon nicht zustellbar ${undelivered}`,
    accepted: 'Angenommen',
    finished: 'Beendet',
    undelivered: 'Nicht zustellbar',
    minute: (count: string) => `${count} je Minute`,
    hour: (count: string) => `${count} je Stunde`,
    day: (count: string) => `${count} am Tag`,
    now: 'jetzt',
  },
})

const WIDTH = 720
const HEIGHT = 96

/** Days of the figures are those of UTC. */
const dayText = (at: number, locale: string) =>
  new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(at)

interface TrafficChartProps {
  /** Oldest first. */
  parts: NonNullable<System['traffic']>
  unit: 'minute' | 'hour' | 'day'
}

export function TrafficChart({ parts, unit }: TrafficChartProps) {
  const t = useTexts(chartTexts)
  const { number, timeOfDay } = useFormat()
  const { locale } = useLanguage()
  const timeText = (at: number) => (unit === 'day' ? dayText(at, locale) : timeOfDay(at))
  const highest = Math.max(1, ...parts.flatMap(({ accepted, finished }) => [accepted, finished]))
  const step = WIDTH / parts.length
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / highest) * (HEIGHT - 8)))
  const sum = (name: 'accepted' | 'finished' | 'undelivered') =>
    number(parts.reduce((total, part) => total + part[name], 0))
  const accepted = parts.map((part, index) => `${(index + 0.5) * step},${HEIGHT - 1 - heightOf(part.accepted)}`)
  return (
    <>
      <ul className={styles.legend}>
        <li>
          <span style={{ background: 'var(--wait)' }} />
          {t.accepted} <b>{sum('accepted')}</b>
        </li>
        <li>
          <span style={{ background: 'var(--good)' }} />
          {t.finished} <b>{sum('finished')}</b>
        </li>
        <li>
          <span style={{ background: 'var(--bad)' }} />
          {t.undelivered} <b>{sum('undelivered')}</b>
        </li>
        <li className={styles.scale}>{t[unit](number(highest))}</li>
      </ul>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.label(sum('accepted'), sum('finished'), sum('undelivered'))}
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line-2)" />
        {parts.map(({ at, finished, undelivered }, index) => {
          const place = { x: index * step + step * 0.15, width: step * 0.7 }
          const whole = heightOf(finished)
          const red = Math.min(whole, heightOf(undelivered))
          return (
            <g key={at}>
              <rect {...place} y={HEIGHT - whole} height={whole - red} fill="var(--good)" />
              <rect {...place} y={HEIGHT - red} height={red} fill="var(--bad)" />
            </g>
          )
        })}
        <polyline
          points={accepted.join(' ')}
          fill="none"
          stroke="var(--wait)"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <div className={styles.axis} aria-hidden>
        {[0, 1, 2].map((third) => {
          const { at } = parts[Math.round((third * parts.length) / 3)] ?? {}
          return <span key={third}>{at !== undefined && timeText(at)}</span>
        })}
        <span>{t.now}</span>
      </div>
    </>
  )
}
