/** Whether everything works, what is not, and the figures behind it. */
import {
  CheckCircleIcon,
  ExclamationTriangleIcon,
  QuestionMarkCircleIcon,
  XCircleIcon,
} from '@heroicons/react/20/solid'
import { SegmentedControl } from '@mantine/core'
import type { System } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Columns, Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { Checks, Integrations, Lanes, Nodes, Queues, Statements, Storage } from './figures.tsx'
import { FindingText } from './finding-text.tsx'
import { type Finding, findingsOf, verdictTone } from './findings.ts'
import { systemQuery, trafficQuery } from './queries.ts'
import type { TrafficWindow } from './search.ts'
import { SignIns } from './sign-ins.tsx'
import styles from './system.module.css'
import { TrafficChart } from './traffic-chart.tsx'

const stateTexts = texts({
  en: {
    well: 'Everything works',
    urgent: (count: number) => (count === 1 ? '1 thing is broken' : `${count} things are broken`),
    soon: (count: number) => (count === 1 ? '1 thing needs you soon' : `${count} things need you soon`),
    findings: 'Findings',
    read: 'Read',
    stale: (time: string) => `The state has been unknown since ${time}`,
    before: (state: string) => `The server could not be read again. Before that: ${state}.`,
    rate: 'accepted a minute',
    oldest: 'longest wait of a due message',
    p95: 'from acceptance to the provider (95 %)',
    waiting: 'messages waiting',
    inFlight: 'messages in progress',
    none: 'none',
    unknown: 'unknown',
    traffic: 'Messages',
    trafficTime: 'Time of the figures',
    minutes: '30 minutes',
    hours: '24 hours',
    days: '30 days',
    everywhere: 'Every environment, by the minute.',
    '24h': 'This environment, by the hour.',
    '30d': 'This environment, by the day (UTC).',
    nodes: 'Nodes',
    lanes: 'Messages by lane',
    queues: 'Queues',
    integrations: 'Integrations, last hour',
    storage: 'Database',
    checks: 'Checks of postrider doctor',
    statements: 'Statements',
  },
  de: {
    well: 'Alles in Ordnung',
    urgent: (count: number) => (count === 1 ? '1 Störung' : `${count} Störungen`),
    soon: (count: number) => (count === 1 ? '1 Hinweis' : `${count} Hinweise`),
    findings: 'Befunde',
    read: 'Gelesen',
    stale: (time: string) => `Der Zustand ist unbekannt seit ${time}`,
    before: (state: string) => `Der Server ließ sich nicht erneut lesen. Davor: ${state}.`,
    rate: 'angenommen je Minute',
    oldest: 'längstes Warten einer fälligen Nachricht',
    p95: 'von der Annahme zum Anbieter (95 %)',
    waiting: 'wartende Nachrichten',
    inFlight: 'Nachrichten in Arbeit',
    none: 'keine',
    unknown: 'unbekannt',
    traffic: 'Nachrichten',
    trafficTime: 'Zeitraum der Zahlen',
    minutes: '30 Minuten',
    hours: '24 Stunden',
    days: '30 Tage',
    everywhere: 'Jede Umgebung, je Minute.',
    '24h': 'Diese Umgebung, je Stunde.',
    '30d': 'Diese Umgebung, je Tag (UTC).',
    nodes: 'Knoten',
    lanes: 'Nachrichten je Spur',
    queues: 'Warteschlangen',
    integrations: 'Integrationen, letzte Stunde',
    storage: 'Datenbank',
    checks: 'Prüfungen von postrider doctor',
    statements: 'Anweisungen',
  },
})

export function SystemState() {
  const t = useTexts(stateTexts)
  const { data: system, isPending, isError, error, refetch } = useQuery(systemQuery)
  if (isPending) return <Loading rows={10} />
  if (!system) return <Failed error={error} retry={refetch} />
  // The mailbox takes messages without a sign-in.
  const signedIn = (system.providers ?? []).filter(({ enabled, provider }) => enabled && provider !== 'mailbox')
  return (
    <>
      <Verdict findings={findingsOf(system)} at={system.at} isStale={isError} />
      <Figures system={system} />
      <Traffic minutes={system.traffic} />
      <Section title={t.nodes}>
        {system.nodes && <Nodes nodes={system.nodes} at={system.at} current={system.node} />}
      </Section>
      <Columns min={440}>
        <Section title={t.lanes}>{system.lanes && <Lanes lanes={system.lanes} />}</Section>
        <Section title={t.integrations}>{system.providers && <Integrations integrations={system.providers} />}</Section>
        <Section title={t.storage}>
          {system.storage && (
            <Storage storage={system.storage} retentionDays={system.retention_days} migrations={system.migrations} />
          )}
        </Section>
        <Section title={t.queues}>{system.queues && <Queues queues={system.queues} />}</Section>
      </Columns>
      <Section title={t.checks}>{system.checks && <Checks checks={system.checks} />}</Section>
      {signedIn.length > 0 && <SignIns integrations={signedIn} />}
      <Section title={t.statements}>{system.statements && <Statements statements={system.statements} />}</Section>
    </>
  )
}

const marks = {
  good: CheckCircleIcon,
  warn: ExclamationTriangleIcon,
  bad: XCircleIcon,
  unknown: QuestionMarkCircleIcon,
} as const

function Verdict({ findings, at, isStale }: { findings: readonly Finding[]; at: number; isStale: boolean }) {
  const t = useTexts(stateTexts)
  const { timeOfDay } = useFormat()
  const urgent = findings.filter(({ tone }) => tone === 'bad').length
  const tone = verdictTone(findings, isStale)
  const Mark = marks[tone]
  const sentences = [
    ...(urgent > 0 ? [t.urgent(urgent)] : []),
    ...(findings.length > urgent ? [t.soon(findings.length - urgent)] : []),
  ]
  const state = sentences.length > 0 ? sentences.join(', ') : t.well
  return (
    <div className={styles.verdict} data-tone={tone} role="status">
      <div className={styles.verdictHead}>
        <Mark aria-hidden className={styles.verdictMark} />
        <h2>{isStale ? t.stale(timeOfDay(at)) : state}</h2>
        {!isStale && (
          <span className={styles.dim}>
            {t.read} <Time at={at} />
          </span>
        )}
      </div>
      {isStale && <p>{t.before(state)}</p>}
      {findings.length > 0 && (
        <ul aria-label={t.findings}>
          {findings.map((finding) => (
            <li key={JSON.stringify({ ...finding, ms: 0, seen: 0 })} data-tone={finding.tone}>
              <FindingText finding={finding} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const MINUTES_SHOWN = 'minutes'

/** The whole installation has figures of minutes; those of hours and days are kept by environment. */
function Traffic({ minutes }: { minutes: System['traffic'] }) {
  const t = useTexts(stateTexts)
  const { traffic: window } = useSearch({ from: '/system' })
  const navigate = useNavigate()
  return (
    <Section
      title={t.traffic}
      description={window ? t[window] : t.everywhere}
      actions={
        <SegmentedControl
          aria-label={t.trafficTime}
          size="xs"
          data={[
            { value: MINUTES_SHOWN, label: t.minutes },
            { value: '24h', label: t.hours },
            { value: '30d', label: t.days },
          ]}
          value={window ?? MINUTES_SHOWN}
          onChange={(value) => {
            const search = value === MINUTES_SHOWN ? {} : { traffic: value as TrafficWindow }
            void navigate({ to: '/system', search, replace: true, resetScroll: false })
          }}
        />
      }
    >
      {window ? <TrafficOf window={window} /> : minutes && <TrafficChart parts={minutes} unit="minute" />}
    </Section>
  )
}

function TrafficOf({ window }: { window: TrafficWindow }) {
  const { data, error, refetch } = useQuery(trafficQuery(window))
  if (data) return <TrafficChart parts={data} unit={window === '24h' ? 'hour' : 'day'} />
  return error ? <Failed error={error} retry={refetch} /> : <Loading rows={2} />
}

/** Whole minutes, so that the figure does not fall at the start of each. */
const RATE_MINUTES = 5

function Figures({ system: { traffic, lanes, nodes } }: { system: System }) {
  const t = useTexts(stateTexts)
  const { number, duration } = useFormat()
  const whole = traffic?.slice(-RATE_MINUTES - 1, -1)
  const rate = whole && whole.reduce((sum, { accepted }) => sum + accepted, 0) / RATE_MINUTES
  const waits = lanes?.flatMap(({ oldest_ms }) => oldest_ms ?? [])
  const living = nodes?.filter(({ state }) => state === 'alive')
  const latencies = living?.flatMap(({ p95_ms }) => p95_ms ?? [])
  const longest = (values: readonly number[] | undefined) =>
    values === undefined ? t.unknown : values.length === 0 ? t.none : duration(Math.max(...values))
  const figures = [
    [t.rate, rate === undefined ? t.unknown : number(rate < 100 ? Math.round(rate * 10) / 10 : Math.round(rate))],
    [t.waiting, lanes ? number(lanes.reduce((sum, { waiting, overdue }) => sum + waiting + overdue, 0)) : t.unknown],
    [t.oldest, longest(waits)],
    [t.p95, longest(latencies)],
    [t.inFlight, living ? number(living.reduce((sum, { in_flight }) => sum + in_flight, 0)) : t.unknown],
  ] as const
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
