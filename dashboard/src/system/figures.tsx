/** The parts of the state, each a small table. */
import type { System, SystemNode } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useIsOperator } from '../health/pause.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { Card } from '../parts/page.tsx'
import { Tag, type Tone } from '../parts/status.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { BackupDownload, ServerBackup } from './backup-download.tsx'
import { isSilent } from './findings.ts'
import styles from './system.module.css'

type Part<Name extends keyof System> = NonNullable<System[Name]>

const figureTexts = texts({
  en: {
    node: 'Node',
    alive: 'Alive',
    silent: 'Silent',
    dead: 'Dead',
    stopped: 'Stopped',
    here: 'answers this page',
    started: 'started',
    work: 'In progress',
    takenOver: 'taken over',
    abandoned: (count: string) => `${count} left`,
    latency: 'To provider',
    memory: 'Memory',
    loop: 'Event loop',
    loopTitle: '99th percentile of the delay of the event loop: how long work waits for the process',
    pool: 'Connections',
    poolTitle: 'in use of those that are open',
    seen: 'Seen',
    lane: 'Lane',
    waiting: 'Waiting',
    overdue: 'Due now',
    oldest: 'Longest wait',
    queue: 'Queue',
    late: 'First due for',
    onTime: (count: number) => (count === 1 ? '1 queue is on time' : `${count} queues are on time`),
    integration: 'Integration',
    calls: 'Calls',
    answered: 'Answered',
    slow: '95 %',
    closed: 'Works',
    half_open: 'Probing',
    open: 'Not called',
    off: 'Off',
    noIntegrations: 'This environment has no integration.',
    table: 'Table',
    size: 'Size',
    rows: 'Rows (estimated)',
    tables: (count: number) => (count === 1 ? 'The largest table' : `The ${count} largest tables`),
    retention: (days: string) => `Messages are kept for ${days} days`,
    oldestWeek: 'oldest week from',
    noBackup: 'No backup yet',
    lastBackup: 'Last backup',
    schema: (version: number) => `schema version ${version}`,
    pending: (names: string) => `pending migrations: ${names}`,
    passed: (count: number) => (count === 1 ? '1 check passed' : `${count} checks passed`),
    ok: 'Passed',
    warn: 'Warning',
    fail: 'Failed',
    skip: 'Not checked',
    seeHeld: 'See which',
    addProvider: 'Add a provider',
    statement: 'Statement',
    mean: 'Mean',
    total: 'Total',
    running: 'Running for',
    waitsFor: (event: string) => `waits for ${event}`,
    noneRunning: 'No statement has been running for more than a second.',
    untracked: 'Statistics need the extension pg_stat_statements, which this database does not have.',
  },
  de: {
    node: 'Knoten',
    alive: 'Lebt',
    silent: 'Kein Lebenszeichen',
    dead: 'Tot',
    stopped: 'Beendet',
    here: 'beantwortet diese Seite',
    started: 'gestartet',
    work: 'In Arbeit',
    takenOver: 'übernommen',
    abandoned: (count: string) => `${count} offen`,
    latency: 'Zum Anbieter',
    memory: 'Speicher',
    loop: 'Event-Loop',
    loopTitle: '99. Perzentil der Verzögerung der Event-Loop: So lange wartet Arbeit auf den Prozess',
    pool: 'Verbindungen',
    poolTitle: 'benutzt von geöffneten',
    seen: 'Gesehen',
    lane: 'Spur',
    waiting: 'Wartend',
    overdue: 'Jetzt fällig',
    oldest: 'Längstes Warten',
    queue: 'Warteschlange',
    late: 'Fällig seit',
    onTime: (count: number) =>
      count === 1 ? '1 Warteschlange ist pünktlich' : `${count} Warteschlangen sind pünktlich`,
    integration: 'Integration',
    calls: 'Aufrufe',
    answered: 'Beantwortet',
    slow: '95 %',
    closed: 'In Ordnung',
    half_open: 'Wird geprüft',
    open: 'Nicht aufgerufen',
    off: 'Aus',
    noIntegrations: 'Diese Umgebung hat keine Integration.',
    table: 'Tabelle',
    size: 'Größe',
    rows: 'Zeilen (geschätzt)',
    tables: (count: number) => (count === 1 ? 'Die größte Tabelle' : `Die ${count} größten Tabellen`),
    retention: (days: string) => `Nachrichten bleiben ${days} Tage`,
    oldestWeek: 'älteste Woche ab',
    noBackup: 'Noch keine Sicherung',
    lastBackup: 'Letzte Sicherung',
    schema: (version: number) => `Schema-Version ${version}`,
    pending: (names: string) => `ausstehende Migrationen: ${names}`,
    passed: (count: number) => (count === 1 ? '1 Prüfung bestanden' : `${count} Prüfungen bestanden`),
    ok: 'Bestanden',
    warn: 'Warnung',
    fail: 'Fehler',
    skip: 'Nicht geprüft',
    seeHeld: 'Welche?',
    addProvider: 'Anbieter hinzufügen',
    statement: 'Anweisung',
    mean: 'Mittel',
    total: 'Gesamt',
    running: 'Läuft seit',
    waitsFor: (event: string) => `wartet auf ${event}`,
    noneRunning: 'Keine Anweisung läuft länger als eine Sekunde.',
    untracked: 'Statistik braucht die Erweiterung pg_stat_statements, die dieser Datenbank fehlt.',
  },
})

export const laneTexts = texts({
  en: { transactional: 'Transactional', automation: 'Automation', bulk: 'Bulk' },
  de: { transactional: 'Einzelversand', automation: 'Automation', bulk: 'Massenversand' },
})

interface RowsProps {
  heads: readonly string[]
  rows: readonly { key: string; cells: readonly ReactNode[] }[]
}

/** The first column is text, the others are figures. */
function Rows({ heads, rows }: RowsProps) {
  return (
    <Card padded={false}>
      <table className={styles.rows}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={heads[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

/** Rows that are well, behind a line that says so. */
const Fold = ({ title, children }: { title: string; children: ReactNode }) => (
  <details className={styles.fold}>
    <summary>{title}</summary>
    {children}
  </details>
)

const nodeTones = { alive: 'good', silent: 'warn', dead: 'warn', stopped: 'quiet' } as const

interface NodesProps {
  nodes: readonly SystemNode[]
  /** Time of the figures. */
  at: number
  /** The one that answers. */
  current: string
}

export function Nodes({ nodes, at, current }: NodesProps) {
  const t = useTexts(figureTexts)
  const { bytes, duration, number } = useFormat()
  const abandonedText = ({ abandoned }: SystemNode) =>
    abandoned === null ? '–' : abandoned === 0 ? t.takenOver : t.abandoned(number(abandoned))
  const rows = nodes.map((node) => {
    const { open, idle } = node.connections
    const isAlive = node.state === 'alive'
    const state = isSilent(node, at) ? 'silent' : node.state
    return {
      key: node.id,
      cells: [
        <span key="node" className={styles.named}>
          <code>{node.id}</code> <Tag tone={nodeTones[state]}>{t[state]}</Tag>
          <span className={styles.dim}>
            {node.version} · {node.role} · {t.started} <Time at={node.started} />
            {node.id === current && ` · ${t.here}`}
          </span>
        </span>,
        isAlive ? number(node.in_flight) : abandonedText(node),
        node.p95_ms === null || !isAlive ? '–' : duration(node.p95_ms),
        isAlive ? (
          <span key="pool" title={t.poolTitle}>
            {number(open - idle)} / {number(open)}
          </span>
        ) : (
          '–'
        ),
        node.memory_bytes === null || !isAlive ? '–' : bytes(node.memory_bytes),
        node.event_loop_p99_ms === null || !isAlive ? (
          '–'
        ) : (
          <span key="loop" title={t.loopTitle}>
            {duration(node.event_loop_p99_ms)}
          </span>
        ),
        <Time key="seen" at={node.stopped ?? node.seen} />,
      ],
    }
  })
  return <Rows heads={[t.node, t.work, t.latency, t.pool, t.memory, t.loop, t.seen]} rows={rows} />
}

export function Lanes({ lanes }: { lanes: Part<'lanes'> }) {
  const t = useTexts(figureTexts)
  const names = useTexts(laneTexts)
  const { duration, number } = useFormat()
  const rows = lanes.map(({ lane, waiting, overdue, oldest_ms }) => ({
    key: lane,
    cells: [names[lane], number(waiting), number(overdue), oldest_ms === null ? '–' : duration(oldest_ms)],
  }))
  return <Rows heads={[t.lane, t.waiting, t.overdue, t.oldest]} rows={rows} />
}

export function Queues({ queues }: { queues: Part<'queues'> }) {
  const t = useTexts(figureTexts)
  const { duration } = useFormat()
  const rows = queues.flatMap(({ queue, overdue_ms: ms }) =>
    ms === null ? [] : [{ key: queue, cells: [<code key="queue">{queue}</code>, duration(ms)] }],
  )
  const onTime = queues.filter(({ overdue_ms }) => overdue_ms === null)
  return (
    <div className={styles.stack}>
      {rows.length > 0 && <Rows heads={[t.queue, t.late]} rows={rows} />}
      {onTime.length > 0 && (
        <Fold title={t.onTime(onTime.length)}>
          <ul className={styles.names}>
            {onTime.map(({ queue }) => (
              <li key={queue}>
                <code>{queue}</code>
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </div>
  )
}

const breakerTones = { closed: 'good', half_open: 'warn', open: 'bad' } as const

export function Integrations({ integrations }: { integrations: Part<'providers'> }) {
  const t = useTexts(figureTexts)
  const { duration, number, percent } = useFormat()
  if (integrations.length === 0) return <p className={styles.dim}>{t.noIntegrations}</p>
  const rows = integrations.map(({ id, title, enabled, circuit_breaker, calls, working, p95_ms, last_error }) => ({
    key: id,
    cells: [
      <span key="title" className={styles.named}>
        <Link to="/integrations/$id" params={{ id }}>
          {title}
        </Link>{' '}
        <Tag tone={enabled ? breakerTones[circuit_breaker] : 'quiet'}>{enabled ? t[circuit_breaker] : t.off}</Tag>
        {last_error && (
          <span className={styles.dim} title={last_error.error}>
            <Time at={last_error.at} />: {last_error.error}
          </span>
        )}
      </span>,
      number(calls),
      working === null ? '–' : percent(working),
      p95_ms === null ? '–' : duration(p95_ms),
    ],
  }))
  return <Rows heads={[t.integration, t.calls, t.answered, t.slow]} rows={rows} />
}

/** Enough to see what grows. */
const TABLES_SHOWN = 8
/** The place of backups on the page. */
export const BACKUP = 'backup'

interface StorageProps {
  storage: Part<'storage'>
  retentionDays: number
  migrations: System['migrations']
}

export function Storage({ storage: { bytes, tables, oldest_week, backup }, retentionDays, migrations }: StorageProps) {
  const t = useTexts(figureTexts)
  const format = useFormat()
  const isOperator = useIsOperator()
  const rows = tables.slice(0, TABLES_SHOWN).map((table) => ({
    key: table.name,
    cells: [<code key="name">{table.name}</code>, format.bytes(table.bytes), format.number(table.rows)],
  }))
  return (
    <>
      <p>
        <b>{format.bytes(bytes)}</b>
        {' · '}
        {t.retention(format.number(retentionDays))}
        {oldest_week !== null && (
          <>
            , {t.oldestWeek} <Time at={oldest_week} />
          </>
        )}
        {migrations && ` · ${t.schema(migrations.applied)}`}
        {migrations && migrations.pending.length > 0 && ` · ${t.pending(migrations.pending.join(', '))}`}
      </p>
      <Fold title={t.tables(rows.length)}>
        <Rows heads={[t.table, t.size, t.rows]} rows={rows} />
      </Fold>
      <div id={BACKUP} className={styles.backup}>
        {backup ? (
          <>
            <p>
              {backup.last === null ? t.noBackup : t.lastBackup} {backup.last !== null && <Time at={backup.last} />}
            </p>
            {isOperator && <BackupDownload />}
          </>
        ) : (
          <ServerBackup />
        )}
      </div>
    </>
  )
}

const checkTones: Record<Part<'checks'>[number]['state'], Tone> = {
  ok: 'good',
  warn: 'warn',
  fail: 'bad',
  skip: 'quiet',
}

interface CheckTextProps {
  check: Pick<Part<'checks'>[number], 'name' | 'detail'> & { hint?: string | undefined }
}

/** A check with the page that helps, or with its hint for a terminal. */
export function CheckText({ check: { name, detail, hint } }: CheckTextProps) {
  const t = useTexts(figureTexts)
  const help =
    name === 'held messages' ? (
      <Link to="/messages" search={{ status: ['HELD'] }}>
        {t.seeHeld}
      </Link>
    ) : name === 'providers' && hint !== undefined ? (
      <Link to="/integrations">{t.addProvider}</Link>
    ) : (
      hint !== undefined && <span className={styles.dim}>{hint}</span>
    )
  return (
    <>
      {name}: {detail} {help}
    </>
  )
}

export function Checks({ checks }: { checks: Part<'checks'> }) {
  const t = useTexts(figureTexts)
  const [passed, others] = [true, false].map((isPassed) => checks.filter(({ state }) => (state === 'ok') === isPassed))
  return (
    <div className={styles.stack}>
      {others && others.length > 0 && <CheckList checks={others} />}
      {passed && passed.length > 0 && (
        <Fold title={t.passed(passed.length)}>
          <CheckList checks={passed} />
        </Fold>
      )}
    </div>
  )
}

function CheckList({ checks }: { checks: Part<'checks'> }) {
  const t = useTexts(figureTexts)
  return (
    <Card padded={false}>
      <ul className={styles.checks}>
        {checks.map((check) => (
          <li key={check.name}>
            <Tag tone={checkTones[check.state]}>{t[check.state]}</Tag>
            <span>
              <CheckText check={check} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

export function Statements({ statements: { tracked, slowest, running } }: { statements: Part<'statements'> }) {
  const t = useTexts(figureTexts)
  const shared = useTexts(words)
  const { duration, number } = useFormat()
  const text = (value: string) => (
    <code key="text" className={styles.statement} title={value}>
      {value}
    </code>
  )
  return (
    <div className={styles.stack}>
      {running.length > 0 ? (
        <Rows
          heads={[t.statement, t.running, shared.status]}
          rows={running.map((statement) => ({
            key: `${statement.text} ${statement.ms}`,
            cells: [
              text(statement.text),
              duration(statement.ms),
              statement.waits_for === null ? '–' : t.waitsFor(statement.waits_for),
            ],
          }))}
        />
      ) : (
        <p className={styles.dim}>{t.noneRunning}</p>
      )}
      {slowest.length > 0 && (
        <Rows
          heads={[t.statement, t.calls, t.mean, t.total]}
          rows={slowest.map((statement) => ({
            key: statement.text,
            cells: [
              text(statement.text),
              number(statement.calls),
              duration(statement.mean_ms),
              duration(statement.total_ms),
            ],
          }))}
        />
      )}
      {!tracked && <p className={styles.dim}>{t.untracked}</p>}
    </div>
  )
}
