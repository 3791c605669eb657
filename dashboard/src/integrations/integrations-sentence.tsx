/** The first line of the integrations: the way of each channel now, those that are not called with the messages that wait for them or failed, and their repair. */
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { brokenIntegrations } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { channelNames } from '../parts/meanings.ts'
import { useFormat } from '../parts/time.tsx'
import { type ChannelRoute, channelRoutes, firstOf } from './channel-routes.ts'
import { breakerReasons } from './condition.tsx'
import { conditionOf } from './integration-condition.ts'
import styles from './integrations.module.css'
import { outageOf } from './lost-messages.ts'
import { useLostMessages } from './lost-query.ts'
import { waitingQuery } from './waiting-query.ts'

const sentenceTexts = texts({
  en: {
    sent: (channels: string, turns: string, count: number) => `${channels} ${count === 1 ? 'goes' : 'go'} by ${turns}`,
    instead: (channels: string, turns: string, skipped: string, count: number) =>
      `${channels} now ${count === 1 ? 'goes' : 'go'} by ${turns}, instead of ${skipped}`,
    stopped: (channels: string, skipped: string, skippedCount: number) =>
      `Nothing carries ${channels} now: ${skipped} ${skippedCount === 1 ? 'is' : 'are'} not called`,
    none: (channels: string, count: number) => `${channels} ${count === 1 ? 'goes' : 'go'} nowhere`,
    mailbox: (channels: string, count: number) => `${channels} ${count === 1 ? 'stays' : 'stay'} in the mailbox`,
    or: (first: string, second: string) => `${first} or ${second}`,
    next: (first: string, second: string) => `${first}, then ${second}`,
    more: (first: string, count: string) => `${first}, and ${count} more`,
    fine: 'None of them is failing.',
    due: 'the next message tries it again',
    limited: (title: string, count: string) =>
      `${title} has reached its limit of today, ${count === '1' ? '1 call' : `${count} calls`}, until 00:00 UTC`,
    lost: (count: string) => (count === '1' ? '1 message failed' : `${count} messages failed`),
    failing: (title: string, time: string) => `${title} has been failing since ${time}`,
    probed: (title: string, time: string) => `${title} is being probed, after it failed at ${time}`,
    unreadable: (title: string) => `The secrets of ${title} cannot be read`,
    held: (count: string) => (count === '1' ? '1 message is held' : `${count} messages are held`),
    heldInAll: (count: string) => `${count} messages are held in all`,
    retried: (count: string) =>
      count === '1' ? '1 message waits for its next attempt' : `${count} messages wait for their next attempt`,
    repair: (title: string) => `Repair ${title}`,
    limit: (title: string) => `Change the limit of ${title}`,
    look: (title: string) => `Look at ${title}`,
  },
  de: {
    sent: (channels: string, turns: string, count: number) =>
      `${channels} ${count === 1 ? 'geht' : 'gehen'} über ${turns}`,
    instead: (channels: string, turns: string, skipped: string, count: number) =>
      `${channels} ${count === 1 ? 'geht' : 'gehen'} jetzt über ${turns}, statt über ${skipped}`,
    stopped: (channels: string, skipped: string, skippedCount: number) =>
      `Nichts befördert jetzt ${channels}: ${skipped} ${skippedCount === 1 ? 'wird' : 'werden'} nicht aufgerufen`,
    none: (channels: string, count: number) => `${channels} ${count === 1 ? 'geht' : 'gehen'} nirgendwohin`,
    mailbox: (channels: string, count: number) => `${channels} ${count === 1 ? 'bleibt' : 'bleiben'} im Postfach`,
    or: (first: string, second: string) => `${first} oder ${second}`,
    next: (first: string, second: string) => `${first}, dann ${second}`,
    more: (first: string, count: string) => `${first} und ${count} weitere`,
    fine: 'Keine davon fällt aus.',
    due: 'die nächste Nachricht versucht es wieder',
    limited: (title: string, count: string) =>
      `${title} hat das Tageslimit erreicht, ${count === '1' ? '1 Aufruf' : `${count} Aufrufe`}, bis 00:00 UTC`,
    lost: (count: string) => (count === '1' ? '1 Nachricht ist gescheitert' : `${count} Nachrichten sind gescheitert`),
    failing: (title: string, time: string) => `${title} fällt seit ${time} aus`,
    probed: (title: string, time: string) => `${title} wird erprobt, nach dem Ausfall um ${time}`,
    unreadable: (title: string) => `Die Geheimnisse von ${title} sind nicht lesbar`,
    held: (count: string) => (count === '1' ? '1 Nachricht ist angehalten' : `${count} Nachrichten sind angehalten`),
    heldInAll: (count: string) => `Insgesamt sind ${count} Nachrichten angehalten`,
    retried: (count: string) =>
      count === '1'
        ? '1 Nachricht wartet auf ihren nächsten Versuch'
        : `${count} Nachrichten warten auf ihren nächsten Versuch`,
    repair: (title: string) => `${title} reparieren`,
    limit: (title: string) => `Limit von ${title} ändern`,
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
  const enabled = integrations.filter((integration) => integration.enabled)
  const unreadable = enabled.filter((integration) => integration.unreadable)
  const broken = brokenIntegrations(enabled).filter((each) => !each.unreadable)
  const limited = enabled.filter((each) => conditionOf(each, 0, Date.now()) === 'limited')
  const stopped = [...unreadable, ...broken, ...limited]
  const routes = channelRoutes(integrations)
  const heldAt = stopped.filter(({ id }) => waiting?.heldBy.has(id)).length
  const heldCount = waiting?.heldCount
  return (
    <>
      {routes.map(routeText).join('; ')}.{' '}
      {stopped.slice(0, NAMED_MAX).map((integration) => (
        <StoppedSentence key={integration.id} integration={integration} />
      ))}
      {stopped.length === 0 && heldCount === 0 && routes.some(({ kind }) => kind === 'sent') && t.fine}
      {heldCount !== undefined && heldCount > 0 && heldAt !== 1 && (
        <>
          <Link to="/messages" search={{ status: ['HELD'] }}>
            {heldAt > 1 ? t.heldInAll(number(heldCount)) : t.held(number(heldCount))}
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
  const { list, number } = useFormat()
  const withRest = (text: string, rest: number) => (rest > 0 ? t.more(text, number(rest)) : text)
  return ({ channels, kind, turns, skipped }: ChannelRoute) => {
    const named = list(channels.map((channel) => names[channel]))
    if (kind === 'none' || kind === 'mailbox') return t[kind](named, channels.length)
    const skippedRest = skipped.length - NAMED_MAX
    const skippedText = skippedRest > 0 ? withRest(skipped.slice(0, NAMED_MAX).join(', '), skippedRest) : list(skipped)
    if (kind === 'stopped') return t.stopped(named, skippedText, skipped.length)
    const first = firstOf(turns, NAMED_MAX)
    const way = withRest(
      first.map((titles) => titles.reduce(t.or)).reduce(t.next),
      turns.flat().length - first.flat().length,
    )
    return skipped.length > 0
      ? t.instead(named, way, skippedText, channels.length)
      : t.sent(named, way, channels.length)
  }
}

/** Unreadable, failing, or at the limit of the day: why, what waits or was lost, and the way to mend it. */
function StoppedSentence({ integration }: { integration: Integration }) {
  const t = useTexts(sentenceTexts)
  const reasons = useTexts(breakerReasons)
  const { list, number, timeOfDay } = useFormat()
  const { id, title, unreadable, circuit_breaker: breaker, limits } = integration
  const waitingText = useWaitingText(id)
  const lost = useLostMessages(integration, outageOf(integration))
  const condition = conditionOf(integration, 0, Date.now())
  const since = timeOfDay(breaker?.since ?? integration.updated ?? integration.created)
  const state =
    condition === 'unreadable'
      ? t.unreadable(title)
      : condition === 'limited'
        ? t.limited(title, number(limits?.per_day ?? 0))
        : (breaker?.state === 'half_open' ? t.probed : t.failing)(title, since)
  const consequences = [waitingText, lost && t.lost(lost.hasMore ? `${number(lost.count)}+` : number(lost.count))]
  const effects = [list(consequences.filter((text) => text !== undefined)), condition === 'due' ? t.due : '']
  return (
    <span data-failing={id}>
      <b className={styles.failing} data-tone={condition === 'limited' ? 'warn' : undefined}>
        {state}
      </b>
      {!unreadable && condition !== 'limited' && `: ${reasons[breaker?.reason ?? 'unknown']}`}
      {effects.map((text) => text && `; ${text}`)}. <RepairLink integration={integration} />.{' '}
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
export function RepairLink({ integration, isHeld = false }: { integration: Integration; isHeld?: boolean }) {
  const t = useTexts(sentenceTexts)
  const { id, title, unreadable, circuit_breaker: { reason } = {} } = integration
  const isLimited = conditionOf(integration, 0, Date.now()) === 'limited'
  const isOfSettings = isHeld || isLimited || unreadable || reason === 'configuration' || reason === 'authentication'
  return (
    <Link to="/integrations/$id" params={{ id }} search={isOfSettings ? { tab: 'settings' } : {}}>
      {isLimited ? t.limit(title) : isOfSettings ? t.repair(title) : t.look(title)}
    </Link>
  )
}
