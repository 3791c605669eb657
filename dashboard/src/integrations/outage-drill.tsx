/** The last messages without an integration: how many go by which route, and each of them. */
import type { OutageMessage, ProviderOutage } from '@postrider/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { integrationKey } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { channelNames, reasonMeanings } from '../parts/meanings.ts'
import { Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tag, type Tone } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './integrations.module.css'
import { lostChannels, outageCounts } from './outage-counts.ts'

const MESSAGES = 50

const drillTexts = texts({
  en: {
    title: (name: string) => `Without ${name}`,
    about:
      'Recent messages that it could have sent, decided again with the profiles, preferences and integrations of now.',
    counts: (all: string) => (all === '1' ? 'The last message:' : `The last ${all} messages:`),
    by: (routes: string) => `go by ${routes}`,
    onlyBy: (routes: string) => `lose a channel, and go by ${routes}`,
    waiting: 'wait until it is back',
    untilBack: 'when it is back',
    notDelivered: 'are not delivered',
    incomplete: 'The search ended before it had 50 messages: older ones were not looked at.',
    none: 'No message could have gone by it',
    noneHint: 'A message counts when the integration was one of its candidates.',
    noneLately: 'None of the latest messages could have gone by it; older ones were not looked at.',
    send: 'Send a message',
    result: 'Result',
    recipient: 'Recipient',
    before: 'Sent by',
    during: 'Without it',
    enqueued: 'Enqueued',
    messages: 'Messages in the outage',
    each: (count: string) => (count === '1' ? 'The message' : `Each of the ${count} messages`),
    later: (routes: string, duration: string) => `${routes}, after ${duration} at most`,
    without: (routes: string, lost: string) => `${routes}; not by ${lost}`,
    same: 'same route',
    other_integration: 'next integration',
    other_channel: 'other channel',
    fewer_channels: 'fewer channels',
    waits: 'waits',
    not_delivered: 'not delivered',
  },
  de: {
    title: (name: string) => `Ohne ${name}`,
    about:
      'Letzte Nachrichten, die sie hätte senden können, neu entschieden mit den heutigen Profilen, Wünschen und Integrationen.',
    counts: (all: string) => (all === '1' ? 'Die letzte Nachricht:' : `Die letzten ${all} Nachrichten:`),
    by: (routes: string) => `gehen über ${routes}`,
    onlyBy: (routes: string) => `verlieren einen Kanal und gehen über ${routes}`,
    waiting: 'warten, bis sie wieder da ist',
    untilBack: 'sobald sie wieder da ist',
    notDelivered: 'werden nicht zugestellt',
    incomplete: 'Die Suche endete vor 50 Nachrichten: Ältere wurden nicht angesehen.',
    none: 'Keine Nachricht hätte über sie gehen können',
    noneHint: 'Gezählt wird eine Nachricht, für die die Integration in Frage kam.',
    noneLately: 'Keine der letzten Nachrichten hätte über sie gehen können; ältere wurden nicht angesehen.',
    send: 'Nachricht senden',
    result: 'Ergebnis',
    recipient: 'Empfänger',
    before: 'Gesendet über',
    during: 'Ohne sie',
    enqueued: 'Angenommen',
    messages: 'Nachrichten im Ausfall',
    each: (count: string) => (count === '1' ? 'Die Nachricht' : `Jede der ${count} Nachrichten`),
    later: (routes: string, duration: string) => `${routes}, nach höchstens ${duration}`,
    without: (routes: string, lost: string) => `${routes}; nicht über ${lost}`,
    same: 'gleicher Weg',
    other_integration: 'nächste Integration',
    other_channel: 'anderer Kanal',
    fewer_channels: 'weniger Kanäle',
    waits: 'wartet',
    not_delivered: 'nicht zugestellt',
  },
})

const tones: Record<OutageMessage['result'], Tone> = {
  same: 'quiet',
  other_integration: 'good',
  other_channel: 'warn',
  fewer_channels: 'warn',
  waits: 'hold',
  not_delivered: 'bad',
}

interface OutageDrillProps {
  id: string
  title: string
  /** Ids of all integrations that are down, this one among them. */
  down: readonly string[]
}

export function OutageDrill({ id, title, down }: OutageDrillProps) {
  const t = useTexts(drillTexts)
  const unavailable = down.filter((other) => other !== id)
  const drill = useQuery({
    queryKey: [...integrationKey, 'drill', id, unavailable],
    queryFn: ({ signal }) => api.providers.outage(id, { limit: MESSAGES, unavailable }, { signal, retries: 0 }),
    placeholderData: keepPreviousData,
  })
  return (
    <Section title={t.title(title)} description={t.about}>
      {drill.isError ? (
        <Failed error={drill.error} retry={drill.refetch} />
      ) : drill.data ? (
        <div className={styles.stack} aria-busy={drill.isFetching} data-drill={id}>
          <DrillResult outage={drill.data} isFolded={unavailable.length > 0} />
        </div>
      ) : (
        <Loading />
      )}
    </Section>
  )
}

interface DrillResultProps {
  outage: ProviderOutage
  /** Several drills have mostly the same messages. */
  isFolded: boolean
}

function DrillResult({ outage: { compared, complete, results }, isFolded }: DrillResultProps) {
  const t = useTexts(drillTexts)
  const { number } = useFormat()
  const routesText = useRoutesText()
  const columns = useColumns()
  const navigate = useNavigate()
  const countText = (result: OutageMessage['result'], routes: string) => {
    if (result === 'waits') return t.waiting
    if (result === 'not_delivered') return t.notDelivered
    return result === 'fewer_channels' ? t.onlyBy(routes) : t.by(routes)
  }
  if (compared === 0)
    return (
      <Empty title={t.none} action={<LinkButton to="/send">{t.send}</LinkButton>}>
        {complete ? t.noneHint : t.noneLately}
      </Empty>
    )
  const open = ({ message_id: messageId }: OutageMessage) =>
    void navigate({ to: '/messages/$messageId', params: { messageId } })
  return (
    <>
      <p>{t.counts(number(compared))}</p>
      <dl className={styles.figures}>
        {outageCounts(results).map(({ key, count, during, result }) => (
          <div key={key} data-count={during.length > 0 ? 'sent' : result}>
            <dt>{countText(result, routesText(during))}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      {!complete && <p className={styles.dim}>{t.incomplete}</p>}
      <details className={styles.fold} open={!isFolded} key={String(isFolded)}>
        <summary>{t.each(number(results.length))}</summary>
        <Table
          label={t.messages}
          columns={columns}
          rows={results}
          idOf={({ message_id: messageId }) => messageId}
          open={open}
          show={open}
        />
      </details>
    </>
  )
}

function useColumns(): Column<OutageMessage>[] {
  const t = useTexts(drillTexts)
  const meanings: Record<string, string> = useTexts(reasonMeanings)
  const names = useTexts(channelNames)
  const { duration, list } = useFormat()
  const routesText = useRoutesText()
  const duringText = ({ result, before, during, failover_ms: failoverMs, reason, summary }: OutageMessage) => {
    if (result === 'waits') return t.untilBack
    if (result === 'not_delivered') return meanings[reason ?? ''] ?? summary
    const routes = routesText(during)
    if (result === 'fewer_channels')
      return t.without(routes, list(lostChannels(before, during).map((name) => names[name])))
    return failoverMs === undefined ? routes : t.later(routes, duration(failoverMs))
  }
  return [
    {
      key: 'recipient',
      title: t.recipient,
      place: 'title',
      cell: ({ message_id: messageId, recipient }) => (
        <Link to="/messages/$messageId" params={{ messageId }}>
          {recipient}
        </Link>
      ),
    },
    {
      key: 'result',
      title: t.result,
      width: '160px',
      place: 'end',
      cell: ({ result }) => <Tag tone={tones[result]}>{t[result]}</Tag>,
    },
    { key: 'before', title: t.before, wideOnly: true, cell: ({ before }) => routesText(before) },
    {
      key: 'during',
      title: t.during,
      width: 'minmax(0, 2fr)',
      place: 'fill',
      cell: (message) => <span title={duringText(message)}>{duringText(message)}</span>,
    },
    {
      key: 'enqueued',
      title: t.enqueued,
      width: '120px',
      align: 'end',
      place: 'corner',
      cell: ({ enqueued }) => <Time at={enqueued} />,
    },
  ]
}

function useRoutesText(): (routes: OutageMessage['during']) => string {
  const names = useTexts(channelNames)
  const { list } = useFormat()
  return (routes) => list(routes.map(({ title, provider, channel }) => `${title ?? provider} (${names[channel]})`))
}
