/** Effects of publishing the draft: the messages of the last day, with it and with the published version. */
import { Button } from '@mantine/core'
import type { ChangedMessage } from '@postrider/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { Time, useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { type Draft, inputOf } from '../draft/draft-store.ts'
import styles from '../editor.module.css'
import { RenderedView } from '../preview.tsx'
import { type PreviewChannel, previewChannels } from '../search.ts'
import { changedParts, failureOf, routeText } from './comparison.ts'

/** As many as the server compares in a few seconds. */
const COMPARED = 200

const changesTexts = texts({
  en: {
    none: 'No messages to compare with',
    noneHint: 'The draft is compared for the messages of the last 24 hours. This template sent none.',
    unpublished: 'Never published: there is nothing to compare with.',
    loading: 'Messages are compared',
    counts: (differ: string, fail: string, all: string) =>
      `${differ} of ${all} ${all === '1' ? 'message' : 'messages'} would differ, and ${fail} would fail.`,
    allSame: (all: string) => `All ${all} messages would be the same.`,
    about:
      'Decided and rendered with the data of each message, and with profiles, brands and integrations of now. Since',
    incomplete: 'The time for the comparison ran out: older messages were not compared.',
    listed: (shown: string) => `${shown} of them are listed, those that fail first.`,
    again: 'Compare again',
    status: 'other result',
    route: 'other route',
    content: 'other content',
    fails: 'fails',
    published: 'Published',
    draft: 'Draft',
    absent: 'Nothing on this channel',
    tooLarge: 'Too large to be shown here',
  },
  de: {
    none: 'Keine Nachrichten zum Vergleich',
    noneHint: 'Verglichen wird für die Nachrichten der letzten 24 Stunden. Diese Vorlage hat keine gesendet.',
    unpublished: 'Nie veröffentlicht: Es gibt nichts zum Vergleich.',
    loading: 'Nachrichten werden verglichen',
    counts: (differ: string, fail: string, all: string) =>
      `Von ${all} Nachrichten wären ${differ} anders, ${fail} schlügen fehl.`,
    allSame: (all: string) => `Alle ${all} Nachrichten wären gleich.`,
    about:
      'Entschieden und dargestellt mit den Daten jeder Nachricht und den heutigen Profilen, Marken und Integrationen. Seit',
    incomplete: 'Die Zeit für den Vergleich war um: Ältere Nachrichten wurden nicht verglichen.',
    listed: (shown: string) => `${shown} davon sind aufgeführt, fehlschlagende zuerst.`,
    again: 'Neu vergleichen',
    status: 'anderes Ergebnis',
    route: 'anderer Weg',
    content: 'anderer Inhalt',
    fails: 'schlägt fehl',
    published: 'Veröffentlicht',
    draft: 'Entwurf',
    absent: 'Nichts auf diesem Kanal',
    tooLarge: 'Zu groß, um hier gezeigt zu werden',
  },
})

interface ChangesTabProps {
  id: string
  draft: Draft
  /** The published version; undefined before the first one. */
  current: string | undefined
}

export function ChangesTab({ id, draft, current }: ChangesTabProps) {
  const t = useTexts(changesTexts)
  const format = useFormat()
  // The draft as it is here, saved or not.
  const notification = inputOf(draft)
  const comparison = useQuery({
    queryKey: ['notification', id, 'changes', current, notification],
    queryFn: ({ signal }) => api.notifications.changes(id, { notification, limit: COMPARED }, { signal, retries: 0 }),
    enabled: current !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
  if (current === undefined) return <Empty title={t.unpublished} />
  if (comparison.isError) return <Failed error={comparison.error} retry={comparison.refetch} />
  if (!comparison.data)
    return (
      <div role="status" aria-label={t.loading}>
        <Loading rows={6} />
      </div>
    )
  const { compared, changed, failed, oldest, complete, results } = comparison.data
  if (compared === 0) return <Empty title={t.none}>{t.noneHint}</Empty>
  const all = format.number(compared)
  return (
    <div className={styles.stack} aria-busy={comparison.isFetching}>
      <div className={styles.controls}>
        <h2 className={styles.counts}>
          {changed === 0 ? t.allSame(all) : t.counts(format.number(changed), format.number(failed), all)}
        </h2>
        <Button
          size="compact-sm"
          variant="default"
          loading={comparison.isFetching}
          onClick={() => void comparison.refetch()}
        >
          {t.again}
        </Button>
      </div>
      <p className={styles.note}>
        {t.about} {oldest !== null && <Time at={oldest} />}
      </p>
      {!complete && <p className={styles.note}>{t.incomplete}</p>}
      {results.length < changed && <p className={styles.note}>{t.listed(format.number(results.length))}</p>}
      <ul className={styles.blocks}>
        {results.map((message) => (
          <Changed key={message.message_id} message={message} />
        ))}
      </ul>
    </div>
  )
}

function Changed({ message }: { message: ChangedMessage }) {
  const t = useTexts(changesTexts)
  const [isOpen, setOpen] = useState(false)
  const { message_id: id, recipient, enqueued, differs, fails, published, draft } = message
  const note = failureOf(message) ?? differs.map((what) => t[what]).join(', ')
  return (
    <li className={styles.block} data-open={isOpen}>
      <div className={styles.blockHead}>
        <button type="button" className={styles.blockName} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Tag tone={fails ? 'bad' : 'warn'}>{fails ? t.fails : t[differs[0] ?? 'content']}</Tag>
          <span className={styles.blockSummary}>{recipient}</span>
          <span className={styles.note}>{note}</span>
          <Time at={enqueued} />
        </button>
        <Link to="/messages/$messageId" params={{ messageId: id }} title={id} className={styles.note}>
          {id.slice(-6)}
        </Link>
      </div>
      {isOpen && differs.includes('route') && (
        <div className={styles.sides}>
          {[published, draft].map((side, index) => (
            <div key={index === 0 ? 'published' : 'draft'}>
              <h3>
                {index === 0 ? t.published : t.draft} · {side.status}
              </h3>
              <p>{routeText(side) || (side.error ?? side.reason)}</p>
            </div>
          ))}
        </div>
      )}
      {isOpen &&
        changedParts(message).map((part) => (
          <div key={`${part.channel} ${part.provider}`} className={styles.sides}>
            {(['published', 'draft'] as const).map((side) => (
              <div key={side}>
                <h3>
                  {t[side]} · {part.channel} · {part.provider}
                </h3>
                {side === 'draft' && part.error !== undefined && <p className={styles.error}>{part.error}</p>}
                {part[side] ? (
                  <RenderedView channel={channelOf(part.channel)} content={part[side]} />
                ) : (
                  part.error === undefined && (
                    <p className={styles.empty}>{isMade(message[side], part) ? t.tooLarge : t.absent}</p>
                  )
                )}
              </div>
            ))}
          </div>
        ))}
    </li>
  )
}

/** The server leaves contents out of a reply that would be too large. */
const isMade = ({ rendered }: ChangedMessage['draft'], part: { channel: string; provider: string }) =>
  rendered.some(({ channel, provider }) => channel === part.channel && provider === part.provider)

const channelOf = (channel: string): PreviewChannel =>
  previewChannels.find((each) => each === channel) ?? 'direct_message'
