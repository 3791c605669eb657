/** An integration at its place in the order: its terms, its condition, and its calls of a day. */
import type { CircuitBreaker, Integration, ProviderHealth } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { breakerReasons, ConditionTag } from './condition.tsx'
import { errorState } from './error-state.ts'
import { HealthChart } from './health-chart.tsx'
import { conditionOf, nextDay } from './integration-condition.ts'
import styles from './integrations.module.css'
import { RepairLink, useWaitingText } from './integrations-sentence.tsx'
import { lostSearch, outageOf } from './lost-messages.ts'
import { useLostMessages } from './lost-query.ts'
import type { Turn } from './order.ts'
import { healthQuery } from './queries.ts'
import { waitingQuery } from './waiting-query.ts'

const placeTexts = texts({
  en: {
    sandbox: 'Sandbox: keeps messages, sends none',
    off: 'No messages go there',
    noCalls: 'No calls in 24 hours',
    countsLater: 'Calls are counted in a few seconds',
    since: 'Since',
    nextProbe: 'Next probe',
    lastError: 'Last error',
    calls: (calls: string) => `${calls} ${calls === '1' ? 'call' : 'calls'} in 24 hours`,
    allChannels: 'all channels',
    working: (share: string) => `${share} answered`,
    weight: (weight: number) => `weight ${weight}`,
    share: (weight: string, total: string) => `first for ${weight} of ${total} messages`,
    untilMidnight: 'Until 00:00 UTC,',
    takesOver: (titles: string) => `Takes over for ${titles}`,
    takesOverSince: (titles: string) => `Takes over for ${titles} since`,
    lost: (count: string) => (count === '1' ? '1 message failed since' : `${count} messages failed since`),
    perSecond: (count: string) => `${count}/s`,
    concurrency: (count: string) => `${count} at a time`,
    perDay: (used: string, count: string) => `${used} of ${count} today`,
  },
  de: {
    sandbox: 'Sandbox: behält Nachrichten und versendet keine',
    off: 'Dorthin gehen keine Nachrichten',
    noCalls: 'Keine Aufrufe in 24 Stunden',
    countsLater: 'Aufrufe sind in einigen Sekunden gezählt',
    since: 'Seit',
    nextProbe: 'Nächster Versuch',
    lastError: 'Letzter Fehler',
    calls: (calls: string) => `${calls} Aufrufe in 24 Stunden`,
    allChannels: 'alle Kanäle',
    working: (share: string) => `${share} beantwortet`,
    weight: (weight: number) => `Gewicht ${weight}`,
    share: (weight: string, total: string) => `zuerst bei ${weight} von ${total} Nachrichten`,
    untilMidnight: 'Bis 00:00 UTC,',
    takesOver: (titles: string) => `Springt ein für ${titles}`,
    takesOverSince: (titles: string) => `Springt ein für ${titles}, seit`,
    lost: (count: string) => (count === '1' ? '1 Nachricht gescheitert seit' : `${count} Nachrichten gescheitert seit`),
    perSecond: (count: string) => `${count}/s`,
    concurrency: (count: string) => `${count} zugleich`,
    perDay: (used: string, count: string) => `${used} von ${count} heute`,
  },
})

const BARS = 24

interface PlaceRowProps {
  integration: Integration
  turn: Turn
  /** The number of its turn; undefined where it has none. */
  number: number | undefined
  /** The sum of the weights of its channel; undefined where none share a turn. */
  total?: number | undefined
  /** Those before it that are not called now. */
  standsInFor?: readonly Integration[]
  children?: ReactNode
}

export function PlaceRow({ integration, turn, number: place, total, standsInFor = [], children }: PlaceRowProps) {
  const t = useTexts(placeTexts)
  const { number, percent } = useFormat()
  const { data } = useQuery(healthQuery(integration.id, '24h'))
  const { weight, limits = {}, used_today = 0, provider } = integration
  const terms = [
    weight !== undefined &&
      (total !== undefined && turn === 'tried' ? t.share(number(weight), number(total)) : t.weight(weight)),
    limits.per_second !== undefined && t.perSecond(number(limits.per_second)),
    limits.concurrency !== undefined && t.concurrency(number(limits.concurrency)),
    limits.per_day !== undefined && t.perDay(number(used_today), number(limits.per_day)),
  ].filter(Boolean)
  return (
    <li className={styles.place} data-turn={turn} data-integration={integration.id}>
      <span className={styles.turn}>{place ?? '–'}</span>
      <span className={styles.name}>
        <Link to="/integrations/$id" params={{ id: integration.id }}>
          {integration.title}
        </Link>
        <span className={styles.small}>{[provider, ...terms].join(' · ')}</span>
      </span>
      <span className={`${styles.wide} ${styles.name}`}>
        {provider === 'mailbox' ? (
          <span className={styles.small}>{turn === 'off' ? t.off : t.sandbox}</span>
        ) : (
          <PlaceState integration={integration} health={data} standsInFor={standsInFor} />
        )}
      </span>
      <span className={`${styles.wide} ${styles.name}`}>
        {data && data.calls > 0 && <HealthChart health={data} height={24} bars={BARS} isPlain />}
        <span className={styles.small}>
          {data &&
            (data.calls === 0
              ? data.circuit_breaker.state === 'closed'
                ? t.noCalls
                : t.countsLater
              : [
                  t.calls(number(data.calls)),
                  integration.channels.length > 1 && t.allChannels,
                  data.working !== undefined && t.working(percent(data.working)),
                ]
                  .filter(Boolean)
                  .join(', '))}
        </span>
      </span>
      {children || <span className={styles.moves} />}
    </li>
  )
}

interface PlaceStateProps {
  integration: Integration
  health: ProviderHealth | undefined
  standsInFor: readonly Integration[]
}

/** The condition with its reason, the next probe, the last error that is not over, and the messages that wait or failed. */
function PlaceState({ integration, health, standsInFor }: PlaceStateProps) {
  const t = useTexts(placeTexts)
  const { list } = useFormat()
  const waitingText = useWaitingText(integration.id)
  const { data: waiting } = useQuery(waitingQuery)
  const { circuit_breaker: breaker, enabled, unreadable, updated } = integration
  const now = Date.now()
  const condition = conditionOf(integration, waiting?.heldBy.get(integration.id)?.length ?? 0, now)
  const isBroken = enabled && breaker !== undefined && breaker.state !== 'closed'
  const error = !isBroken && health && errorState(health, updated) === 'current' ? health.last_error : undefined
  return (
    <>
      <span>
        <ConditionTag integration={integration} />
      </span>
      {isBroken && <BreakerLines integration={integration} breaker={breaker} isDue={condition === 'due'} />}
      {condition === 'limited' && (
        <span className={styles.small}>
          {t.untilMidnight} <Time at={nextDay(now)} />
        </span>
      )}
      {standsInFor.length > 0 && <StandsIn names={list(standsInFor.map(({ title }) => title))} {...{ standsInFor }} />}
      {error && (
        <span className={styles.small}>
          {t.lastError}, <Time at={error.at} />: {error.error}
        </span>
      )}
      {waitingText && (
        <span className={styles.small}>
          <strong>{waitingText}</strong>
        </span>
      )}
      {(isBroken || unreadable || condition === 'limited' || condition === 'held') && (
        <span className={styles.repair}>
          <RepairLink integration={integration} isHeld={condition === 'held'} />
        </span>
      )}
    </>
  )
}

/** Since when all of them have not been called, where breakers say it. */
function StandsIn({ names, standsInFor }: { names: string; standsInFor: readonly Integration[] }) {
  const t = useTexts(placeTexts)
  const times = standsInFor.map(({ circuit_breaker }) => circuit_breaker?.since ?? Number.NaN)
  const since = Math.max(...times)
  return (
    <span className={styles.small}>
      {Number.isNaN(since) ? (
        t.takesOver(names)
      ) : (
        <>
          {t.takesOverSince(names)} <TimeOfDay at={since} />
        </>
      )}
    </span>
  )
}

function TimeOfDay({ at }: { at: number }) {
  const { timeOfDay } = useFormat()
  return <Time at={at}>{timeOfDay(at)}</Time>
}

interface BreakerLinesProps {
  integration: Integration
  breaker: CircuitBreaker
  /** The tag says that the next message tries it. */
  isDue: boolean
}

function BreakerLines({ integration, breaker, isDue }: BreakerLinesProps) {
  const t = useTexts(placeTexts)
  const reasons = useTexts(breakerReasons)
  const { number } = useFormat()
  const { since, next_probe, reason, error } = breaker
  const outage = outageOf(integration)
  const lost = useLostMessages(integration, outage)
  return (
    <>
      <span className={styles.small}>
        {since !== undefined && (
          <>
            {t.since} <TimeOfDay at={since} />:{' '}
          </>
        )}
        {reasons[reason ?? 'unknown']}
      </span>
      {next_probe !== undefined && !isDue && (
        <span className={styles.small}>
          {t.nextProbe}: <Time at={next_probe} />
        </span>
      )}
      {error && <span className={styles.small}>{error}</span>}
      {lost && outage && (
        <span className={styles.repair}>
          <Link to="/messages" search={lostSearch(integration.provider, outage)}>
            {t.lost(lost.hasMore ? `${number(lost.count)}+` : number(lost.count))} <TimeOfDay at={outage.since} />
          </Link>
        </span>
      )}
    </>
  )
}
