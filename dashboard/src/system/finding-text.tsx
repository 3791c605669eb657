/** A finding in words, with the page or the command that helps. */
import { sourceText } from '@postrider/client/steps'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { waitingMessages } from '../health/integrations.ts'
import { useIsOperator } from '../health/pause.ts'
import { texts, useTexts } from '../language/language.tsx'
import { germanAuthors } from '../parts/sources.ts'
import { Time, useFormat } from '../parts/time.tsx'
import { BACKUP, CheckText, laneTexts } from './figures.tsx'
import type { Finding } from './findings.ts'
import { failedQuery, failedSince } from './queries.ts'

const findingTexts = texts({
  en: {
    part: (part: string) => `The part ${part} could not be read:`,
    paused: (source: string | undefined) =>
      `Deliveries are paused${source === undefined ? '' : ` by ${sourceText(source)}`}: messages are accepted, and nothing is sent. Paused`,
    noWorker: 'No living node delivers: messages are accepted at most. Start a node.',
    silentNode: (id: string, time: string) =>
      `Node ${id} has not reported for ${time}: it does every ten seconds while it lives.`,
    deadNode: (id: string) => `Node ${id} died without stopping; living nodes take over its work. Last seen`,
    takenOver: (id: string) => `Node ${id} died without stopping; living nodes have taken over its messages. Last seen`,
    abandoned: (id: string, count: string) =>
      `Node ${id} died without stopping; of its messages, ${count} have not been taken over yet. Last seen`,
    lateLane: (lane: string, time: string, count: string) =>
      `${lane} messages are late: the first has been due for ${time}, ${count} wait.`,
    lateQueue: (queue: string, time: string) => `The queue ${queue} is late: its first row has been due for ${time}.`,
    breakerOpen: 'The latest calls failed, so nothing is sent now through',
    breakerProbing: 'The latest calls failed; the next message tries it again through',
    failed: (count: number, isMore: boolean) =>
      isMore ? `See ${count} or more that failed` : count === 1 ? 'See 1 that failed' : `See ${count} that failed`,
    dayLimit: (time: string) =>
      `The calls of the day are used up: until ${time}, messages go another way or wait that would go through`,
    provider: (share: string) => `Only ${share} of the calls of the last hour were answered by`,
    lastError: 'Latest error',
    backup: 'The database has never been backed up.',
    download: 'To the download',
    undelivered: (share: string) => `${share} of the messages of the last 10 minutes could not be delivered.`,
    messages: 'See which',
    retried: 'See which messages wait',
    letters: (open: string, recent: string) =>
      `Given up and neither released nor dismissed: ${open}, ${recent} of them in the last 24 hours.`,
    seeLetters: 'See dead letters',
    connections: (id: string, count: string) => `Node ${id} has no free connection: ${count} statements wait.`,
    statement: (time: string) => `A statement has been running for ${time}.`,
  },
  de: {
    part: (part: string) => `Der Teil ${part} ließ sich nicht lesen:`,
    paused: (source: string | undefined) =>
      `Die Zustellung ist pausiert${source === undefined ? '' : ` (von ${sourceText(source, {}, germanAuthors)})`}: Nachrichten werden angenommen, aber nicht versendet. Pausiert`,
    noWorker: 'Kein lebender Knoten stellt zu: Nachrichten werden höchstens angenommen. Einen Knoten starten.',
    silentNode: (id: string, time: string) =>
      `Von Knoten ${id} kam seit ${time} kein Lebenszeichen; sonst kommt alle zehn Sekunden eines.`,
    deadNode: (id: string) => `Knoten ${id} ist verschwunden, ohne zu stoppen; die anderen übernehmen. Zuletzt gesehen`,
    takenOver: (id: string) =>
      `Knoten ${id} ist verschwunden, ohne zu stoppen; die anderen haben seine Nachrichten übernommen. Zuletzt gesehen`,
    abandoned: (id: string, count: string) =>
      `Knoten ${id} ist verschwunden, ohne zu stoppen; ${count} seiner Nachrichten sind noch nicht übernommen. Zuletzt gesehen`,
    lateLane: (lane: string, time: string, count: string) =>
      `${lane}: Nachrichten sind verspätet; die erste ist seit ${time} fällig, ${count} warten.`,
    lateQueue: (queue: string, time: string) =>
      `Die Warteschlange ${queue} ist verspätet: Die erste Zeile ist seit ${time} fällig.`,
    breakerOpen: 'Die letzten Aufrufe scheiterten, darum geht jetzt nichts über',
    breakerProbing: 'Die letzten Aufrufe scheiterten; die nächste Nachricht versucht es wieder über',
    failed: (count: number, isMore: boolean) =>
      `${count}${isMore ? ' oder mehr' : ''} gescheiterte ${count === 1 ? 'Nachricht' : 'Nachrichten'} ansehen`,
    dayLimit: (time: string) =>
      `Die Aufrufe des Tages sind verbraucht: Bis ${time} nehmen Nachrichten einen anderen Weg oder warten, statt zu gehen über`,
    provider: (share: string) => `Nur ${share} der Aufrufe der letzten Stunde beantwortete`,
    lastError: 'Letzter Fehler',
    backup: 'Die Datenbank wurde noch nie gesichert.',
    download: 'Zum Herunterladen',
    undelivered: (share: string) => `${share} der Nachrichten der letzten 10 Minuten waren nicht zustellbar.`,
    messages: 'Welche?',
    retried: 'Welche Nachrichten warten?',
    letters: (open: string, recent: string) =>
      `Aufgegeben und weder freigegeben noch abgehakt: ${open}, davon ${recent} in den letzten 24 Stunden.`,
    seeLetters: 'Aufgegebenes ansehen',
    connections: (id: string, count: string) => `Knoten ${id} hat keine freie Verbindung: ${count} Anweisungen warten.`,
    statement: (time: string) => `Seit ${time} läuft eine Anweisung.`,
  },
})

export function FindingText({ finding }: { finding: Finding }) {
  const t = useTexts(findingTexts)
  const lanes = useTexts(laneTexts)
  const { duration, number, percent, timeOfDay } = useFormat()
  const isOperator = useIsOperator()
  const deadNodeText = ({ id, abandoned }: Extract<Finding, { kind: 'dead-node' }>) =>
    abandoned === null ? t.deadNode(id) : abandoned === 0 ? t.takenOver(id) : t.abandoned(id, number(abandoned))
  switch (finding.kind) {
    case 'part':
      return (
        <>
          {t.part(finding.part)} {finding.message}
        </>
      )
    case 'paused':
      return (
        <>
          {t.paused(finding.by ?? undefined)} <Time at={finding.since} />
        </>
      )
    case 'no-worker':
      return t.noWorker
    case 'silent-node':
      return t.silentNode(finding.id, duration(finding.ms))
    case 'dead-node':
      return (
        <>
          {deadNodeText(finding)} <Time at={finding.seen} />
        </>
      )
    case 'late-lane': {
      const { lane, ms, overdue } = finding
      return t.lateLane(lane in lanes ? lanes[lane as keyof typeof lanes] : lane, duration(ms), number(overdue))
    }
    case 'late-queue':
      return t.lateQueue(finding.queue, duration(finding.ms))
    case 'check':
      return <CheckText check={finding} />
    case 'breaker':
      return (
        <>
          {finding.tone === 'bad' ? t.breakerOpen : t.breakerProbing} <Integration {...finding} />.{' '}
          <Link to="/messages" search={waitingMessages(finding.provider)}>
            {t.retried}
          </Link>
          {finding.since !== null && <FailedSince provider={finding.provider} since={finding.since} />}
        </>
      )
    case 'day-limit':
      return (
        <>
          {t.dayLimit(timeOfDay(finding.until))} <Integration {...finding} />.{' '}
          <Link to="/messages" search={waitingMessages(finding.provider)}>
            {t.retried}
          </Link>
        </>
      )
    case 'provider':
      return (
        <>
          {t.provider(percent(finding.working))} <Integration {...finding} />. {t.lastError}{' '}
          <Time at={finding.failed.at} />: {finding.failed.error}
        </>
      )
    case 'undelivered':
      return (
        <>
          {t.undelivered(percent(finding.share))}{' '}
          <Link to="/messages" search={{ status: ['UNDELIVERABLE'], last: '1h' }}>
            {t.messages}
          </Link>
        </>
      )
    case 'dead-letters':
      return (
        <>
          {t.letters(number(finding.open), number(finding.recent))}{' '}
          <Link to="/system" search={{ tab: 'dead-letters' }}>
            {t.seeLetters}
          </Link>
        </>
      )
    case 'connections':
      return t.connections(finding.id, number(finding.waiting))
    case 'statement':
      return t.statement(duration(finding.ms))
    case 'backup':
      return (
        <>
          {t.backup}{' '}
          {isOperator && (
            <Link to="/system" hash={BACKUP}>
              {t.download}
            </Link>
          )}
        </>
      )
  }
}

/** Messages that were accepted when it opened the breaker, and since. */
function FailedSince({ provider, since }: { provider: string; since: number }) {
  const t = useTexts(findingTexts)
  const search = failedSince(provider, since)
  const { data } = useQuery(failedQuery(search))
  if (!data || data.count === 0) return null
  return (
    <>
      {' · '}
      <Link to="/messages" search={search}>
        {t.failed(data.count, data.isMore)}
      </Link>
    </>
  )
}

const Integration = ({ id, title }: { id: string; title: string }) => (
  <Link to="/integrations/$id" params={{ id }}>
    {title}
  </Link>
)
