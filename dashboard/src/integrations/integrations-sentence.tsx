/** The first line of the integrations: the way of each channel, those that fail with the messages that wait for them, and their repair. */
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { brokenIntegrations } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { channelNames } from '../parts/meanings.ts'
import { useFormat } from '../parts/time.tsx'
import { type ChannelRoute, channelRoutes } from './channel-routes.ts'
import { breakerReasons } from './condition.tsx'
import styles from './integrations.module.css'
import { waitingQuery } from './waiting-query.ts'

const sentenceTexts = texts({
  en: {
    sent: (channels: string, turns: string, count: number) => `${channels} ${count === 1 ? 'goes' : 'go'} by ${turns}`,
    none: (channels: string, count: number) => `${channels} ${count === 1 ? 'goes' : 'go'} nowhere`,
    mailbox: (channels: string, count: number) => `${channels} ${count === 1 ? 'stays' : 'stay'} in the mailbox`,
    or: (first: string, second: string) => `${first} or ${second}`,
    next: (first: string, second: string) => `${first}, then ${second}`,
    fine: 'None of them is failing.',
    failing: (title: string, time: string) => `${title} has been failing since ${time}`,
    probed: (title: string, time: string) => `${title} is being probed, after it failed at ${time}`,
    unreadable: (title: string) => `The secrets of ${title} cannot be read`,
    held: (count: string) => (count === '1' ? '1 message is held' : `${count} messages are held`),
    retried: (count: string) =>
      count === '1' ? '1 message waits for its next attempt' : `${count} messages wait for their next attempt`,
    repair: (title: string) => `Repair ${title}`,
    look: (title: string) => `Look at ${title}`,
  },
  de: {
    sent: (channels: string, turns: string, count: number) =>
      `${channels} ${count === 1 ? 'geht' : 'gehen'} über ${turns}`,
    none: (channels: string, count: number) => `${channels} ${count === 1 ? 'geht' : 'gehen'} nirgendwohin`,
    mailbox: (channels: string, count: number) => `${channels} ${count === 1 ? 'bleibt' : 'bleiben'} im Postfach`,
    or: (first: string, second: string) => `${first} oder ${second}`,
    next: (first: string, second: string) => `${first}, dann ${second}`,
    fine: 'Keine davon fällt aus.',
    failing: (title: string, time: string) => `${title} fällt seit ${time} aus`,
    probed: (title: string, time: string) => `${title} wird erprobt, nach dem Ausfall um ${time}`,
    unreadable: (title: string) => `Die Geheimnisse von ${title} sind nicht lesbar`,
    held: (count: string) => (count === '1' ? '1 Nachricht ist angehalten' : `${count} Nachrichten sind angehalten`),
    retried: (count: string) =>
      count === '1'
        ? '1 Nachricht wartet auf ihren nächsten Versuch'
        : `${count} Nachrichten warten auf ihren nächsten Versuch`,
    repair: (title: string) => `${title} reparieren`,
    look: (title: string) => `${title} ansehen`,
  },
})

/** More are in the list below. */
const NAMED_MAX = 3

export function IntegrationsSentence({ integrations }: { integrations: readonly Integration[] }) {
  const t = useTexts(sentenceTexts)
  const { number } = useFormat()
  const { data: waiting } = useQuery(waitingQuery)
  const routeText = useRouteText()
  const unreadable = integrations.filter((integration) => integration.enabled && integration.unreadable)
  const failing = [...unreadable, ...brokenIntegrations(integrations).filter((each) => !each.unreadable)]
  const routes = channelRoutes(integrations)
  const heldCount = waiting && (waiting.hasMore.held ? `${number(waiting.heldCount)}+` : number(waiting.heldCount))
  return (
    <>
      {routes.map(routeText).join('; ')}.{' '}
      {failing.slice(0, NAMED_MAX).map((integration) => (
        <FailingSentence key={integration.id} integration={integration} />
      ))}
      {failing.length === 0 && heldCount === '0' && routes.some(({ kind }) => kind === 'sent') && t.fine}
      {failing.length === 0 && heldCount !== undefined && heldCount !== '0' && (
        <>
          {' '}
          <Link to="/messages" search={{ status: ['HELD'] }}>
            {t.held(heldCount)}
          </Link>
          .
        </>
      )}
    </>
  )
}

function useRouteText() {
  const t = useTexts(sentenceTexts)
  const names = useTexts(channelNames)
  const { list } = useFormat()
  return ({ channels, kind, turns }: ChannelRoute) => {
    const named = list(channels.map((channel) => names[channel]))
    if (kind !== 'sent') return t[kind](named, channels.length)
    return t.sent(named, turns.map((titles) => titles.reduce(t.or)).reduce(t.next), channels.length)
  }
}

function FailingSentence({ integration }: { integration: Integration }) {
  const t = useTexts(sentenceTexts)
  const reasons = useTexts(breakerReasons)
  const { timeOfDay } = useFormat()
  const { id, title, unreadable, circuit_breaker: breaker } = integration
  const waitingText = useWaitingText(id)
  const since = timeOfDay(breaker?.since ?? integration.updated ?? integration.created)
  const state = unreadable ? t.unreadable(title) : (breaker?.state === 'open' ? t.failing : t.probed)(title, since)
  return (
    <span data-failing={id}>
      <b className={styles.failing}>{state}</b>
      {!unreadable && `: ${reasons[breaker?.reason ?? 'unknown']}`}
      {waitingText && `; ${waitingText}`}. <RepairLink integration={integration} />{' '}
    </span>
  )
}

/** Undefined where no message waits for the integration. */
export function useWaitingText(id: string): string | undefined {
  const t = useTexts(sentenceTexts)
  const { list, number } = useFormat()
  const { data: waiting } = useQuery(waitingQuery)
  const heldCount = waiting?.heldBy.get(id)?.length
  const retriedCount = waiting?.retriedBy.get(id)
  const shown = (count: number, isMore: boolean | undefined) => (isMore ? `${number(count)}+` : number(count))
  const parts = [
    ...(heldCount ? [t.held(shown(heldCount, waiting?.hasMore.held))] : []),
    ...(retriedCount ? [t.retried(shown(retriedCount, waiting?.hasMore.retried))] : []),
  ]
  return parts.length > 0 ? list(parts) : undefined
}

/** To the settings, where these are the cause. */
export function RepairLink({ integration }: { integration: Integration }) {
  const t = useTexts(sentenceTexts)
  const { id, title, unreadable, circuit_breaker: { reason } = {} } = integration
  const isOfSettings = unreadable || reason === 'configuration' || reason === 'authentication'
  return (
    <Link to="/integrations/$id" params={{ id }} search={isOfSettings ? { tab: 'settings' } : {}}>
      {isOfSettings ? t.repair(title) : t.look(title)}
    </Link>
  )
}
