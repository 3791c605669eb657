/** Dead letters: rows of the queues that were given up, with the reason and their release. */
import { Button, SegmentedControl, Select } from '@mantine/core'
import type { DeadLetter } from '@postrider/client'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { docsPath } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { CopyableId, shorten } from '../parts/copyable.tsx'
import { Empty } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { type LetterState, letterKinds, type SystemSearch } from './search.ts'
import styles from './system.module.css'

const PAGE = 50
const REFRESH_MS = 5_000

const letterTexts = texts({
  en: {
    title: 'Dead letters',
    explanation:
      'Work that the server gave up, because it kept ending or blocking the process. Release it once the cause is mended: it goes back into its queue as if it had never been started.',
    guide: 'About dead letters',
    open: 'Open',
    released: 'Released',
    dismissed: 'Dismissed',
    all: 'All',
    states: 'State of dead letters',
    anyKind: 'Every kind',
    kind: 'Kind',
    subject: 'Id',
    reason: 'Reason',
    node: 'Node',
    at: 'Given up',
    release: 'Release',
    releaseTitle: (kind: string) => `Release 1 ${kind}`,
    releaseText: (kind: string, id: string) =>
      `The ${kind} ${id} goes back into its queue and goes on within a second. What it does then, such as sending a message, cannot be undone.`,
    done: 'Released: it goes on now.',
    dismiss: 'Dismiss',
    dismissTitle: (kind: string) => `Dismiss 1 ${kind}`,
    dismissText: (kind: string, id: string) =>
      `The ${kind} ${id} is not to go on: it leaves this list and the warnings. It stays under “Dismissed” as long as messages are kept, and can be released there.`,
    dismissDone: 'Dismissed: it is under “Dismissed”.',
    empty: 'Nothing was given up',
    emptyText:
      'A message, run or call that crashes or blocks its process again and again is listed here, with the reason.',
    emptyFiltered: 'No dead letters match',
    message: 'message',
    request: 'request',
    run: 'run',
    digest: 'digest',
    erasure: 'erasure',
    webhook_delivery: 'webhook delivery',
    receipt: 'receipt',
  },
  de: {
    title: 'Aufgegebenes',
    explanation:
      'Arbeit, die der Server aufgegeben hat, weil sie den Prozess immer wieder beendete oder anhielt. Ist die Ursache behoben, gib sie frei: Sie kommt zurück in ihre Warteschlange, als wäre sie nie begonnen worden.',
    guide: 'Was mit Aufgegebenem zu tun ist',
    open: 'Offen',
    released: 'Freigegeben',
    dismissed: 'Erledigt',
    all: 'Alle',
    states: 'Zustand',
    anyKind: 'Jede Art',
    kind: 'Art',
    subject: 'Id',
    reason: 'Grund',
    node: 'Knoten',
    at: 'Aufgegeben',
    release: 'Freigeben',
    releaseTitle: (kind: string) => `Freigeben: 1 × ${kind}`,
    releaseText: (kind: string, id: string) =>
      `${kind} ${id} kommt zurück in die Warteschlange und geht binnen einer Sekunde weiter. Was dann geschieht, etwa der Versand einer Nachricht, lässt sich nicht rückgängig machen.`,
    done: 'Freigegeben: Es geht weiter.',
    dismiss: 'Abhaken',
    dismissTitle: (kind: string) => `Abhaken: 1 × ${kind}`,
    dismissText: (kind: string, id: string) =>
      `${kind} ${id} soll nicht weitergehen und verschwindet aus dieser Liste und den Warnungen. Unter „Erledigt“ bleibt der Eintrag so lange, wie Nachrichten aufbewahrt werden, und lässt sich dort noch freigeben.`,
    dismissDone: 'Abgehakt: Der Eintrag steht unter „Erledigt“.',
    empty: 'Nichts wurde aufgegeben',
    emptyText: 'Was seinen Prozess immer wieder abstürzen lässt oder anhält, steht hier mit dem Grund.',
    emptyFiltered: 'Kein passender Eintrag',
    message: 'Nachricht',
    request: 'Auftrag',
    run: 'Lauf',
    digest: 'Sammelnachricht',
    erasure: 'Löschung',
    webhook_delivery: 'Webhook-Zustellung',
    receipt: 'Quittung',
  },
})

export function DeadLetters() {
  const t = useTexts(letterTexts)
  const shared = useTexts(words)
  const { state, kind } = useSearch({ from: '/system' })
  const navigate = useNavigate()
  const { canConnect } = usePermissions()
  const confirm = useConfirm()
  const release = useAction({
    act: ({ id }: DeadLetter) => api.deadLetters.release(id),
    done: t.done,
    changes: [['system']],
  })
  const confirmRelease = async (letter: DeadLetter) => {
    const isConfirmed = await confirm({
      title: t.releaseTitle(t[letter.kind]),
      text: t.releaseText(t[letter.kind], letter.subject_id),
      action: t.releaseTitle(t[letter.kind]),
    })
    if (isConfirmed) release.mutate(letter)
  }
  const dismiss = useAction({
    act: ({ id }: DeadLetter) => api.deadLetters.dismiss(id),
    done: t.dismissDone,
    changes: [['system']],
  })
  const confirmDismissal = async (letter: DeadLetter) => {
    const isConfirmed = await confirm({
      title: t.dismissTitle(t[letter.kind]),
      text: t.dismissText(t[letter.kind], letter.subject_id),
      action: t.dismissTitle(t[letter.kind]),
    })
    if (isConfirmed) dismiss.mutate(letter)
  }
  const isPending = release.isPending || dismiss.isPending
  const filter = (change: SystemSearch) =>
    void navigate({ to: '/system', search: { tab: 'dead-letters', ...change }, replace: true })
  const columns: Column<DeadLetter>[] = [
    {
      key: 'state',
      title: shared.status,
      width: '108px',
      cell: (letter) => <Tag tone={letter.state === 'open' ? 'warn' : 'quiet'}>{t[letter.state]}</Tag>,
    },
    { key: 'kind', title: t.kind, width: '140px', cell: (letter) => t[letter.kind] },
    { key: 'subject', title: t.subject, width: '176px', cell: (letter) => <Subject letter={letter} /> },
    {
      key: 'reason',
      title: t.reason,
      cell: ({ error }) => (
        <span className={styles.reason} title={error}>
          {error}
        </span>
      ),
    },
    {
      key: 'node',
      title: t.node,
      width: '88px',
      wideOnly: true,
      cell: ({ node }) => <code>{node}</code>,
    },
    { key: 'at', title: t.at, width: '84px', align: 'end', cell: ({ created }) => <Time at={created} /> },
    {
      key: 'actions',
      title: '',
      width: '190px',
      align: 'end',
      cell: (letter) =>
        canConnect &&
        letter.state !== 'released' && (
          <>
            {letter.state === 'open' && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                disabled={isPending}
                onClick={() => void confirmDismissal(letter)}
              >
                {t.dismiss}
              </Button>
            )}
            <Button size="compact-sm" variant="subtle" disabled={isPending} onClick={() => void confirmRelease(letter)}>
              {t.release}
            </Button>
          </>
        ),
    },
  ]
  const isFiltered = state !== undefined || kind !== undefined
  return (
    <>
      <p className={styles.explanation}>
        {t.explanation}{' '}
        <a href={docsPath('running#dead-letters')} target="_blank" rel="noreferrer">
          {t.guide}
        </a>
      </p>
      <div className={styles.filters}>
        <SegmentedControl
          aria-label={t.states}
          size="xs"
          data={[
            { value: 'open', label: t.open },
            { value: 'released', label: t.released },
            { value: 'dismissed', label: t.dismissed },
            { value: 'all', label: t.all },
          ]}
          value={state ?? 'open'}
          onChange={(value) =>
            filter({ ...(kind && { kind }), ...(value !== 'open' && { state: value as LetterState }) })
          }
        />
        <Select
          aria-label={t.kind}
          size="xs"
          placeholder={t.anyKind}
          clearable
          data={letterKinds.map((value) => ({ value, label: t[value] }))}
          value={kind ?? null}
          onChange={(value) => filter({ ...(state && { state }), ...(value && { kind: value as DeadLetter['kind'] }) })}
        />
      </div>
      <PagedTable
        label={t.title}
        queryKey={['system', 'dead-letters', state, kind]}
        refetchMs={REFRESH_MS}
        columns={columns}
        idOf={({ id }) => id}
        load={async (cursor, signal) =>
          tablePage(
            await api.deadLetters.list(
              {
                ...(cursor && { cursor }),
                ...(state !== 'all' && { state: state ?? 'open' }),
                ...(kind && { kind }),
                limit: PAGE,
              },
              { signal },
            ),
          )
        }
        empty={isFiltered ? <Empty title={t.emptyFiltered} /> : <Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </>
  )
}

/** A message has a page of its own, as has the one that reports a digest. */
function Subject({ letter: { kind, subject_id, message_id } }: { letter: DeadLetter }) {
  const messageId = kind === 'message' ? subject_id : message_id
  if (messageId === null) return <CopyableId id={subject_id} />
  return (
    <Link to="/messages/$messageId" params={{ messageId }} title={subject_id}>
      <code>{shorten(messageId)}</code>
    </Link>
  )
}
