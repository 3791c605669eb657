/** The facts of a message in one strip: its template, its event, when each stage was reached, and where it is from. */
import type { FindingCode, MessageDetail, MessageExplanation } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { findingNames } from '../messages/finding-names.ts'
import { CopyableId } from '../parts/copyable.tsx'
import { openedFrom } from '../parts/list-return.ts'
import { Facts } from '../parts/page.tsx'
import { Tag } from '../parts/status.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { TemplateLink } from './template-link.tsx'

const factTexts = texts({
  en: {
    event: 'Event',
    accepted: 'Accepted',
    sent: 'Sent',
    delivered: 'Delivered',
    opened: 'Opened',
    clicked: 'Clicked',
    canceled: 'Canceled',
    ended: 'Ended',
    after: (duration: string) => `after ${duration}`,
    findings: 'Findings',
    tags: 'Tags',
    list: 'List',
    run: 'Run',
    job: 'Bulk job',
    replayOf: 'Replay of',
    replayedAs: 'Replayed as',
  },
  de: {
    event: 'Ereignis',
    accepted: 'Angenommen',
    sent: 'Gesendet',
    delivered: 'Zugestellt',
    opened: 'Geöffnet',
    clicked: 'Angeklickt',
    canceled: 'Abgebrochen',
    ended: 'Beendet',
    after: (duration: string) => `nach ${duration}`,
    findings: 'Befunde',
    tags: 'Tags',
    list: 'Liste',
    run: 'Lauf',
    job: 'Bulk-Auftrag',
    replayOf: 'Wiederholung von',
    replayedAs: 'Wiederholt als',
  },
})

export interface MessageFactsProps {
  message: MessageDetail
  explanation: Pick<MessageExplanation, 'notification'>
  /** When it failed, or was stopped. In milliseconds since the Unix epoch. */
  ended: number | undefined
}

export function MessageFacts({ message, explanation: { notification }, ended }: MessageFactsProps) {
  const t = useTexts(factTexts)
  const label = useTexts(words)
  const { event, enqueued, sent, delivered, opened, clicked, canceledAt, idempotencyKey, findings, tags = [] } = message
  const { listId, runId, jobId, replayOf, replayedAs = [] } = message
  let latest = 0
  const after = (name: string, at: number | undefined) => {
    if (at === undefined) return undefined
    // Providers write whole seconds: no stage is before the one that it follows.
    latest = Math.max(latest, at - enqueued)
    return [name, <After key={name} at={at} ms={latest} />] as const
  }
  return (
    <Facts
      layout="strip"
      facts={[
        notification && [label.template, <TemplateLink key="template" {...notification} />],
        event !== '' && [t.event, <code key="event">{event}</code>],
        [t.accepted, <Time key="accepted" at={enqueued} exact />],
        after(t.sent, sent),
        after(t.delivered, delivered),
        after(t.opened, opened),
        after(t.clicked, clicked),
        after(t.canceled, canceledAt),
        after(t.ended, ended),
        idempotencyKey !== undefined && ['Idempotency-Key', <CopyableId key="key" id={idempotencyKey} />],
        findings && [t.findings, <Findings key="findings" codes={findings} />],
        tags.length > 0 && [
          t.tags,
          tags.map((tag, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tags stay as they are, and masked ones are alike
            <Tag key={index} mark={false}>
              {tag}
            </Tag>
          )),
        ],
        listId !== undefined && [
          t.list,
          <Link key="list" to="/lists/$listId" params={{ listId }}>
            {listId}
          </Link>,
        ],
        runId !== undefined && [
          t.run,
          <Link key="run" to="/runs/$runId" params={{ runId }}>
            <code>{runId.slice(-8)}</code>
          </Link>,
        ],
        jobId !== undefined && [
          t.job,
          <Link key="job" to="/bulk/$jobId" params={{ jobId }}>
            <code>{jobId.slice(-8)}</code>
          </Link>,
        ],
        replayOf !== undefined && [t.replayOf, <MessageLink key={replayOf} id={replayOf} />],
        replayedAs.length > 0 && [
          t.replayedAs,
          // biome-ignore lint/suspicious/noArrayIndexKey: replays are only appended, and masked ones are alike
          replayedAs.map((id, index) => <MessageLink key={index} id={id} />),
        ],
      ]}
    />
  )
}

/** The rows of the timeline have them in sentences; each leads to the messages that have it, too. */
function Findings({ codes }: { codes: readonly FindingCode[] }) {
  // A later server can have further codes.
  const names: Record<string, string> = useTexts(findingNames)
  return codes.map((code) => (
    <Link key={code} to="/messages" search={{ finding: [code] }}>
      <Tag tone="warn">{names[code] ?? code}</Tag>
    </Link>
  ))
}

/** `ms`: since the acceptance. */
function After({ at, ms }: { at: number; ms: number }) {
  const t = useTexts(factTexts)
  const format = useFormat()
  return (
    <Time at={at} exact>
      {t.after(format.duration(ms, ms < 10_000 ? 2 : undefined))}
    </Time>
  )
}

/** The role of the reader may not see the id. */
const MessageLink = ({ id }: { id: string }) =>
  id.includes('•') ? (
    <span>{id} </span>
  ) : (
    <>
      <Link to="/messages/$messageId" params={{ messageId: id }} state={openedFrom('/messages')}>
        <code>{id.slice(-8)}</code>
      </Link>{' '}
    </>
  )
