/** Messages by the minute: accepted, delivered or on their way, and undelivered. */
import type { System } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './system.module.css'

const chartTexts = texts({
  en: {
    label: (accepted: string, finished: string, undelivered: string) =>
      `Accepted ${accepted}, finished ${finished}, of these undelivered ${undelivered}`,
    accepted: 'Accepted',
    finished: 'Finished',
    undelivered: 'Undelivered',
    scale: (count: string) => `${count} a minute`,
  },
  de: {
    label: (accepted: string, finished: string, undelivered: string) =>
      `Angenommen ${accepted}, beendet ${finished}, davon nicht zustellbar ${undelivered}`,
    accepted: 'Angenommen',
    finished: 'Beendet',
    undelivered: 'Nicht zustellbar',
    scale: (count: string) => `${count} je Minute`,
  },
})

const WIDTH = 720
const HEIGHT = 96

export function TrafficChart({ minutes }: { minutes: NonNullable<System['traffic']> }) {
  const t = useTexts(chartTexts)
  const { number } = useFormat()
  const highest = Math.max(1, ...minutes.flatMap(({ accepted, finished }) => [accepted, finished]))
  const step = WIDTH / minutes.length
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / highest) * (HEIGHT - 8)))
  const sum = (name: 'accepted' | 'finished' | 'undelivered') =>
    number(minutes.reduce((total, minute) => total + minute[name], 0))
  const accepted = minutes.map((minute, index) => `${(index + 0.5) * step},${HEIGHT - 1 - heightOf(minute.accepted)}`)
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
        <li className={styles.scale}>{t.scale(number(highest))}</li>
      </ul>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.label(sum('accepted'), sum('finished'), sum('undelivered'))}
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line-2)" />
        {minutes.map(({ at, finished, undelivered }, index) => {
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
    </>
  )
}
