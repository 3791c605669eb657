/** The health of one integration over time, its last error, the messages that failed at it and those that wait for it. */
import { SegmentedControl } from '@mantine/core'
import type { CircuitBreaker, Integration, ProviderHealth } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ReleaseHeld } from '../health/release-held.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { Card, Facts, Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { usePermissions } from '../session/session.tsx'
import { breakerReasons } from './condition.tsx'
import { errorState } from './error-state.ts'
import { FailedMessages } from './failed-messages.tsx'
import { HealthChart } from './health-chart.tsx'
import { isProbeDue } from './integration-condition.ts'
import styles from './integrations.module.css'
import { LostNote } from './lost-note.tsx'
import { healthQuery } from './queries.ts'
import type { HealthWindow } from './search.ts'
import { waitingQuery } from './waiting-query.ts'

/** Results of calls, by the classes of the server. */
const resultTexts = texts({
  en: {
    sent: 'Accepted',
    recipient: 'Recipient refused',
    content: 'Content refused',
    configuration: 'Configuration refused',
    authentication: 'Credentials refused',
    rate_limited: 'Rate limited',
    connection: 'No connection',
    failed: 'Failed otherwise',
    in_doubt: 'Outcome unknown',
  },
  de: {
    sent: 'Angenommen',
    recipient: 'Empfänger abgelehnt',
    content: 'Inhalt abgelehnt',
    configuration: 'Konfiguration abgelehnt',
    authentication: 'Zugang abgelehnt',
    rate_limited: 'Gedrosselt',
    connection: 'Keine Verbindung',
    failed: 'Anders gescheitert',
    in_doubt: 'Ausgang unbekannt',
  },
})

const healthTexts = texts({
  en: {
    window: 'Time',
    '24h': '24 hours',
    '7d': '7 days',
    '30d': '30 days',
    calls: 'Calls',
    working: 'Answered',
    p50: 'Median latency',
    p95: 'Latency, 95th percentile',
    noCalls: 'No calls in this time. A test makes one.',
    breakerOpen: (reason: string) => `It is not called: ${reason}.`,
    probed: 'Next probe',
    due: 'The next message tries it again.',
    repaired: 'It works again. The latest call that went well:',
    changed: 'Its settings were changed after this error, and no call has ended since. Changed:',
    probeHint: 'After a test that goes well, and after any change of the settings, it is called again at once.',
    lastError: 'Last error',
    results: 'Results',
    facts: 'Facts',
    callback: 'Callback URL',
    callbackHint: 'Enter it at the provider, so that it reports deliveries and bounces.',
    id: 'Id',
    priority: 'Priority',
    created: 'Created',
    updated: 'Changed',
    used: 'Used today',
    all: (provider: string) => `All that wait at ${provider}`,
    retried: (count: string) =>
      count === '1' ? '1 message waits for its next attempt' : `${count} messages wait for their next attempt`,
    held: (count: string) =>
      count === '1'
        ? '1 message waits until this provider is repaired'
        : `${count} messages wait until this provider is repaired`,
    unreadable:
      'The secrets were encrypted with another secret key. Enter them again in the settings; until then it is not used.',
  },
  de: {
    window: 'Zeit',
    '24h': '24 Stunden',
    '7d': '7 Tage',
    '30d': '30 Tage',
    calls: 'Aufrufe',
    working: 'Beantwortet',
    p50: 'Dauer im Median',
    p95: 'Dauer, 95 %',
    noCalls: 'Keine Aufrufe in dieser Zeit. Ein Test macht einen.',
    breakerOpen: (reason: string) => `Sie wird nicht aufgerufen: ${reason}.`,
    probed: 'Nächster Versuch',
    due: 'Die nächste Nachricht versucht es wieder.',
    repaired: 'Sie geht wieder. Der letzte gelungene Aufruf:',
    changed: 'Die Einstellungen wurden nach diesem Fehler geändert, seither endete kein Aufruf. Geändert:',
    probeHint:
      'Nach einem gelungenen Test und nach jeder Änderung der Einstellungen wird sie sofort wieder aufgerufen.',
    lastError: 'Letzter Fehler',
    results: 'Ergebnisse',
    facts: 'Angaben',
    callback: 'Rückruf-URL',
    callbackHint: 'Beim Anbieter eintragen, damit er Zustellungen und Rückläufer meldet.',
    id: 'Id',
    priority: 'Rang',
    created: 'Angelegt',
    updated: 'Geändert',
    used: 'Heute genutzt',
    all: (provider: string) => `Alle, die bei ${provider} warten`,
    retried: (count: string) =>
      count === '1'
        ? '1 Nachricht wartet auf ihren nächsten Versuch'
        : `${count} Nachrichten warten auf ihren nächsten Versuch`,
    held: (count: string) =>
      count === '1'
        ? '1 Nachricht wartet, bis dieser Anbieter wieder geht'
        : `${count} Nachrichten warten, bis dieser Anbieter wieder geht`,
    unreadable:
      'Die Geheimnisse sind mit einem anderen Schlüssel verschlüsselt. Bitte neu eingeben; bis dahin wird sie nicht genutzt.',
  },
})

export function IntegrationHealth({ integration }: { integration: Integration }) {
  const t = useTexts(healthTexts)
  const resultNames: Record<string, string> = useTexts(resultTexts)
  const { id } = useParams({ from: '/integrations/$id' })
  const { window = '24h' } = useSearch({ from: '/integrations/$id' })
  const navigate = useNavigate()
  const { number, percent, duration } = useFormat()
  const { data: health, ...query } = useQuery(healthQuery(integration.id, window))
  const { updated, limits, used_today } = integration
  if (query.isPending) return <Loading />
  if (!health) return <Failed error={query.error} retry={query.refetch} />
  const breaker = health.circuit_breaker
  return (
    <>
      {integration.unreadable && (
        <div className={styles.note} data-tone="bad">
          {t.unreadable}
        </div>
      )}
      {breaker.state !== 'closed' && <BreakerNote breaker={breaker} />}
      <HeldMessages integration={integration} />
      <RetriedMessages integration={integration} />
      <LostNote {...{ integration, health }} />
      <div className={styles.filters}>
        <SegmentedControl
          aria-label={t.window}
          value={window}
          onChange={(next) =>
            void navigate({
              to: '/integrations/$id',
              params: { id },
              search: { window: next as HealthWindow },
              replace: true,
            })
          }
          data={(['24h', '7d', '30d'] as const).map((value) => ({ value, label: t[value] }))}
        />
      </div>
      <dl className={styles.figures}>
        <div>
          <dt>{t.calls}</dt>
          <dd>{number(health.calls)}</dd>
        </div>
        <div>
          <dt>{t.working}</dt>
          <dd>{health.working === undefined ? '–' : percent(health.working)}</dd>
        </div>
        <div>
          <dt>{t.p50}</dt>
          <dd>{health.p50_ms === undefined ? '–' : duration(health.p50_ms)}</dd>
        </div>
        <div>
          <dt>{t.p95}</dt>
          <dd>{health.p95_ms === undefined ? '–' : duration(health.p95_ms)}</dd>
        </div>
      </dl>
      <Section title={t.calls}>
        <Card>
          {health.calls === 0 ? (
            <p className={styles.dim}>{t.noCalls}</p>
          ) : (
            <>
              <HealthChart health={health} height={140} bars={60} />
              <div className={styles.axis}>
                <Time at={health.from} />
                <Time at={health.to} />
              </div>
            </>
          )}
        </Card>
      </Section>
      <LastError health={health} updated={updated} />
      <FailedMessages integration={integration} />
      {Object.keys(health.results).length > 0 && (
        <Section title={t.results}>
          <Facts
            facts={Object.entries(health.results).map(
              ([result, count]) => [resultNames[result] ?? result, number(count ?? 0)] as const,
            )}
          />
        </Section>
      )}
      <Section title={t.facts}>
        <Facts
          facts={[
            [t.id, <CopyableId key="id" id={integration.id} whole />],
            [t.priority, number(integration.priority)],
            limits && [t.used, number(used_today ?? 0)],
            [t.created, <Time key="created" at={integration.created} />],
            updated !== undefined && [t.updated, <Time key="updated" at={updated} />],
          ]}
        />
      </Section>
      {integration.callback_url && (
        <Section title={t.callback} description={t.callbackHint}>
          <CopyableId id={integration.callback_url} whole />
        </Section>
      )}
    </>
  )
}

interface LastErrorProps {
  health: ProviderHealth
  /** The latest change of the integration. */
  updated: number | undefined
}

function LastError({ health, updated }: LastErrorProps) {
  const t = useTexts(healthTexts)
  const resultNames: Record<string, string> = useTexts(resultTexts)
  const { last_error: error, last_success: success, circuit_breaker } = health
  if (!error) return null
  const state = errorState(health, updated)
  return (
    <Section title={t.lastError}>
      <div className={styles.note} data-tone={state === 'current' ? 'bad' : 'quiet'} data-error={state}>
        {state === 'over' && (
          <p>
            <strong>{t.repaired}</strong> <Time at={success} />
          </p>
        )}
        {state === 'changed' && circuit_breaker.state === 'closed' && (
          <p>
            {t.changed} <Time at={updated} />
          </p>
        )}
        <p>{error.error}</p>
        <p className={styles.small}>
          {resultNames[error.result] ?? error.result} · <Time at={error.at} />
        </p>
      </div>
    </Section>
  )
}

function BreakerNote({ breaker }: { breaker: CircuitBreaker }) {
  const t = useTexts(healthTexts)
  const reasons = useTexts(breakerReasons)
  return (
    <div className={styles.note} data-tone={breaker.state === 'open' ? 'bad' : 'warn'} role="status">
      <p>
        <strong>{t.breakerOpen(reasons[breaker.reason ?? 'unknown'])}</strong> <Time at={breaker.since} />
      </p>
      {breaker.error && <p>{breaker.error}</p>}
      <p className={styles.small}>
        {isProbeDue({ circuit_breaker: breaker }, Date.now())
          ? t.due
          : breaker.next_probe !== undefined && (
              <>
                {t.probed}: <Time at={breaker.next_probe} />.
              </>
            )}{' '}
        {t.probeHint}
      </p>
    </div>
  )
}

function HeldMessages({ integration: { id, provider } }: { integration: Integration }) {
  const t = useTexts(healthTexts)
  const { number } = useFormat()
  const { canOperate } = usePermissions()
  const { data: waiting } = useQuery(waitingQuery)
  const heldIds = waiting?.heldBy.get(id)
  if (!heldIds) return null
  const hasMore = waiting?.hasMore.held
  const count = hasMore ? `${number(heldIds.length)}+` : number(heldIds.length)
  // Those that were not counted can be found by their provider only.
  const chosen = hasMore ? { filter: { provider: [provider] } } : { message_ids: [...heldIds] }
  return (
    <div className={styles.note} data-tone="warn" role="status">
      <div className={styles.secret}>
        <strong>{t.held(count)}</strong>
        {canOperate && <ReleaseHeld size="compact-sm" chosen={chosen} />}
        <Link to="/messages" search={{ provider: [provider], status: ['HELD'] }}>
          {t.all(provider)}
        </Link>
      </div>
    </div>
  )
}

/** Messages whose next attempt is at this integration: a provider can have several. */
function RetriedMessages({ integration: { id, provider } }: { integration: Integration }) {
  const t = useTexts(healthTexts)
  const { number } = useFormat()
  const { data: waiting } = useQuery(waitingQuery)
  const retriedCount = waiting?.retriedBy.get(id)
  if (!retriedCount) return null
  return (
    <div className={styles.note} data-tone="warn" role="status">
      <div className={styles.secret}>
        <strong>{t.retried(waiting?.hasMore.retried ? `${number(retriedCount)}+` : number(retriedCount))}</strong>
        <Link to="/messages" search={{ provider: [provider], retrying: true }}>
          {t.all(provider)}
        </Link>
      </div>
    </div>
  )
}
