/** The integrations of each channel in the order in which they are tried, with their health of a day. */
import { ArrowDownIcon, ArrowUpIcon } from '@heroicons/react/20/solid'
import { ActionIcon, Button } from '@mantine/core'
import type { CircuitBreaker, Integration, ProviderHealth } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { integrationKey } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { channelNames, channels } from '../parts/meanings.ts'
import { Card, Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { usePermissions } from '../session/session.tsx'
import { changeIntegration } from './change.ts'
import { calledNow, triedIn, turnNumbers, weightsIn } from './channel-routes.ts'
import { breakerReasons, ConditionTag } from './condition.tsx'
import { errorState } from './error-state.ts'
import { HealthChart } from './health-chart.tsx'
import { conditionOf, nextDay } from './integration-condition.ts'
import styles from './integrations.module.css'
import { RepairLink, useWaitingText } from './integrations-sentence.tsx'
import { lostSearch, outageOf } from './lost-messages.ts'
import { useLostMessages } from './lost-query.ts'
import { effectsOfMove, type PriorityChange, placesOf, prioritiesToMove, type Turn } from './order.ts'
import { healthQuery, useRoutedIntegrations } from './queries.ts'

const orderTexts = texts({
  en: {
    empty: 'No integrations yet',
    emptyText: 'An integration is a provider with your credentials: SMTP for mail, Twilio for SMS, and others.',
    catalog: 'Open the catalog',
    earlier: (title: string) => `Try ${title} earlier`,
    later: (title: string) => `Try ${title} later`,
    moved: (title: string) => `${title} was moved. The order holds for messages from now on.`,
    moveTitle: (title: string) => `Move ${title}`,
    otherChannels: (channels: string) =>
      `The order has one priority for all channels: it changes for ${channels}, too.`,
    closesBreaker: (titles: string) =>
      `${titles} is not called now, because its latest calls failed. A change of its settings ends that: it is called again at once.`,
    sandbox: 'Sandbox: keeps messages, sends none',
    off: 'No messages go there',
    last: 'After the last one, a message goes to its next channel or fails. Before that, failed calls are repeated.',
    noCalls: 'No calls in 24 hours',
    countsLater: 'Calls are counted in a few seconds',
    since: 'Since',
    nextProbe: 'Next probe',
    lastError: 'Last error',
    calls: (calls: string) => `${calls} ${calls === '1' ? 'call' : 'calls'} in 24 hours`,
    allChannels: 'all channels',
    sandboxTitle: 'Channels without a provider',
    sandboxText: (channels: string) => `${channels}: until an integration is added, messages stay in the mailbox.`,
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
    noRoute: 'No integration is switched on: messages to this channel fail.',
  },
  de: {
    empty: 'Noch keine Integrationen',
    emptyText: 'Eine Integration ist ein Anbieter mit Ihren Zugangsdaten: SMTP für E-Mail, Twilio für SMS und andere.',
    catalog: 'Katalog öffnen',
    earlier: (title: string) => `${title} früher versuchen`,
    later: (title: string) => `${title} später versuchen`,
    moved: (title: string) => `${title} ist verschoben. Die Reihenfolge gilt ab jetzt.`,
    moveTitle: (title: string) => `${title} verschieben`,
    otherChannels: (channels: string) =>
      `Der Rang gilt für alle Kanäle: Die Reihenfolge ändert sich auch für ${channels}.`,
    closesBreaker: (titles: string) =>
      `${titles} wird gerade nicht aufgerufen, weil die letzten Aufrufe scheiterten. Jede Änderung beendet das: Die Aufrufe beginnen sofort wieder.`,
    sandbox: 'Sandbox: behält Nachrichten und versendet keine',
    off: 'Dorthin gehen keine Nachrichten',
    last: 'Nach der letzten geht eine Nachricht zum nächsten Kanal oder scheitert. Zuvor werden Aufrufe wiederholt.',
    noCalls: 'Keine Aufrufe in 24 Stunden',
    countsLater: 'Aufrufe sind in einigen Sekunden gezählt',
    since: 'Seit',
    nextProbe: 'Nächster Versuch',
    lastError: 'Letzter Fehler',
    calls: (calls: string) => `${calls} Aufrufe in 24 Stunden`,
    allChannels: 'alle Kanäle',
    sandboxTitle: 'Kanäle ohne Anbieter',
    sandboxText: (channels: string) => `${channels}: Bis eine Integration hinzukommt, bleiben Nachrichten im Postfach.`,
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
    noRoute: 'Keine Integration ist eingeschaltet: Nachrichten an diesen Kanal scheitern.',
  },
})

interface Move {
  integration: Integration
  changes: readonly PriorityChange[]
  before: readonly PriorityChange[]
}

const BARS = 24

export function FailoverOrder() {
  const t = useTexts(orderTexts)
  const names = useTexts(channelNames)
  const { canConnect } = usePermissions()
  const confirm = useConfirm()
  const { list } = useFormat()
  const { data: integrations, ...query } = useRoutedIntegrations()
  const apply = async (changes: readonly PriorityChange[]) => {
    // One after the other: the API changes one integration a call.
    for (const { id, priority } of changes) {
      const integration = integrations?.find((candidate) => candidate.id === id)
      if (integration) await changeIntegration(integration, { priority })
    }
  }
  const move = useAction({
    act: ({ changes }: Move) => apply(changes),
    done: (_result, { integration }) => t.moved(integration.title),
    undo: (_result, { before }) => apply(before),
    changes: [integrationKey],
    isInSteps: true,
  })
  if (query.isPending) return <Loading />
  if (!integrations) return <Failed error={query.error} retry={query.refetch} />
  if (integrations.length === 0) return <NoIntegrations />
  const realChannels = channels.filter((channel) => !isSandboxOnly(integrations, channel))
  const moveBeside = async (
    channel: Integration['channel'],
    integration: Integration,
    side: 'before' | 'after',
    other: Integration,
  ) => {
    const changes = prioritiesToMove(integrations, integration.id, side, other.id)
    const before = changes.flatMap(({ id }) => {
      const { priority } = integrations.find((candidate) => candidate.id === id) ?? {}
      return priority === undefined ? [] : [{ id, priority }]
    })
    const effects = effectsOfMove(integrations, changes, channel)
    const notes = [
      effects.channels.length > 0 &&
        t.otherChannels(
          list(effects.channels.map((name) => (name in names ? names[name as keyof typeof names] : name))),
        ),
      effects.closed.length > 0 && t.closesBreaker(list(effects.closed.map(({ title }) => title))),
    ].filter((note) => note !== false)
    const isConfirmed =
      notes.length === 0 ||
      (await confirm({
        title: t.moveTitle(integration.title),
        text: notes.map((note) => <p key={note}>{note}</p>),
        action: t.moveTitle(integration.title),
      }))
    if (isConfirmed) move.mutate({ integration, changes, before })
  }
  return (
    <>
      {realChannels.length > 0 && <p className={styles.last}>{t.last}</p>}
      {realChannels.map((channel) => {
        const places = placesOf(integrations, channel).filter(({ turn }) => turn !== 'sandbox_skipped')
        const tried = triedIn(integrations, channel)
        const attemptCount = tried.length
        const numbers = turnNumbers(tried)
        const total = weightsIn(tried)
        const { turns, skipped } = calledNow(tried)
        return (
          <Section key={channel} title={names[channel]}>
            {attemptCount === 0 && (
              <div className={styles.note} data-tone="warn">
                {t.noRoute}
              </div>
            )}
            <Card padded={false}>
              <ol className={styles.order}>
                {places.map(({ integration, turn }, index) => {
                  const previous = turn === 'tried' && index > 0 ? places[index - 1] : undefined
                  const next = turn === 'tried' && index < attemptCount - 1 ? places[index + 1] : undefined
                  return (
                    <PlaceRow
                      key={integration.id}
                      {...{ integration, turn, total }}
                      number={numbers.get(integration.id)}
                      standsInFor={turns[0]?.includes(integration) ? skipped : []}
                    >
                      {canConnect && attemptCount > 1 && turn === 'tried' && (
                        <span className={styles.moves}>
                          <ActionIcon
                            variant="default"
                            aria-label={t.earlier(integration.title)}
                            title={t.earlier(integration.title)}
                            disabled={!previous || move.isPending}
                            onClick={() =>
                              previous && void moveBeside(channel, integration, 'before', previous.integration)
                            }
                          >
                            <ArrowUpIcon width={16} aria-hidden />
                          </ActionIcon>
                          <ActionIcon
                            variant="default"
                            aria-label={t.later(integration.title)}
                            title={t.later(integration.title)}
                            disabled={!next || move.isPending}
                            onClick={() => next && void moveBeside(channel, integration, 'after', next.integration)}
                          >
                            <ArrowDownIcon width={16} aria-hidden />
                          </ActionIcon>
                        </span>
                      )}
                    </PlaceRow>
                  )
                })}
              </ol>
            </Card>
          </Section>
        )
      })}
      <Sandboxes integrations={integrations} />
    </>
  )
}

/** Also without any integration: nothing is said of a channel that nothing serves. */
const isSandboxOnly = (integrations: readonly Integration[], channel: Integration['channel']) =>
  placesOf(integrations, channel).every(
    ({ integration, turn }) => integration.provider === 'mailbox' && turn === 'tried',
  )

function NoIntegrations() {
  const t = useTexts(orderTexts)
  const navigate = useNavigate()
  return (
    <Empty
      title={t.empty}
      action={
        <Button onClick={() => void navigate({ to: '/integrations', search: { tab: 'catalog' } })}>{t.catalog}</Button>
      }
    >
      {t.emptyText}
    </Empty>
  )
}

/** The channels whose messages stay in the mailbox. */
function Sandboxes({ integrations }: { integrations: readonly Integration[] }) {
  const t = useTexts(orderTexts)
  const names = useTexts(channelNames)
  const { list } = useFormat()
  const served = channels.filter(
    (channel) => placesOf(integrations, channel).length > 0 && isSandboxOnly(integrations, channel),
  )
  const sandboxes = integrations.filter(({ provider, enabled }) => provider === 'mailbox' && enabled)
  if (served.length === 0) return null
  return (
    <Section title={t.sandboxTitle} description={t.sandboxText(list(served.map((name) => names[name])))}>
      <Card padded={false}>
        <ol className={styles.order}>
          {sandboxes.map((integration, index) => (
            <PlaceRow key={integration.id} {...{ integration, turn: 'tried', number: index + 1 }} />
          ))}
        </ol>
      </Card>
    </Section>
  )
}

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

function PlaceRow({ integration, turn, number: place, total, standsInFor = [], children }: PlaceRowProps) {
  const t = useTexts(orderTexts)
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
  const t = useTexts(orderTexts)
  const { list } = useFormat()
  const waitingText = useWaitingText(integration.id)
  const { circuit_breaker: breaker, enabled, unreadable, updated } = integration
  const now = Date.now()
  const condition = conditionOf(integration, 0, now)
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
  const t = useTexts(orderTexts)
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
  const t = useTexts(orderTexts)
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
