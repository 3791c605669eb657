/** Calls of an integration over time, drawn: those that it answered as it should, and those that it is at failed for. */
import type { ProviderHealth } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { useFormat } from '../parts/time.tsx'
import { barsOf } from './health-bars.ts'
import styles from './integrations.module.css'

const chartTexts = texts({
  en: {
    label: (calls: string, failures: string) => `Calls over time: ${calls} calls, ${failures} of them failed`,
    working: 'Answered',
    failed: 'Failed at the provider',
    slow: 'Latency of 95 %',
  },
  de: {
    label: (calls: string, failures: string) =>
      `Aufrufe im Verlauf: ${calls} Aufrufe, davon ${failures} fehlgeschlagen`,
    working: 'Beantwortet',
    failed: 'Beim Anbieter fehlgeschlagen',
    slow: 'Dauer von 95 %',
  },
})

const WIDTH = 720

interface HealthChartProps {
  health: ProviderHealth
  height: number
  bars: number
  /** Without words: beside a row that says the figures. */
  isPlain?: boolean
}

export function HealthChart({ health, height, bars: count, isPlain = false }: HealthChartProps) {
  const t = useTexts(chartTexts)
  const { number } = useFormat()
  const bars = barsOf(health, count)
  const highest = Math.max(1, ...bars.map(({ calls }) => calls))
  const slowest = Math.max(1, ...bars.map(({ p95 }) => p95 ?? 0))
  const step = WIDTH / count
  const latency = bars.flatMap(({ p95 }, index) =>
    p95 === undefined ? [] : [`${(index + 0.5) * step},${height - 4 - (p95 / slowest) * (height - 12)}`],
  )
  const failures = bars.reduce((sum, bar) => sum + bar.failures, 0)
  return (
    <>
      {!isPlain && (
        <ul className={styles.legend}>
          <li>
            <span style={{ background: 'var(--good)' }} />
            {t.working}
          </li>
          <li>
            <span style={{ background: 'var(--bad)' }} />
            {t.failed}
          </li>
          <li>
            <span style={{ background: 'var(--wait)' }} />
            {t.slow}
          </li>
        </ul>
      )}
      <svg
        className={styles.chart}
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        style={{ height }}
        role="img"
        aria-label={t.label(number(health.calls), number(failures))}
      >
        <line x1={0} x2={WIDTH} y1={height - 0.5} y2={height - 0.5} stroke="var(--line-2)" />
        {bars.map(({ at, calls, failures: barFailures }, index) => {
          if (calls === 0) return null
          const callsHeight = Math.max(2, (calls / highest) * (height - 8))
          const failuresHeight = barFailures === 0 ? 0 : Math.max(2, (barFailures / calls) * callsHeight)
          const place = { x: index * step + step * 0.15, width: step * 0.7 }
          return (
            <g key={at}>
              <rect {...place} y={height - callsHeight} height={callsHeight - failuresHeight} fill="var(--good)" />
              {failuresHeight > 0 && (
                <rect {...place} y={height - failuresHeight} height={failuresHeight} fill="var(--bad)" />
              )}
            </g>
          )
        })}
        {!isPlain && latency.length > 1 && (
          <polyline
            points={latency.join(' ')}
            fill="none"
            stroke="var(--wait)"
            strokeWidth={1.5}
            vectorEffect="non-scaling-stroke"
          />
        )}
      </svg>
    </>
  )
}
